typedef struct comm *MPI_Comm;
#define MPI_GONE _Static_assert(0, "MPI_GONE was removed");
#define MPI_EMPTY
#define MPI_FUNCTION_LIKE(x) (x)
#define MPI_UNDEFINED (-1)
extern MPI_Comm MPI_COMM_WORLD;
int MPI_Barrier(MPI_Comm comm);
int PMPI_Barrier(MPI_Comm comm);
