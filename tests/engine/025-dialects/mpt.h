/* As of HPE MPT: unsigned handles, constants as enumerators, functions that macros rename, comments that stay. */
#define MPI_CONST const
typedef unsigned int MPI_Comm;
typedef unsigned int MPI_Datatype;
typedef unsigned int MPI_Request;
typedef unsigned int MPI_Group;
typedef unsigned int MPI_Op;
typedef unsigned int MPI_Errhandler;
typedef int MPI_Fint;
typedef long MPI_Aint;
typedef struct { int MPI_SOURCE; int MPI_TAG; int MPI_ERROR; int size; int reserved[2]; } MPI_Status;
enum { MPI_COMM_NULL = 0, MPI_COMM_WORLD = 1, MPI_COMM_SELF = 2 };
enum { MPI_SUCCESS = 0, MPI_PROC_NULL = -2 };
#define MPI_IN_PLACE ((void *) 1)
typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
#ifdef __cplusplus
#error only C here
#endif
#define MPI_Irecv MPISGI_Irecv	/* and back again */
#undef MPI_Irecv
#define MPI_Comm_create_errhandler_fn MPI_Comm_create_errhandler

/* MPI_Send(a comment, not a prototype); */
extern int MPI_Init(int *argc, char ***argv);
extern int MPI_Send(MPI_CONST void *buf /* where it is */, int count, // as many
	MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
extern int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request);
extern int MPI_Waitall(int, MPI_Request *, MPI_Status *);
extern int MPI_Alltoallv(MPI_CONST void *sendbuf, MPI_CONST int *sendcounts, MPI_CONST int *sdispls, MPI_Datatype sendtype,
	void *recvbuf, MPI_CONST int *recvcounts, MPI_CONST int *rdispls, MPI_Datatype recvtype, MPI_Comm comm);
extern int MPI_Group_range_incl(MPI_Group group, int n, int (*ranges)[3], MPI_Group *newgroup);
extern int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
extern int MPI_Comm_create_errhandler_fn(MPI_Comm_errhandler_function *, MPI_Errhandler *);
extern int MPI_Comm_get_name(MPI_Comm comm, char *name, int *len);
extern int MPI_Pcontrol(int level, ...);
extern double MPI_Wtime(void);
extern MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp);
extern int PMPI_Init(int *, char ***);
extern int PMPI_Send(MPI_CONST void *, int, MPI_Datatype, int, int, MPI_Comm);
extern int PMPI_Irecv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
extern int PMPI_Waitall(int, MPI_Request *, MPI_Status *);
extern int PMPI_Alltoallv(MPI_CONST void *, MPI_CONST int *, MPI_CONST int *, MPI_Datatype, void *, MPI_CONST int *,
	MPI_CONST int *, MPI_Datatype, MPI_Comm);
extern int PMPI_Group_range_incl(MPI_Group, int, int (*)[3], MPI_Group *);
extern int PMPI_Op_create(MPI_User_function *, int, MPI_Op *);
extern int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *, MPI_Errhandler *);
extern int PMPI_Comm_get_name(MPI_Comm, char *, int *);
extern int PMPI_Pcontrol(int, ...);
extern double PMPI_Wtime(void);
extern MPI_Aint PMPI_Aint_add(MPI_Aint, MPI_Aint);
