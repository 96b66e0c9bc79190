/* Names and infos: strings with everything in them that a text format could stumble over. */
#include "t.h"

int main(int argc, char **argv)
{
	char name[MPI_MAX_OBJECT_NAME], value[64];
	int len, flag;
	MPI_Info info, copy;
	MPI_Comm comm;

	t_init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_name(comm, "a \"quoted\" \\ name,\twith {braces} # and\nlines \xc3\xa9");
	MPI_Comm_get_name(comm, name, &len);
	CHECK(strchr(name, '\n'));
	MPI_Comm_set_name(comm, "");
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value = 1; (x)");
	MPI_Info_set(info, "another key", " ");
	MPI_Info_get(info, "key", 63, value, &flag);
	CHECK(flag);
	MPI_Info_get(info, "none", 63, value, &flag);
	CHECK(!flag);
	MPI_Info_dup(info, &copy);
	MPI_Info_get_nkeys(copy, &len);
	CHECK(len == 2);
	MPI_Info_delete(copy, "key");
	MPI_Info_free(&copy);
	MPI_Info_free(&info);
	MPI_Comm_free(&comm);
	return t_fini();
}
