typedef int MPI_Comm;
#define MPI_SUCCESS 0
int MPI_Pack(const void *in, int *position, MPI_Comm comm);
int PMPI_Pack(const void *in, int *position, MPI_Comm comm);
int MPI_Dims_create(int nnodes, int ndims, int dims[]);
int PMPI_Dims_create(int nnodes, int ndims, int dims[]);
