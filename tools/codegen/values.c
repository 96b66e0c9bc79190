/*
 * values.c - a single value of the trace as C: numbers, handles, texts
 */
#include "columns.h"

#include <inttypes.h>
#include <string.h>
#include "util.h"

static const struct {
	int role;
	const char *name, *type, *null;
} handles[] = {
	{ RSD_R_COMM, "comm", "MPI_Comm", "MPI_COMM_NULL" },
	{ RSD_R_DATATYPE, "type", "MPI_Datatype", "MPI_DATATYPE_NULL" },
	{ RSD_R_OP, "op", "MPI_Op", "MPI_OP_NULL" },
	{ RSD_R_GROUP, "group", "MPI_Group", "MPI_GROUP_NULL" },
	{ RSD_R_WIN, "win", "MPI_Win", "MPI_WIN_NULL" },
	{ RSD_R_FILE, "file", "MPI_File", "MPI_FILE_NULL" },
	{ RSD_R_INFO, "info", "MPI_Info", "MPI_INFO_NULL" },
	{ RSD_R_ERRHANDLER, "errhandler", "MPI_Errhandler", "MPI_ERRHANDLER_NULL" },
	{ RSD_R_MESSAGE, "message", "MPI_Message", "MPI_MESSAGE_NULL" },
	{ RSD_R_SESSION, "session", "MPI_Session", "MPI_SESSION_NULL" },
	{ RSD_R_KEYVAL, "keyval", "int", "MPI_KEYVAL_INVALID" },
};

static int handle_index(int role)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(handles); i++) {
		if (handles[i].role == role)
			return (int)i;
	}
	return -1;
}

const char *cg_handle(int role)
{
	return handle_index(role) < 0 ? NULL : handles[handle_index(role)].name;
}

const char *cg_handle_type(int role)
{
	return handle_index(role) < 0 ? NULL : handles[handle_index(role)].type;
}

const char *cg_handle_null(int role)
{
	return handle_index(role) < 0 ? NULL : handles[handle_index(role)].null;
}

void cg_string(const char *s, size_t len, struct rsd_buf *out)
{
	rsd_buf_put_byte(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* Three octal digits end there, whatever comes next; a '?' could begin a trigraph. */
		if (c < 32 || c > 126)
			rsd_buf_printf(out, "\\%03o", c);
		else if (c == '"' || c == '\\' || c == '?')
			rsd_buf_printf(out, "\\%c", c);
		else
			rsd_buf_put_byte(out, c);
	}
	rsd_buf_put_byte(out, '"');
}

void cg_comment(const char *s, struct rsd_buf *out)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		rsd_buf_put_byte(out, c < 32 || c > 126 || c == '?' || c == '\\' ||
						      (c == '/' && (s[1] == '*' || s[1] == '/')) ||
						      (c == '*' && s[1] == '/')
					      ? '_'
					      : c);
	}
}

const char *cg_constant_name(const struct cg *cg, int64_t v)
{
	int i = rsd_const_index(v);

	return (size_t)i < cg->t->nr_constants && cg->t->constant[i] ? cg->t->constant[i] : "0";
}

/* What is not significant: anything that is harmless. */
static const char *absent_value(const struct cg_column_of *c)
{
	if (c->role == RSD_R_DATATYPE)
		return "MPI_BYTE";
	return c->role == RSD_R_STRING	 ? "\"\""
	       : c->own			 ? c->own
	       : cg_handle_null(c->role) ? cg_handle_null(c->role)
					 : "0";
}

void cg_need_slots(struct cg *cg, int role, int64_t nr)
{
	if (cg->slots[role] < nr)
		cg->slots[role] = nr;
}

/* Of a variable's number, or of a handle in a table. */
static void put_index(struct cg *cg, const struct cg_column_of *c, int64_t v, struct rsd_buf *out)
{
	if (c->role == RSD_R_REQUEST) {
		if (rsd_is_const(v))
			rsd_buf_printf(out, "NO_REQUEST");
		else
			rsd_buf_put_decimal(out, v);
		return;
	}
	if (!rsd_is_const(v)) {
		cg_need_slots(cg, c->role, v + 1);
		rsd_buf_put_decimal(out, v);
		return;
	}
	cg->named[rsd_const_index(v) * RSD_NR_ROLES + c->role] = true;
	cg_need_slots(cg, c->role, 1);
	rsd_buf_printf(out, "AT_%s%s", v == RSD_ABSENT ? "NO_" : "",
		v == RSD_ABSENT ? cg_handle(c->role) : cg_constant_name(cg, v));
}

static void put_string_value(const struct cg *cg, int64_t v, struct rsd_buf *out)
{
	if (v < 0 || (uint64_t)v >= cg->t->strings.nr)
		rsd_buf_printf(out, "\"\"");
	else
		cg_string(cg->t->strings.str[v].s, cg->t->strings.str[v].len, out);
}

static void put_relative(
	struct cg *cg, const struct cg_column_of *c, int64_t v, struct rsd_buf *out)
{
	if (c->comm && strcmp(c->comm, "MPI_COMM_WORLD")) {
		cg_need(cg, CG_PEER);
		rsd_buf_printf(out, "peer(%s, %" PRId64 ")", c->comm, v);
	} else if (v == 0) {
		rsd_buf_printf(out, "rank");
	} else if (v == cg->t->nprocs - 1) {
		rsd_buf_printf(out, "(rank + size - 1) %% size");
	} else {
		rsd_buf_printf(out, "(rank + %" PRId64 ") %% size", v);
	}
}

int64_t cg_instead(int64_t constant)
{
	return -1 - (int64_t)rsd_const_index(constant);
}

void cg_value(
	struct cg *cg, const struct cg_column_of *c, bool relative, int64_t v, struct rsd_buf *out)
{
	if (c->index || c->role == RSD_R_REQUEST) {
		put_index(cg, c, v, out);
	} else if (c->own && !rsd_is_const(v)) {
		rsd_buf_printf(out, "%s", c->own);
	} else if (v == RSD_ABSENT) {
		rsd_buf_printf(out, "%s", absent_value(c));
	} else if (rsd_is_const(v) && c->length) {
		rsd_buf_put_decimal(out, cg_instead(v));
	} else if (rsd_is_const(v)) {
		rsd_buf_printf(out, "%s", cg_constant_name(cg, v));
	} else if (cg_handle(c->role)) {
		cg_need_slots(cg, c->role, v + 1);
		rsd_buf_printf(out, "%s[%" PRId64 "]", cg_handle(c->role), v);
	} else if (c->role == RSD_R_STRING) {
		put_string_value(cg, v, out);
	} else if (relative) {
		put_relative(cg, c, v, out);
	} else {
		rsd_buf_put_decimal(out, v);
	}
}
