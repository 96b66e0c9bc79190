/* Error classes and codes of the program's own: each keeps its number, and its text. */
#include "t.h"

static int seen[5], nr_seen;

static void note(MPI_Comm *comm, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	(void)comm;
	MPI_Error_string(*code, text, &len);
	seen[nr_seen++] = *code;
}

static void text_is(int code, const char *expected)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	MPI_Error_string(code, text, &len);
	CHECK(!strcmp(text, expected));
}

int main(int argc, char **argv)
{
	int class, code[4], of;
	MPI_Errhandler handler;

	t_init(&argc, &argv);
	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code[0]);
	MPI_Add_error_code(class, &code[1]);
	MPI_Add_error_code(MPI_ERR_ARG, &code[2]); /* of a class of MPI's */
	MPI_Add_error_code(MPI_ERR_ARG, &code[3]);
	MPI_Add_error_string(class, "the class");
	MPI_Add_error_string(code[0], "its code");
	MPI_Add_error_string(code[1], "another code");
	text_is(class, "the class");
	text_is(code[0], "its code");
	text_is(code[1], "another code");
	MPI_Error_class(code[2], &of);
	CHECK(of == MPI_ERR_ARG && code[2] != MPI_ERR_ARG && code[3] != code[2]);
	MPI_Error_class(code[0], &of);
	CHECK(of == class);
	MPI_Error_class(code[1], &of);
	CHECK(of == class);
	MPI_Comm_create_errhandler(note, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	MPI_Errhandler_free(&handler);
	MPI_Comm_call_errhandler(MPI_COMM_SELF, class);
	for (int i = 0; i < 4; i++)
		MPI_Comm_call_errhandler(MPI_COMM_SELF, code[i]);
	CHECK(nr_seen == 5 && seen[0] == class);
	for (int i = 0; i < 4; i++)
		CHECK(seen[1 + i] == code[i]);
	return t_fini();
}
