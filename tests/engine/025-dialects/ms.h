/* As of Microsoft MPI: calling conventions, and notes for a checker that stand where it is not. */
#define MPIAPI __stdcall
#define MPI_METHOD _Success_( return == MPI_SUCCESS ) int MPIAPI
#define MPI_SUCCESS 0
#define MPI_PROC_NULL (-1)
#define MPI_ANY_SOURCE (-2)
#define MPI_IN_PLACE ((void*)(size_t)-1)
typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Request;
typedef int MPI_Group;
typedef int MPI_Op;
typedef int MPI_Errhandler;
typedef int MPI_Fint;
typedef long MPI_Aint;
typedef struct MPI_Status { int internal[2]; int MPI_SOURCE; int MPI_TAG; int MPI_ERROR; } MPI_Status;
typedef _Pre_opt_valid_ void (MPIAPI MPI_User_function)(_In_opt_ void *a, _Inout_opt_ void *b, _In_ int *len, _In_ MPI_Datatype *type);
typedef void (MPIAPI MPI_Comm_errhandler_fn)(_In_ MPI_Comm *comm, _Inout_ int *errcode, ...);

/*---------------------------------------------*/
/* Section 3.2: Blocking Communication         */
/*---------------------------------------------*/
#define BOTH(what) what MPI_
MPI_METHOD MPI_Init( _In_opt_ const int *argc, _Notref_ _In_reads_opt_(*argc) char ***argv );
MPI_METHOD PMPI_Init( _In_opt_ const int *argc, _Notref_ _In_reads_opt_(*argc) char ***argv );
MPI_METHOD
MPI_Send(
    _In_opt_ const void* buf,
    _In_range_(>=, 0) int count,
    _In_ MPI_Datatype datatype,
    _In_range_(>=, MPI_PROC_NULL) int dest,
    _In_range_(>=, 0) int tag,
    _In_ MPI_Comm comm
    );
MPI_METHOD
PMPI_Send(
    _In_opt_ const void* buf,
    _In_range_(>=, 0) int count,
    _In_ MPI_Datatype datatype,
    _In_range_(>=, MPI_PROC_NULL) int dest,
    _In_range_(>=, 0) int tag,
    _In_ MPI_Comm comm
    );
MPI_METHOD MPI_Irecv( _Out_opt_ void* buf, _In_range_(>=, 0) int count, _In_ MPI_Datatype datatype,
    _In_range_(>=, MPI_ANY_SOURCE) int source, _In_ int tag, _In_ MPI_Comm comm, _Out_ MPI_Request* request );
MPI_METHOD PMPI_Irecv( _Out_opt_ void* buf, _In_range_(>=, 0) int count, _In_ MPI_Datatype datatype,
    _In_range_(>=, MPI_ANY_SOURCE) int source, _In_ int tag, _In_ MPI_Comm comm, _Out_ MPI_Request* request );
MPI_METHOD MPI_Waitall( _In_range_(>=, 0) int count, _Inout_updates_opt_(count) MPI_Request array_of_requests[],
    _Out_writes_opt_(count) MPI_Status array_of_statuses[] );
MPI_METHOD PMPI_Waitall( _In_range_(>=, 0) int count, _Inout_updates_opt_(count) MPI_Request array_of_requests[],
    _Out_writes_opt_(count) MPI_Status array_of_statuses[] );
MPI_METHOD MPI_Alltoallv( _In_opt_ const void* sendbuf, _In_opt_ const int sendcounts[], _In_opt_ const int sdispls[],
    _In_ MPI_Datatype sendtype, _When_(sendbuf != MPI_IN_PLACE, _Out_opt_) void* recvbuf, _In_ const int recvcounts[],
    _In_ const int rdispls[], _In_ MPI_Datatype recvtype, _In_ MPI_Comm comm );
MPI_METHOD PMPI_Alltoallv( _In_opt_ const void* sendbuf, _In_opt_ const int sendcounts[], _In_opt_ const int sdispls[],
    _In_ MPI_Datatype sendtype, _When_(sendbuf != MPI_IN_PLACE, _Out_opt_) void* recvbuf, _In_ const int recvcounts[],
    _In_ const int rdispls[], _In_ MPI_Datatype recvtype, _In_ MPI_Comm comm );
MPI_METHOD MPI_Group_range_incl( _In_ MPI_Group group, _In_range_(>=, 0) int n, _In_reads_opt_(n) int ranges[][3],
    _Out_ MPI_Group* newgroup );
MPI_METHOD PMPI_Group_range_incl( _In_ MPI_Group group, _In_range_(>=, 0) int n, _In_reads_opt_(n) int ranges[][3],
    _Out_ MPI_Group* newgroup );
MPI_METHOD MPI_Op_create( _In_ MPI_User_function* user_fn, _In_ int commute, _Out_ MPI_Op* op );
MPI_METHOD PMPI_Op_create( _In_ MPI_User_function* user_fn, _In_ int commute, _Out_ MPI_Op* op );
MPI_METHOD MPI_Comm_create_errhandler( _In_ MPI_Comm_errhandler_fn *function, _Out_ MPI_Errhandler* errhandler );
MPI_METHOD PMPI_Comm_create_errhandler( _In_ MPI_Comm_errhandler_fn *function, _Out_ MPI_Errhandler* errhandler );
MPI_METHOD MPI_Comm_get_name( _In_ MPI_Comm comm, _Out_writes_z_(128) char* comm_name, _Out_ int* resultlen );
MPI_METHOD PMPI_Comm_get_name( _In_ MPI_Comm comm, _Out_writes_z_(128) char* comm_name, _Out_ int* resultlen );
MPI_METHOD MPI_Pcontrol( _In_ const int level, ... );
MPI_METHOD PMPI_Pcontrol( _In_ const int level, ... );
double MPIAPI MPI_Wtime( void );
double MPIAPI PMPI_Wtime( void );
MPI_Aint MPIAPI MPI_Aint_add( _In_ MPI_Aint base, _In_ MPI_Aint disp );
MPI_Aint MPIAPI PMPI_Aint_add( _In_ MPI_Aint base, _In_ MPI_Aint disp );
