/*
 * proxies.c - bodies whose traces are hard to turn into a program: proxies BODY [STEPS]
 *
 *	orders		requests that are completed in another order than they were made, several of one value
 *	pipeline	requests of two steps are live at a time
 *	moved		an array whose requests were in two other arrays before
 *	varying		counts, loops and participants that change
 *	names		texts that are no C strings by themselves
 *	turns		a call of several loops, each with ranks of its own, and an array that differs by rank
 *	nowhere		messages of MPI_PROC_NULL, again and again; Alltoallw without other calls that have lengths
 *	failing		a call of which some fail
 *	advancing	values in turn, of which some stay, and others advance, by steps that differ by rank
 *	absent		requests of calls that are beyond a program, alone and among others
 *	lists		arrays that change, some of a call that is not complete at once
 *	weights		arrays, and constants that stand in the place of one, at one call
 *	infos		handles that are made into several variables in turn
 *	started		persistent requests of which some are beyond a program, started together
 *	cancelled	requests of which some are beyond a program, cancelled and freed at one call
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define N 6

static int rank, size;
static int buf[N][64], got[N][64];

static void orders(int steps)
{
	MPI_Request q[2 * N];

	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < N; i++) {
			MPI_Irecv(got[i], 64, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD,
				&q[N - 1 - i]);
			MPI_Isend(buf[i], 1 + s % 3, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD,
				&q[2 * N - 1 - i]);
		}
		if (s % 2) {
			for (int i = 2 * N - 1; i >= N; i--)
				MPI_Wait(&q[i], MPI_STATUS_IGNORE);
			MPI_Waitall(N, q, MPI_STATUSES_IGNORE);
		} else {
			MPI_Waitall(2 * N, q, MPI_STATUSES_IGNORE);
		}
	}
}

static void pipeline(int steps)
{
	MPI_Request q[2][2 * N];

	for (int i = 0; i < 2 * N; i++)
		q[0][i] = q[1][i] = MPI_REQUEST_NULL;
	for (int s = 0; s < steps; s++) {
		MPI_Waitall(2 * N, q[s % 2], MPI_STATUSES_IGNORE);
		for (int i = 0; i < N; i++) {
			MPI_Isend(buf[i], 2, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD,
				&q[s % 2][i]);
			MPI_Irecv(got[i], 2, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD,
				&q[s % 2][N + i]);
		}
	}
	MPI_Waitall(2 * N, q[0], MPI_STATUSES_IGNORE);
	MPI_Waitall(2 * N, q[1], MPI_STATUSES_IGNORE);
}

static void moved(int steps)
{
	MPI_Request send[N], recv[N], both[2 * N];

	for (int i = 0; i < N; i++) {
		MPI_Send_init(buf[i], 3, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &send[i]);
		MPI_Recv_init(
			got[i], 3, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &recv[i]);
	}
	for (int s = 0; s < steps; s++) {
		MPI_Startall(N, recv);
		MPI_Startall(N, send);
		for (int i = 0; i < N; i++) {
			both[2 * i] = send[i];
			both[2 * i + 1] = recv[i];
		}
		MPI_Waitall(2 * N, both, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < N; i++) {
		MPI_Request_free(&send[i]);
		MPI_Request_free(&recv[i]);
	}
}

static void varying(int steps)
{
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < (s * 7) % 5; i++) {
			MPI_Bcast(buf, 1 + s % 4 + 8 * rank - 8 * rank, MPI_INT, (s + i) % size,
				MPI_COMM_WORLD);
			if (rank % 2 == s % 2)
				MPI_Barrier(MPI_COMM_SELF);
		}
		if (s % 10 == 0)
			MPI_Allreduce(
				buf, got, 64, MPI_INT, s % 20 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
		if (rank == 0)
			MPI_Reduce(MPI_IN_PLACE, got, 16, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
		else
			MPI_Reduce(buf, NULL, 16, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	}
}

static void names(int steps)
{
	static const char *const name[] = { "a \"b\" \\c", "what??/? ??= trigraphs",
		"\xff\xfe not UTF-8 \xc3\xa4", "line\nend\t\001\x7f1", "*/ #error", "%s%n%d" };
	MPI_Info info;

	for (int s = 0; s < steps; s++) {
		MPI_Comm_set_name(MPI_COMM_WORLD, name[s % 6]);
		MPI_Info_create(&info);
		for (int i = 0; i < 6; i++)
			MPI_Info_set(info, "key", name[(i + s * s) % 6]);
		for (int i = 0; i < 6; i++)
			MPI_Info_set(info, name[i], name[5 - i]);
		MPI_Info_free(&info);
	}
}

static void turns(int steps)
{
	MPI_Group world, some;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	for (int s = 0; s < steps; s++) {
		if (rank == s % size) {
			int others[2] = { (rank + 1) % size, (rank + 2) % size };

			MPI_Group_incl(world, 2, others, &some);
			MPI_Group_free(&some);
			MPI_Barrier(MPI_COMM_SELF);
		} else {
			MPI_Barrier(MPI_COMM_SELF);
		}
	}
	MPI_Group_free(&world);
}

