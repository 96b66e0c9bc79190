/* MPI is called from a static library and from a shared one of the program's own. */
#include "t.h"

int static_part(int n);
int shared_part(int n);

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	for (int i = 0; i < 10; i++) {
		CHECK(static_part(i) == i);
		CHECK(shared_part(i) == i);
	}
	return t_fini();
}
