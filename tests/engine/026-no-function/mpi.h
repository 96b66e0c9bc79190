/* No header of an MPI. */
typedef int MPI_Comm;
int send(int);
