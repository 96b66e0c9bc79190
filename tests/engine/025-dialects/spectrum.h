/* As of Open MPI 5 and Spectrum MPI: a word before each prototype, notes on what is old, handles as pointers to what is not told. */
#define OMPI_DECLSPEC __attribute__((visibility("default")))
#define __mpi_interface_deprecated__(msg) __attribute__((__deprecated__(msg)))
#define OMPI_REMOVED(func, newfunc) _Static_assert(0, #func " was removed in MPI-3.0.  Use " #newfunc " instead.")
#define MPI_VERSION 3
typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_request_t *MPI_Request;
typedef struct ompi_group_t *MPI_Group;
typedef struct ompi_op_t *MPI_Op;
typedef struct ompi_errhandler_t *MPI_Errhandler;
typedef int MPI_Fint;
typedef long MPI_Aint;
typedef struct ompi_status_public_t ompi_status_public_t;
struct ompi_status_public_t { int MPI_SOURCE; int MPI_TAG; int MPI_ERROR; int _cancelled; unsigned long _ucount; };
typedef struct ompi_status_public_t MPI_Status;
typedef void (MPI_Comm_errhandler_function)(MPI_Comm *, int *, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn __mpi_interface_deprecated__("MPI_Comm_errhandler_fn was deprecated");
typedef void (MPI_User_function)(void *, void *, int *, MPI_Datatype *);
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type) ((void *) &(global)))
OMPI_DECLSPEC extern struct ompi_predefined_communicator_t ompi_mpi_comm_world;
#define MPI_COMM_WORLD OMPI_PREDEFINED_GLOBAL(MPI_Comm, ompi_mpi_comm_world)
#define MPI_SUCCESS 0
#define MPI_IN_PLACE ((void *) 1)
#define MPI_PROC_NULL -2
#define MPI_Attr_put(...) OMPI_REMOVED(MPI_Attr_put, MPI_Comm_set_attr)
enum { MPI_TAG_UB, MPI_HOST, MPI_IO, };

OMPI_DECLSPEC  int MPI_Init(int *argc, char ***argv);
OMPI_DECLSPEC  int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm);
OMPI_DECLSPEC  int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source,
                             int tag, MPI_Comm comm, MPI_Request *request);
OMPI_DECLSPEC  int MPI_Waitall(int count, MPI_Request array_of_requests[],
                               MPI_Status *array_of_statuses);
OMPI_DECLSPEC  int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                 const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
OMPI_DECLSPEC  int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3],
                                        MPI_Group *newgroup);
OMPI_DECLSPEC  int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
OMPI_DECLSPEC  int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
OMPI_DECLSPEC  int MPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
	__mpi_interface_deprecated__("only here: (it is not; \")\" and \"(\" in it)");
OMPI_DECLSPEC  int MPI_Pcontrol(const int level, ...);
OMPI_DECLSPEC  double MPI_Wtime(void);
OMPI_DECLSPEC  MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp);
OMPI_DECLSPEC  MPI_Comm MPI_Comm_f2c(MPI_Fint comm);
OMPI_DECLSPEC  MPI_Comm PMPI_Comm_f2c(MPI_Fint comm);
OMPI_DECLSPEC  int PMPI_Init(int *argc, char ***argv);
OMPI_DECLSPEC  int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest,
                             int tag, MPI_Comm comm);
OMPI_DECLSPEC  int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source,
                              int tag, MPI_Comm comm, MPI_Request *request);
OMPI_DECLSPEC  int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses);
OMPI_DECLSPEC  int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
OMPI_DECLSPEC  int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
OMPI_DECLSPEC  int PMPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
OMPI_DECLSPEC  int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
OMPI_DECLSPEC  int PMPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen);
OMPI_DECLSPEC  int PMPI_Pcontrol(const int level, ...);
OMPI_DECLSPEC  double PMPI_Wtime(void);
OMPI_DECLSPEC  MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp);
