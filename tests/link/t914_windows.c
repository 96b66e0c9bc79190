/* One-sided communication where t601 does not go: other windows, other ways to wait. */
#include "t.h"

static int right, left, v = 1, got, zero;

/* Memory that comes and goes; its addresses are the other rank's, and differ from run to run. */
static void dynamic(void)
{
	int *mem[2];
	MPI_Aint mine[2], theirs[2];
	MPI_Win win;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int k = 0; k < 4; k++) {
		for (int i = 0; i < 2; i++) {
			MPI_Alloc_mem(64, MPI_INFO_NULL, &mem[i]);
			MPI_Win_attach(win, mem[i], 64);
			MPI_Get_address(mem[i], &mine[i]);
		}
		MPI_Sendrecv(mine, 2, MPI_AINT, left, 1, theirs, 2, MPI_AINT, right, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_fence(0, win);
		MPI_Put(&v, 1, MPI_INT, right, MPI_Aint_add(theirs[0], 4), 1, MPI_INT, win);
		MPI_Get(&got, 1, MPI_INT, right, theirs[1], 1, MPI_INT, win);
		MPI_Win_fence(0, win);
		for (int i = 0; i < 2; i++) {
			MPI_Win_detach(win, mem[i]);
			MPI_Free_mem(mem[i]);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_free(&win);
}

static void shared(void)
{
	int *base, *peer, unit;
	MPI_Aint size;
	MPI_Comm node;
	MPI_Win win;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, node, &base, &win);
	MPI_Win_shared_query(win, 0, &size, &unit, &peer);
	CHECK(size == 16 && unit == 4);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	for (int k = 0; k < 3; k++) {
		base[0] = k;
		MPI_Win_sync(win);
		MPI_Barrier(node);
		MPI_Win_sync(win);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Comm_free(&node);
}

static void locks(MPI_Win win)
{
	MPI_Request q[4];

	for (int k = 0; k < 5; k++) {
		MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
		MPI_Rput(&v, 1, MPI_INT, right, 1, 1, MPI_INT, win, &q[0]);
		MPI_Rget(&got, 1, MPI_INT, right, 2, 1, MPI_INT, win, &q[1]);
		MPI_Raccumulate(&v, 1, MPI_INT, right, 3, 1, MPI_INT, MPI_SUM, win, &q[2]);
		MPI_Rget_accumulate(&v, 1, MPI_INT, &got, 1, MPI_INT, right, 3, 1, MPI_INT,
			MPI_REPLACE, win, &q[3]);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		MPI_Win_flush_local(right, win);
		MPI_Get_accumulate(
			&zero, 0, MPI_INT, &got, 1, MPI_INT, right, 3, 1, MPI_INT, MPI_NO_OP, win);
		MPI_Win_flush_local_all(win);
		MPI_Win_flush(right, win);
		MPI_Win_unlock(right, win);
	}
}

/* Post and start, the end of the exposure asked for; which takes a while. */
static void asked(MPI_Win win)
{
	MPI_Group world, from, to;
	int flag = 0;

	MPI_Win_get_group(win, &world);
	MPI_Group_incl(world, 1, &left, &from);
	MPI_Group_incl(world, 1, &right, &to);
	for (int k = 0; k < 4; k++) {
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		usleep(300 * ((t_rank + k) % 3));
		MPI_Accumulate(&v, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_BXOR, win);
		MPI_Win_complete(win);
		do
			MPI_Win_test(win, &flag);
		while (!flag && !usleep(20));
	}
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
	static int mem[8];
	char name[MPI_MAX_OBJECT_NAME];
	int len;
	MPI_Win win;
	MPI_Info info;

	t_init(&argc, &argv);
	right = (t_rank + 1) % t_size;
	left = (t_rank + t_size - 1) % t_size;
	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "false");
	MPI_Win_create(
		mem, t_rank == 1 ? 16 : sizeof(mem), sizeof(int), info, MPI_COMM_WORLD, &win);
	MPI_Info_free(&info);
	MPI_Win_set_name(win, "eight");
	MPI_Win_get_name(win, name, &len);
	CHECK(len == 5);
	locks(win);
	MPI_Barrier(MPI_COMM_WORLD);
	asked(win);
	MPI_Win_free(&win);
	dynamic();
	shared();
	return t_fini();
}
