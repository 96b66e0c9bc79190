typedef int MPI_Comm;
#define MPI_SUCCESS 0
int MPI_Send(const void *buf, int count, int dest, int tag, MPI_Comm comm);
int PMPI_Send(const void *buf, int count, int dest, int tag, MPI_Comm comm);
