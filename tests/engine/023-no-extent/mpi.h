typedef int MPI_Datatype;
#define MPI_SUCCESS 0
int MPI_Send(const void *buf, int count, MPI_Datatype datatype);
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype);
int MPI_Recv(void *buf, int length, MPI_Datatype datatype);
int PMPI_Recv(void *buf, int length, MPI_Datatype datatype);
int MPI_Free(void *buf);
int PMPI_Free(void *buf);
int MPI_Gather(const void *sendbuf, void *recvbuf, const int counts[], int n, MPI_Datatype datatype);
int PMPI_Gather(const void *sendbuf, void *recvbuf, const int counts[], int n, MPI_Datatype datatype);
int MPI_Scatter(const void *sendbuf, void *recvbuf, const int counts[], int n, MPI_Datatype datatype);
int PMPI_Scatter(const void *sendbuf, void *recvbuf, const int counts[], int n, MPI_Datatype datatype);
