/*
 * Tests that find a receive complete which failed, as the message was too long. That it is there the receiver knows from
 * a file, and so not in the replay, where the sender is late.
 */
#include "t.h"

#define LATE 20000

/* What the sender does before, and who tells of it after. */
static void send_late(int tag)
{
	int v[2] = { 1, 2 }, got[2];
	FILE *f;

	for (int i = 0; i < LATE; i++)
		MPI_Sendrecv(v, 2, MPI_INT, 0, 1, got, 2, MPI_INT, 0, 1, MPI_COMM_SELF,
			MPI_STATUS_IGNORE);
	MPI_Send(v, 2, MPI_INT, 0, tag, MPI_COMM_WORLD);
	f = fopen("sent", "w");
	CHECK(f && !fclose(f));
}

static void wait_for_file(void)
{
	while (unlink("sent"))
		usleep(1000);
}

static void receive(void)
{
	int got[2], flag = 0, n = 0, some[2], err;
	MPI_Request q[2];
	MPI_Status st[2];

	MPI_Irecv(&got[0], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &q[0]);
	wait_for_file();
	do
		err = MPI_Test(&q[0], &flag, st);
	while (!err && !flag);
	CHECK(err && q[0] == MPI_REQUEST_NULL);
	MPI_Barrier(MPI_COMM_WORLD);

	MPI_Irecv(&got[0], 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &q[0]);
	wait_for_file();
	do
		err = MPI_Testany(1, q, &n, &flag, st);
	while (!err && !flag);
	CHECK(err && q[0] == MPI_REQUEST_NULL);
	MPI_Barrier(MPI_COMM_WORLD);

	MPI_Irecv(&got[0], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &q[0]);
	wait_for_file();
	do
		err = MPI_Testall(1, q, &flag, st);
	while (!err && !flag);
	CHECK(err == MPI_ERR_IN_STATUS);
	MPI_Barrier(MPI_COMM_WORLD);

	MPI_Irecv(&got[0], 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &q[0]);
	wait_for_file();
	do
		err = MPI_Testsome(1, q, &n, some, st);
	while (!err && !n);
	CHECK(err == MPI_ERR_IN_STATUS);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (t_rank == 0)
		unlink("sent");
	MPI_Barrier(MPI_COMM_WORLD);
	if (t_rank == 0)
		receive();
	for (int tag = 3; t_rank == 1 && tag <= 6; tag++) {
		send_late(tag);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return t_fini();
}
