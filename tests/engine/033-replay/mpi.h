#ifndef MPI_H
#define MPI_H
/* Handles of both kinds: integers, and pointers. */
typedef struct comm *MPI_Comm;
typedef int MPI_Datatype;
typedef struct request *MPI_Request;
typedef int MPI_Info;
typedef long MPI_Aint;
typedef long long MPI_Count;
typedef struct MPI_Status {
	int source;
} MPI_Status;
typedef void MPI_User_function(void *a, void *b, int *len, MPI_Datatype *type);
#define MPI_SUCCESS 0
#define MPI_ERR_OTHER 15
#define MPI_COMM_NULL ((MPI_Comm)0)
int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, MPI_Comm comm, MPI_Request *request);
int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, MPI_Comm comm, MPI_Request *request);
int MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, MPI_Request *request);
int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, MPI_Request *request);
int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
	const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm);
int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
	const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoallw(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Datatype sendtypes[], MPI_Comm comm);
int PMPI_Alltoallw(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Datatype sendtypes[], MPI_Comm comm);
int MPI_Attach(void *base, MPI_Aint size);
int PMPI_Attach(void *base, MPI_Aint size);
int MPI_Detach(void *base);
int PMPI_Detach(void *base);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int PMPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]);
int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]);
int MPI_Ask(MPI_Request request, int *flag);
int PMPI_Ask(MPI_Request request, int *flag);
int MPI_Get_count(const MPI_Status *status, int *count);
int PMPI_Get_count(const MPI_Status *status, int *count);
int MPI_Comm_free(MPI_Comm *comm);
int PMPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int MPI_Keyval_free(int *keyval);
int PMPI_Keyval_free(int *keyval);
int MPI_Range_incl(int n, int ranges[][3], int out[]);
int PMPI_Range_incl(int n, int ranges[][3], int out[]);
int MPI_Step(int n, int *position, int dims[]);
int PMPI_Step(int n, int *position, int dims[]);
int MPI_Op_create(MPI_User_function *user_fn, void *state, const char *name);
int PMPI_Op_create(MPI_User_function *user_fn, void *state, const char *name);
int MPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv);
int MPI_Clash(int p, int ret);
int PMPI_Clash(int p, int ret);
double MPI_Wtime(void);
double PMPI_Wtime(void);
int MPI_Late(void);
int PMPI_Late(void);
int MPI_Quit(int code);
int PMPI_Quit(int code);
int MPI_Spawn(char **argv);
int PMPI_Spawn(char **argv);
#endif
