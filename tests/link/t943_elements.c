/* How much was received, asked in whole elements and in basic ones, of datatypes that hold several. */
#include "t.h"

static MPI_Datatype pair, padded;

static void ask(int bytes)
{
	char out[256] = { 0 }, in[256];
	MPI_Datatype type[] = { MPI_BYTE, MPI_INT, MPI_DOUBLE_INT, pair, padded };
	MPI_Status st;
	MPI_Count many;
	int n;

	MPI_Sendrecv(
		out, bytes, MPI_BYTE, t_rank, 0, in, 256, MPI_BYTE, t_rank, 0, MPI_COMM_WORLD, &st);
	for (unsigned i = 0; i < sizeof(type) / sizeof(type[0]); i++) {
		MPI_Get_count(&st, type[i], &n);
		MPI_Get_elements(&st, type[i], &n);
		MPI_Get_elements_x(&st, type[i], &many);
		CHECK(many == n);
	}
}

/* As many as a number of them can be. */
static void ask_for_most(void)
{
	const MPI_Count most = 0x7654321076543210;
	MPI_Count many;
	MPI_Status st;
	int n;

	memset(&st, 0, sizeof(st));
	MPI_Status_set_elements_x(&st, MPI_BYTE, most);
	MPI_Get_elements_x(&st, MPI_BYTE, &many);
	CHECK(many == most);
	/* More than an int holds: of a type of one byte no other number is MPI_UNDEFINED. */
	MPI_Get_count(&st, MPI_BYTE, &n);
	CHECK(n == MPI_UNDEFINED);
	MPI_Get_elements(&st, MPI_BYTE, &n);
	CHECK(n == MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
	MPI_Aint at[] = { 0, 8 };
	MPI_Datatype of[] = { MPI_CHAR, MPI_DOUBLE };
	int len[] = { 3, 2 };
	static const int bytes[] = { 0, 3, 4, 12, 19, 24, 38, 42, 57, 240 };

	t_init(&argc, &argv);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Type_create_struct(2, len, at, of, &padded);
	MPI_Type_commit(&padded);
	for (int i = 0; i < 10; i++)
		ask(bytes[i]);
	ask_for_most();
	MPI_Type_free(&pair);
	MPI_Type_free(&padded);
	return t_fini();
}
