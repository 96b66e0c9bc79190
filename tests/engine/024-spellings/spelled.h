typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Errhandler;
typedef int MPI_Op;
typedef void MPI_User_function(void *a, void *b, int *len, MPI_Datatype *type);
#define MPI_SUCCESS 0
#define MPI_IN_PLACE (void *) -1
int MPI_Type_free(MPI_Datatype *type);
int PMPI_Type_free(MPI_Datatype *type);
int MPI_Type_dup(MPI_Datatype type, MPI_Datatype *newtype);
int PMPI_Type_dup(MPI_Datatype type, MPI_Datatype *newtype);
int MPI_Bsend(const void *ibuf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int PMPI_Bsend(const void *ibuf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Buffer_detach(void *buffer, int *size);
int PMPI_Buffer_detach(void *buffer, int *size);
int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *new_comm);
int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *new_comm);
int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
int PMPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
