/* Sessions beside MPI_Init, one after the other and at once. */
#include "t.h"

int main(int argc, char **argv)
{
	MPI_Session s[2];
	MPI_Group g;
	MPI_Comm comm[2];
	char name[64];
	int n, len = sizeof(name), v = 1, sum;

	t_init(&argc, &argv);
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < 2; i++) {
			MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s[i]);
			MPI_Session_get_num_psets(s[i], MPI_INFO_NULL, &n);
			CHECK(n >= 2);
			len = sizeof(name);
			MPI_Session_get_nth_pset(s[i], MPI_INFO_NULL, 0, &len, name);
			MPI_Group_from_session_pset(s[i], i ? "mpi://SELF" : "mpi://WORLD", &g);
			MPI_Comm_create_from_group(
				g, "t919", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm[i]);
			MPI_Group_free(&g);
		}
		MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, comm[0]);
		CHECK(sum == t_size);
		MPI_Barrier(comm[1]);
		for (int i = 0; i < 2; i++) {
			MPI_Comm_free(&comm[i]);
			MPI_Session_finalize(&s[i]);
		}
	}
	return t_fini();
}
