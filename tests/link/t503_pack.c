/* Packing, and taking a type apart again. */
#include "t.h"

int main(int argc, char **argv)
{
	char buf[256];
	int v[3] = { 1, 2, 3 }, pos = 0, ni, na, nt, combiner, ints[8];
	MPI_Aint at[4], lb, extent, epos = 0;
	MPI_Datatype vec, types[4];

	t_init(&argc, &argv);
	for (int k = 0; k < 10; k++) {
		pos = 0;
		MPI_Pack(v, 3, MPI_INT, buf, sizeof(buf), &pos, MPI_COMM_WORLD);
		MPI_Pack(v, 1, MPI_INT, buf, sizeof(buf), &pos, MPI_COMM_WORLD);
		CHECK(pos == 16);
		pos = 0;
		MPI_Unpack(buf, sizeof(buf), &pos, v, 3, MPI_INT, MPI_COMM_WORLD);
	}
	MPI_Pack_size(4, MPI_INT, MPI_COMM_WORLD, &ni);
	epos = 4;
	MPI_Pack_external("external32", v, 3, MPI_INT, buf, sizeof(buf), &epos);
	CHECK(epos == 16);
	MPI_Type_vector(3, 2, 5, MPI_INT, &vec);
	MPI_Type_get_envelope(vec, &ni, &na, &nt, &combiner);
	CHECK(combiner == MPI_COMBINER_VECTOR && ni == 3 && na == 0 && nt == 1);
	MPI_Type_get_contents(vec, ni, na, nt, ints, at, types);
	CHECK(ints[2] == 5 && types[0] == MPI_INT);
	MPI_Type_get_extent(vec, &lb, &extent);
	MPI_Type_free(&vec);
	return t_fini();
}
