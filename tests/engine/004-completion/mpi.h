typedef int MPI_Comm;
typedef int MPI_Request;
typedef struct MPI_Status { int MPI_SOURCE; } MPI_Status;
#define MPI_SUCCESS 0
#define MPI_ANY_SOURCE (-2)
#define MPI_UNDEFINED (-32766)
int MPI_Irecv(int source, int tag, MPI_Comm comm, MPI_Request *request);
int PMPI_Irecv(int source, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Recv(int source, MPI_Status *status);
int PMPI_Recv(int source, MPI_Status *status);
int MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status);
int PMPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status);
int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status array_of_statuses[]);
int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status array_of_statuses[]);
int MPI_Look(MPI_Request request);
int PMPI_Look(MPI_Request request);
int MPI_Comm_free(MPI_Comm *comm);
int PMPI_Comm_free(MPI_Comm *comm);
