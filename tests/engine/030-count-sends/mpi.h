typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef struct MPI_Status MPI_Status;
#define MPI_SUCCESS 0
int MPI_Init(int *argc, char ***argv);
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Barrier(MPI_Comm comm);
int MPI_Finalize(void);
int PMPI_Init(int *argc, char ***argv);
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int PMPI_Barrier(MPI_Comm comm);
int PMPI_Finalize(void);
