/* The smallest program: is the archive pulled in at all? */
#include "t.h"

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	return t_fini();
}
