typedef int MPI_Fint;
#define MPI_SUCCESS 0
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
