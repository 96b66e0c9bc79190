/*
 * callbacks.c - functions that stand for the callbacks of the traced program
 */
#include "call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "util.h"

/* ---- callbacks ---------------------------------------------------------------------------------------------- */

static const struct {
	const char *type, *ret, *params, *body;
} stand_in[] = {
	{ "MPI_User_function", "void", "void *in, void *inout, int *len, MPI_Datatype *type", "" },
	{ "MPI_User_function_c", "void",
		"void *in, void *inout, MPI_Count *len, MPI_Datatype *type", "" },
	{ "MPI_Comm_copy_attr_function", "int",
		"MPI_Comm c, int key, void *extra, void *from, void *to, int *flag",
		"\t*(void **)to = from;\n\t*flag = 1;\n\treturn MPI_SUCCESS;\n" },
	{ "MPI_Comm_delete_attr_function", "int", "MPI_Comm c, int key, void *value, void *extra",
		"\treturn MPI_SUCCESS;\n" },
	{ "MPI_Type_copy_attr_function", "int",
		"MPI_Datatype t, int key, void *extra, void *from, void *to, int *flag",
		"\t*(void **)to = from;\n\t*flag = 1;\n\treturn MPI_SUCCESS;\n" },
	{ "MPI_Type_delete_attr_function", "int",
		"MPI_Datatype t, int key, void *value, void *extra", "\treturn MPI_SUCCESS;\n" },
	{ "MPI_Comm_errhandler_function", "void", "MPI_Comm *c, int *code, ...", "" },
};

static int find_stand_in(const char *type)
{
	static const char *const older[][2] = {
		{ "MPI_Copy_function", "MPI_Comm_copy_attr_function" },
		{ "MPI_Delete_function", "MPI_Comm_delete_attr_function" },
		{ "MPI_Handler_function", "MPI_Comm_errhandler_function" },
	};

	for (size_t i = 0; i < RSD_ARRAY_SIZE(older); i++) {
		if (!strcmp(older[i][0], type))
			type = older[i][1];
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(stand_in); i++) {
		if (!strcmp(stand_in[i].type, type))
			return (int)i;
	}
	return -1;
}

bool cg_has_stand_in(const char *type)
{
	return find_stand_in(type) >= 0;
}

void cg_make_function(struct cg_call *c, int i)
{
	struct cg_column_of col = cg_param_column(c, i, 0);
	struct rsd_buf *names = &c->cg->function_names;
	int k = find_stand_in(c->p->proto->param[i].type);
	char name[96];
	int64_t v = 0;

	cg_constant(c->cg, &col, c->n, &v);
	if (rsd_is_const(v)) {
		cg_value(c->cg, &col, false, v, &c->arg[i].text);
		return;
	}
	snprintf(name, sizeof(name), "callback_%d_%" PRId64, k, v);
	cg_arg_set(&c->arg[i], name);
	rsd_buf_printf(names, " ");
	if (strstr(cg_text_of(names), name))
		return;
	rsd_buf_printf(names, "%s ", name);
	/* Equal functions may be given one address, by which a tracer tells them apart. */
	rsd_buf_printf(&c->cg->functions,
		"static %s %s(%s)\n{\n\tstatic volatile int called;\n\n\tcalled = %d * 1000 + "
		"(int)%" PRId64 ";\n\t(void)called;\n%s}\n\n",
		stand_in[k].ret, name, stand_in[k].params, k, v, stand_in[k].body);
}
