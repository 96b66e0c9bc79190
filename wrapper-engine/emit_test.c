/*
 * emit_test.c - programs that prove the wrappers: one that calls every function,
 * and one in which each wrapper must reach its own twin and no other
 */
#include "emit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "resolve.h"
#include "util.h"

void rsd_emit_alltest(struct model *m, struct out *o, bool record)
{
	rsd_out(o, "/* Made by wrapper-engine: calls every function, if ever it got that many "
		   "arguments. */\n");
	rsd_out(o, "#include <mpi.h>\n\n");
	rsd_out(o, "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n");
	rsd_out(o, "int main(int argc, char **argv)\n{\n\t(void)argv;\n\tif (argc < "
		   "1000)\n\t\treturn 0;\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		const struct func *f = m->funcs.item[i];

		if (!rsd_is_wrapped(f, record))
			continue;
		rsd_out(o, "\t(void)%s(", f->name);
		for (size_t k = 0; k < f->params.nr; k++)
			rsd_out(o, k ? ", 0" : "0");
		rsd_out(o, ");\n");
	}
	rsd_out(o, "\treturn 1;\n}\n");
}

/* ---- twins ------------------------------------------------------------------------ */

static bool add_name(struct list *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->item[i], name))
			return false;
	rsd_list_add(names, (void *)name);
	return true;
}

/*
 * Whatever the wrappers call of the runtime gets a stand-in, and so does what a
 * macro of that name may call: rsd_x is rsd_x_at where it needs its caller.
 */
static void put_runtime(struct model *m, struct out *o, const struct out *wrappers)
{
	struct list names = { NULL, 0, 0 };
	const char *s = wrappers->text, *end = s + wrappers->len;

	while (s && s < end) {
		size_t len = 0;

		while (s + len < end && (isalnum((unsigned char)s[len]) || s[len] == '_'))
			len++;
		if (len > 4 && !strncmp(s, "rsd_", 4) && s[len] == '(')
			add_name(&names, rsd_model_string(m, s, len));
		s += len ? len : 1;
	}
	for (size_t i = 0; i < names.nr; i++) {
		const char *name = names.item[i];

		if (!strcmp(name, "rsd_call_begin") || !strcmp(name, "rsd_call_start"))
			rsd_out(o, "_Bool %s_at(void);\n_Bool %s_at(void) { return followed; }\n",
				name, name);
		else
			rsd_out(o,
				"long %s(void);\nlong %s(void) { return 0; }\n"
				"long %s_at(void);\nlong %s_at(void) { return 0; }\n",
				name, name, name, name);
	}
	free(names.item);
}

static void put_fake(struct model *m, struct out *o, const struct func *f, size_t index)
{
	(void)m;
	rsd_out(o, "%sP%s(", f->ret.before, f->name);
	rsd_out_params(o, f);
	rsd_out(o, ")\n{\n\tnote(%zu);\n\treturn 0;\n}\n", index);
}

static void put_test(struct model *m, struct out *o, const struct func *f, size_t index)
{
	rsd_out(o, "\tcalled = 0;\n\t(void)%s(", f->name);
	for (size_t k = 0; k < f->params.nr; k++) {
		const struct param *p = f->params.item[k];

		rsd_out(o, "%s%s", k ? ", " : "",
			p->type.depth && !rsd_type_callback(&m->spec, &p->type) ? "zero" : "0");
	}
	rsd_out(o, ");\n\tcheck(%zu, \"%s\");\n", index, f->name);
}

void rsd_emit_twins(struct model *m, struct out *o, const struct out *wrappers, bool record)
{
	rsd_out(o, "/*\n * Made by wrapper-engine: every wrapper is called with stand-ins for MPI "
		   "and the runtime;\n"
		   " * it must call its own PMPI twin once, and no other.\n */\n");
	rsd_out(o, "#include <stdio.h>\n#include <mpi.h>\n\n");
	rsd_out(o, "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n");
	rsd_out(o, "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n\n");
	rsd_out(o, "static int called, last, failed, checked;\n");
	if (record)
		rsd_out(o, "static _Bool followed;\n");
	rsd_out(o, "static char zeros[1 << 16];\nstatic void *const zero = zeros + (1 << 15);\n\n"
		   "static void note(int index)\n{\n\tcalled++;\n\tlast = index;\n}\n\n"
		   "static void check(int index, const char *name)\n{\n\tchecked++;\n"
		   "\tif (called == 1 && last == index)\n\t\treturn;\n\tfailed++;\n"
		   "\tprintf(\"%%s: %%d calls, the last of number %%d, not once %%d\\n\", name, "
		   "called, last, index);\n}\n\n");
	put_runtime(m, o, wrappers);
	for (size_t i = 0; i < m->funcs.nr; i++)
		if (rsd_is_wrapped(m->funcs.item[i], record))
			put_fake(m, o, m->funcs.item[i], i);
	rsd_out(o, "\nstatic void call_all(void)\n{\n");
	for (size_t i = 0; i < m->funcs.nr; i++)
		if (rsd_is_wrapped(m->funcs.item[i], record))
			put_test(m, o, m->funcs.item[i], i);
	rsd_out(o, "}\n\nint main(void)\n{\n\tcall_all();\n");
	if (record)
		rsd_out(o, "\tfollowed = 1;\n\tcall_all();\n");
	rsd_out(o,
		"\tprintf(\"%%d wrappers checked, %%d wrong\\n\", checked%s, failed);\n\treturn "
		"failed != 0;\n}\n",
		record ? " / 2" : "");
}
