typedef int MPI_Comm;
typedef int MPI_Request;
typedef struct MPI_Status MPI_Status;
#define MPI_SUCCESS 0
int MPI_Send(int n);
int PMPI_Send(int n);
