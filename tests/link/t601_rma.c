/* One-sided communication in its three synchronisations, with atomics. */
#include "t.h"

int main(int argc, char **argv)
{
	int *base, v = 1, got, zero = 0;
	MPI_Win win;
	MPI_Group world, peer;
	MPI_Request q;

	t_init(&argc, &argv);
	int right = (t_rank + 1) % t_size, left = (t_rank + t_size - 1) % t_size;
	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	memset(base, 0, 4 * sizeof(int));
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	for (int k = 0; k < 10; k++) {
		MPI_Put(&v, 1, MPI_INT, right, 1, 1, MPI_INT, win);
		MPI_Accumulate(&v, 1, MPI_INT, right, 2, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_fence(0, win);
		MPI_Get(&got, 1, MPI_INT, left, 1, 1, MPI_INT, win);
		MPI_Win_fence(0, win);
	}
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &left, &peer);
	MPI_Win_post(peer, 0, win);
	MPI_Group_free(&peer);
	MPI_Group_incl(world, 1, &right, &peer);
	MPI_Win_start(peer, 0, win);
	MPI_Put(&v, 1, MPI_INT, right, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	MPI_Group_free(&peer);
	MPI_Group_free(&world);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int k = 0; k < 5; k++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&v, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_lock_all(0, win);
	MPI_Fetch_and_op(&v, &got, MPI_INT, 0, 3, MPI_SUM, win);
	MPI_Win_flush(0, win);
	MPI_Compare_and_swap(&v, &zero, &got, MPI_INT, right, 0, win);
	MPI_Rput(&v, 1, MPI_INT, right, 1, 1, MPI_INT, win, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Win_flush_all(win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	return t_fini();
}
