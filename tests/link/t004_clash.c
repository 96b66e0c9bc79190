/* The program has functions and data named like those of the tracer and of what is folded into it. */
#include "t.h"

int rsd_queue_append(void)
{
	return 1;
}
int rsd_init_post(void)
{
	return 2;
}
int rsd_trace_new(void)
{
	return 3;
}
int rsd_level_start(void)
{
	return 4;
}
char rsd_funcs[3] = "no";
int ZSTD_compress(void)
{
	return 5;
}
int ZSTD_createCCtx(void)
{
	return 6;
}
int HUF_compress(void)
{
	return 7;
}
int compress_rsd(void)
{
	return 8;
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	for (int i = 0; i < 5; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	CHECK(rsd_queue_append() + rsd_init_post() + rsd_trace_new() + rsd_level_start() == 10);
	CHECK(ZSTD_compress() + ZSTD_createCCtx() + HUF_compress() + compress_rsd() == 26);
	CHECK(!strcmp(rsd_funcs, "no"));
	return t_fini();
}
