typedef int MPI_Comm;
#define MPI_SUCCESS 0
#define MPI_IN_PLACE (void *) -1
int MPI_Gatherv(const void *sendbuf, int sendcnt, void *recvbuf, const int recvcounts[], int root, MPI_Comm comm);
int PMPI_Gatherv(const void *sendbuf, int sendcnt, void *recvbuf, const int recvcounts[], int root, MPI_Comm comm);
int MPI_Gatherv_init(const void *sendbuf, int sendcnt, void *recvbuf, const int recvcounts[], int root, MPI_Comm comm, int info);
int PMPI_Gatherv_init(const void *sendbuf, int sendcnt, void *recvbuf, const int recvcounts[], int root, MPI_Comm comm, int info);
int MPI_Info_get(const char *key, int *buflen, char *value, int *flag);
int PMPI_Info_get(const char *key, int *buflen, char *value, int *flag);
int MPI_Graph_create(int nnodes, const int indx[], const int edges[], const int weights[]);
int PMPI_Graph_create(int nnodes, const int indx[], const int edges[], const int weights[]);
