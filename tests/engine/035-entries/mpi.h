typedef int MPI_Fint;
typedef int MPI_Comm;
typedef int MPI_Request;
typedef long long MPI_Count;
typedef long MPI_Aint;
typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR; } MPI_Status;
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
#define MPI_SUCCESS 0
#define MPI_UNDEFINED (-32766)
int MPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv);
int MPI_Barrier(MPI_Comm comm);
int PMPI_Barrier(MPI_Comm comm);
int MPI_Size_c(MPI_Comm comm, MPI_Count *size);
int PMPI_Size_c(MPI_Comm comm, MPI_Count *size);
int MPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status);
int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status);
int MPI_Name(MPI_Comm comm, const char *name);
int PMPI_Name(MPI_Comm comm, const char *name);
int MPI_Create(MPI_Comm_copy_attr_function *fn, int commute, const int periods[], int n, MPI_Comm *newcomm);
int PMPI_Create(MPI_Comm_copy_attr_function *fn, int commute, const int periods[], int n, MPI_Comm *newcomm);
int MPI_Get_attr(MPI_Comm comm, int keyval, void *attribute_val, int *flag);
int PMPI_Get_attr(MPI_Comm comm, int keyval, void *attribute_val, int *flag);
double MPI_Wtime(void);
double PMPI_Wtime(void);
