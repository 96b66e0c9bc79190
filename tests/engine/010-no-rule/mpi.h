typedef int MPI_Comm;
typedef int MPI_Request;
typedef struct MPI_Status MPI_Status;
#define MPI_SUCCESS 0
int MPI_Send(const void *buf, float weight);
int PMPI_Send(const void *buf, float weight);