static void nowhere(int steps)
{
	int none[16] = { 0 };
	MPI_Datatype types[16];
	MPI_Message message;
	MPI_Request q;

	for (int i = 0; i < 16; i++)
		types[i] = MPI_INT;
	for (int s = 0; s < steps; s++) {
		MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
		MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Imrecv(got, 1, MPI_INT, &message, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Alltoallw(buf, none, none, types, got, none, none, types, MPI_COMM_WORLD);
	}
}

static void failing(int steps)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int s = 0; s < steps; s++)
		MPI_Send(buf, 1, MPI_INT, s % 3 == 1 ? size : MPI_PROC_NULL, s, MPI_COMM_WORLD);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void advancing(int steps)
{
	for (int s = 0; s < steps; s++) {
		int tags[4] = { 7, s, 3, 100 + s * (rank + 1) };

		for (int i = 0; i < 4; i++)
			MPI_Send(
				buf, tags[i] % 64, MPI_INT, MPI_PROC_NULL, tags[i], MPI_COMM_WORLD);
	}
}

static void absent(int steps)
{
	MPI_Request q[2], alone;
	MPI_Win win;

	MPI_Win_create(got, sizeof(got), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	for (int s = 0; s < steps; s++) {
		MPI_Irecv(buf[1], 1, MPI_INT, MPI_PROC_NULL, s, MPI_COMM_WORLD, &q[0]);
		MPI_Rput(buf, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		MPI_Rput(buf, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &alone);
		MPI_Wait(&alone, MPI_STATUS_IGNORE);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

/* At MPI_BOTTOM: that is an address of this program. */
static void started(int steps)
{
	MPI_Request q[3];
	MPI_Aint at;
	MPI_Datatype type;

	MPI_Get_address(got, &at);
	MPI_Type_create_hindexed(1, (int[]){ 1 }, &at, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Recv_init(buf[1], 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Recv_init(MPI_BOTTOM, 1, type, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &q[1]);
	MPI_Recv_init(buf[2], 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &q[2]);
	for (int s = 0; s < steps; s++) {
		MPI_Startall(3 - s % 2, q + s % 2);
		MPI_Send(buf[3], 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
		MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < 3; i++)
		MPI_Request_free(&q[i]);
	MPI_Type_free(&type);
}

static void lists(int steps)
{
	int counts[16] = { 0 }, displs[16] = { 0 }, lengths[8], at[8];
	MPI_Datatype type;
	MPI_Request q[2];

	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < size; i++) {
			counts[i] = 1 + (s * (i + 1)) % 3;
			displs[i] = 4 * i;
		}
		MPI_Iallgatherv(buf, counts[rank], MPI_INT, got, counts, displs, MPI_INT,
			MPI_COMM_WORLD, &q[0]);
		MPI_Ialltoallv(buf, counts, displs, MPI_CHAR, got, counts, displs, MPI_CHAR,
			MPI_COMM_SELF, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 2 + s % 4; i++) {
			lengths[i] = 1 + i;
			at[i] = 8 * i + s % 2;
		}
		MPI_Type_indexed(2 + s % 4, lengths, at, MPI_INT, &type);
		MPI_Type_commit(&type);
		MPI_Sendrecv(buf, 1, type, (rank + 1) % size, 3, got, 1, type,
			MPI_ANY_SOURCE == rank ? 0 : (rank + size - 1) % size, 3, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		MPI_Type_free(&type);
	}
}

/* Given, and asked for: a list, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY. */
static void weights(int steps)
{
	for (int s = 0; s < steps; s++) {
		int before = (rank + size - 1) % size, after = (rank + 1) % size, nr = s % 3 != 1;
		int in[1], out[1], got_in[1], got_out[1], weight[1] = { s };
		int *given = s % 3 == 0 ? MPI_UNWEIGHTED : s % 3 == 1 ? MPI_WEIGHTS_EMPTY : weight;
		MPI_Comm comm;

		MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, nr, &before, given, nr, &after,
			given, MPI_INFO_NULL, 0, &comm);
		MPI_Dist_graph_neighbors(comm, nr, in, s % 3 == 0 ? MPI_UNWEIGHTED : got_in, nr,
			out, s % 3 == 0 ? MPI_UNWEIGHTED : got_out);
		MPI_Comm_free(&comm);
	}
}

static void infos(int steps)
{
	MPI_Info info[2];
	int nr;

	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < 2; i++)
			MPI_Comm_get_info(i ? MPI_COMM_SELF : MPI_COMM_WORLD, &info[i]);
		for (int i = 0; i < 2; i++)
			MPI_Info_get_nkeys(info[i], &nr);
		for (int i = 0; i < 2; i++)
			MPI_Info_free(&info[i]);
	}
}

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_cancelled(status, 1);
	return MPI_SUCCESS;
}

static int nothing_to_free(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

static void cancelled(int steps)
{
	MPI_Request q;

	for (int s = 0; s < steps; s++) {
		bool own = s % 3 != 0;

		if (own)
			MPI_Grequest_start(query, nothing_to_free, cancel, NULL, &q);
		else
			MPI_Irecv(got, 1, MPI_INT, 0, 99, MPI_COMM_SELF, &q);
		MPI_Cancel(&q);
		if (own)
			MPI_Grequest_complete(q);
		if (s % 2)
			MPI_Wait(&q, MPI_STATUS_IGNORE);
		else
			MPI_Request_free(&q);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int steps);
	} body[] = { { "orders", orders }, { "pipeline", pipeline }, { "moved", moved },
		{ "varying", varying }, { "names", names }, { "turns", turns },
		{ "nowhere", nowhere }, { "advancing", advancing }, { "failing", failing },
		{ "absent", absent }, { "started", started }, { "lists", lists },
		{ "weights", weights }, { "infos", infos }, { "cancelled", cancelled } };
	bool known = false;
	int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof(body) / sizeof(body[0]); i++) {
		if (argc < 2 || !strcmp(argv[1], body[i].name)) {
			body[i].run(steps);
			known = true;
		}
	}
	MPI_Finalize();
	return known ? 0 : 2;
}
