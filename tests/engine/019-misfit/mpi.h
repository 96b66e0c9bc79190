typedef int MPI_Comm;
typedef int MPI_Request;
typedef struct MPI_Status MPI_Status;
#define MPI_SUCCESS 0
int MPI_Send(void *buf, int n, MPI_Comm comm, MPI_Request *request, MPI_Status *status, char **list);
int PMPI_Send(void *buf, int n, MPI_Comm comm, MPI_Request *request, MPI_Status *status, char **list);
int MPI_Recv(void *buf, int n);
int PMPI_Recv(void *buf, int n);
