typedef long MPI_Aint;
#define MPI_SUCCESS 0
int MPI_Ask(int n, int *told, int *list, MPI_Aint *wide, int *len);
int PMPI_Ask(int n, int *told, int *list, MPI_Aint *wide, int *len);
int MPI_Index(int *index, int n, int *indices, int *value, MPI_Aint *size, int pairs[][3]);
int PMPI_Index(int *index, int n, int *indices, int *value, MPI_Aint *size, int pairs[][3]);
int MPI_Extent(MPI_Aint extent, MPI_Aint *displs, int n);
int PMPI_Extent(MPI_Aint extent, MPI_Aint *displs, int n);
int MPI_New(int n);
int PMPI_New(int n);
