#define MPI_SUCCESS 0
#define MPI_ERR_OTHER 15
int MPI_Missing(int x);
int PMPI_Missing(int x);
int MPI_Finalize(void);
int PMPI_Finalize(void);
