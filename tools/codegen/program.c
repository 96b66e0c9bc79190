/*
 * program.c - the program as a whole: loops, participants, variables, and what it says about itself
 */
#include "codegen.h"

#include <inttypes.h>
#include <string.h>
#include "tool.h"
#include "util.h"

void cg_indent(struct cg *cg)
{
	for (int i = 0; i < cg->depth; i++)
		rsd_buf_put_byte(&cg->body, '\t');
}

/* ---- nodes ------------------------------------------------------------------------------- */

static bool is_call(const struct cg *cg, const struct rsd_node *n, const char *name)
{
	return !strcmp(cg->t->func[cg->t->place[n->place].func].name, name);
}

static void put_comment(struct cg *cg, const char *what, const struct rsd_node *n)
{
	cg_indent(cg);
	rsd_buf_printf(&cg->body, "/* ");
	rsd_buf_printf(&cg->body, "%s", what);
	cg_comment(cg->t->func[cg->t->place[n->place].func].name, &cg->body);
}

static void put_event(struct cg *cg, const struct rsd_node *n)
{
	const struct cg_place *p = &cg->place[n->place];
	const char *undecided;

	if (p->why_not) {
		put_comment(cg, "not here: ", n);
		rsd_buf_printf(&cg->body, ", %" PRIu64 " call%s: %s */\n", p->calls,
			p->calls == 1 ? "" : "s", p->why_not);
		return;
	}
	undecided = cg_undecided(cg, n->place);
	if (undecided) {
		cg_indent(cg);
		rsd_buf_printf(&cg->body, "/* MPI decides %s */\n", undecided);
	}
	if (is_call(cg, n, "MPI_Finalize"))
		cg->ended = true;
	cg_call(cg, n);
	if (is_call(cg, n, "MPI_Init") || is_call(cg, n, "MPI_Init_thread")) {
		cg->begun = true;
		cg_indent(cg);
		rsd_buf_printf(&cg->body, "begin();\n");
	}
}

static void open_loop(struct cg *cg, const struct rsd_node *n)
{
	struct rsd_buf count = RSD_BUF_INIT, name = RSD_BUF_INIT;
	int depth = 0;

	for (const struct rsd_node *l = n->parent; l; l = l->parent)
		depth++;
	cg_loop_name(depth, &name);
	cg_count(cg, n, &count);
	rsd_buf_put_byte(&count, '\0');
	rsd_buf_put_byte(&name, '\0');
	if (count.err || name.err)
		cg_nomem();
	cg_indent(cg);
	/* A count that has to be taken is taken once. */
	if (strchr((char *)count.data, '('))
		rsd_buf_printf(&cg->body,
			"for (long long %s = 0, end_%s = %s; %s < end_%s; %s++) {\n", name.data,
			name.data, count.data, name.data, name.data, name.data);
	else
		rsd_buf_printf(&cg->body,
			strspn((char *)count.data, "0123456789") == strlen((char *)count.data) &&
					count.len < 10
				? "for (int %s = 0; %s < %s; %s++) {\n"
				: "for (long long %s = 0; %s < (%s); %s++) {\n",
			name.data, name.data, count.data, name.data);
	cg->depth++;
	rsd_buf_release(&count);
	rsd_buf_release(&name);
}

static void close_block(struct cg *cg)
{
	cg->depth--;
	cg_indent(cg);
	rsd_buf_printf(&cg->body, "}\n");
}

static bool same_ranks(const struct rsd_ranks *a, const struct rsd_ranks *b)
{
	return a == b || (a && b && rsd_ranks_equal(a, b));
}

/* Opens a block for those who take part in 'n', unless the node before it has done so. */
static void open_ranks(struct cg *cg, const struct rsd_node *n)
{
	struct rsd_buf cond = RSD_BUF_INIT;

	if (!n->ranks || (n->prev && same_ranks(n->prev->ranks, n->ranks)))
		return;
	cg_condition(cg, n->ranks, rsd_node_ranks(cg->t, n->parent), &cond);
	cg_indent(cg);
	rsd_buf_printf(&cg->body, "if (%.*s) {\n", cond.len ? (int)cond.len : 9,
		cond.len ? (char *)cond.data : "rank >= 0");
	cg->depth++;
	rsd_buf_release(&cond);
}

static void close_ranks(struct cg *cg, const struct rsd_node *n)
{
	if (n->ranks && !(n->next && same_ranks(n->next->ranks, n->ranks)))
		close_block(cg);
}

static void put_nodes(struct cg *cg, const struct rsd_node *n)
{
	while (n) {
		open_ranks(cg, n);
		if (n->place >= 0) {
			put_event(cg, n);
		} else {
			open_loop(cg, n);
			if (n->first) {
				n = n->first;
				continue;
			}
			close_block(cg);
		}
		close_ranks(cg, n);
		while (n && !n->next) {
			n = n->parent;
			if (n) {
				close_block(cg);
				close_ranks(cg, n);
			}
		}
		if (n)
			n = n->next;
	}
}

/* ---- the head -------------------------------------------------------------------------------- */

static void put_list(const struct cg *cg, bool undecided, const char *title, struct rsd_buf *out)
{
	bool any = false;

	for (size_t i = 0; i < cg->t->nr_places; i++)
		cg->place[i].listed = false;
	for (size_t i = 0; i < cg->t->nr_places; i++) {
		const char *why = undecided ? cg->place[i].why_not ? NULL : cg_undecided(cg, (int)i)
					    : cg->place[i].why_not;
		int func = cg->t->place[i].func;
		uint64_t calls = 0;

		if (!why || cg->place[i].listed)
			continue;
		for (size_t k = i; k < cg->t->nr_places; k++) {
			const char *other =
				undecided ? cg->place[k].why_not ? NULL : cg_undecided(cg, (int)k)
					  : cg->place[k].why_not;

			if (cg->t->place[k].func != func || !other || strcmp(other, why))
				continue;
			cg->place[k].listed = true;
			calls += cg->place[k].calls;
		}
		if (!any)
			rsd_buf_printf(out, " *\n * %s\n", title);
		any = true;
		rsd_buf_printf(out, " *\t");
		cg_comment(cg->t->func[func].name, out);
		rsd_buf_printf(
			out, ": %" PRIu64 " call%s: %s\n", calls, calls == 1 ? "" : "s", why);
	}
}

static void put_head(const struct cg *cg, struct rsd_buf *out)
{
	const char *name = rsd_base_name(cg->path);
	const char *drawn = rsd_trace_get_meta(cg->t, RSD_META_DRAWN);
	const char *calls = rsd_tool_not_recorded(cg->t);

	rsd_buf_printf(out, "/*\n * Made by rsd codegen from ");
	cg_comment(name, out);
	rsd_buf_printf(out,
		": makes the MPI calls of that run, without its computation.\n *\n"
		" *\tmpicc -o proxy THIS.c && mpiexec -n %d ./proxy\n *\n"
		" * Loops are those of the trace. Requests are in the variables in which calls "
		"find them in a\n"
		" * row; other handles have the trace's numbers: comm[2] is what 'rsd print' shows "
		"as comm2.\n",
		cg->t->nprocs);
	if (drawn) {
		rsd_buf_printf(out, " *\n * The trace is lossy; drawn from histograms are: ");
		cg_comment(drawn, out);
		rsd_buf_put_byte(out, '\n');
	}
	if (calls) {
		rsd_buf_printf(out, " *\n * What was not recorded is not in it: calls ");
		cg_comment(calls, out);
		rsd_buf_printf(out, " (RECORD_CALLS)\n");
	}
	put_list(cg, false, "Not in this program:", out);
	put_list(cg, true, "What MPI decides may come out otherwise here than in the trace:", out);
	rsd_buf_printf(out, " */\n#include <mpi.h>\n#include <stdio.h>\n#include "
			    "<stdlib.h>\n#include <string.h>\n\n");
	/* It takes MPI_STATUSES_IGNORE for an array that is too short. */
	rsd_buf_printf(out, "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC diagnostic "
			    "ignored \"-Wstringop-overflow\"\n#endif\n\n");
}

/* ---- variables ----------------------------------------------------------------------------------- */

static void put_handle_variables(struct cg *cg, int role, struct rsd_buf *out)
{
	const char *name = cg_handle(role), *type = cg_handle_type(role);
	struct rsd_buf values = RSD_BUF_INIT;
	int64_t nr = cg->slots[role];

	if (!name || !nr)
		return;
	for (size_t i = 0; i < cg->t->nr_constants; i++) {
		const char *constant = i ? cg->t->constant[i] : cg_handle_null(role);

		if (!cg->named[i * RSD_NR_ROLES + (size_t)role])
			continue;
		rsd_buf_printf(out, "#define AT_%s%s %" PRId64 "\n", i ? "" : "NO_",
			i ? constant : name, nr);
		rsd_buf_printf(&values, "%s[%" PRId64 "] = %s", values.len ? ", " : "", nr++,
			!i && role == RSD_R_DATATYPE ? "MPI_BYTE" : constant);
	}
	rsd_buf_printf(out, "static %s %s[%" PRId64 "]%s%.*s%s;\n", type, name, nr,
		values.len ? " = { " : "", (int)values.len, values.data ? (char *)values.data : "",
		values.len ? " }" : "");
	rsd_buf_release(&values);
}

static void put_texts(const struct cg *cg, struct rsd_buf *out)
{
	rsd_buf_printf(out, "static const char *const texts[] = {\n");
	for (size_t i = 0; i < cg->t->strings.nr; i++) {
		rsd_buf_printf(out, "\t");
		cg_string(cg->t->strings.str[i].s, cg->t->strings.str[i].len, out);
		rsd_buf_printf(out, ",\n");
	}
	rsd_buf_printf(out, "\t\"\"\n};\n");
}

static void put_variables(struct cg *cg, struct rsd_buf *out)
{
	rsd_buf_printf(out, "static int rank, size; /* of MPI_COMM_WORLD */\n");
	for (int role = 0; role < RSD_NR_ROLES; role++)
		put_handle_variables(cg, role, out);
	if (cg->nr_requests)
		rsd_buf_printf(out,
			"#define NO_REQUEST %" PRId64
			"\nstatic MPI_Request request[NO_REQUEST + 1];\n",
			cg->nr_requests);
	if (cg->uses_status)
		rsd_buf_printf(out, "static MPI_Status status;\n");
	if (cg->nr_statuses || cg->helper[CG_STATUSES])
		rsd_buf_printf(
			out, "static MPI_Status statuses[%" PRId64 "];\n", cg->nr_statuses + 1);
	if (cg->helper[CG_MEMORY])
		cg->uses_send = cg->uses_recv = true;
	if (cg->uses_send)
		rsd_buf_printf(out, "#define SEND_LEN %" PRId64 "\n", cg->send_len + 64);
	if (cg->uses_recv)
		rsd_buf_printf(out, "#define RECV_LEN %" PRId64 "\n", cg->recv_len + 64);
	if (cg->uses_send || cg->uses_recv)
		rsd_buf_printf(out, "static char %s%s%s; /* all calls use the same memory */\n",
			cg->uses_send ? "*sendbuf" : "", cg->uses_send && cg->uses_recv ? ", " : "",
			cg->uses_recv ? "*recvbuf" : "");
	if (cg->what.len)
		rsd_buf_printf(out, "static struct {\n%.*s} result; /* not looked at */\n",
			(int)cg->what.len, (char *)cg->what.data);
	if (cg->nr_results)
		rsd_buf_printf(out, "static long long results[%d][%" PRId64 "];\n", cg->nr_results,
			cg->room / 8 + 1);
	if (cg->uses_text)
		rsd_buf_printf(out, "static char text[8192];\n");
	if (cg->uses_spare)
		rsd_buf_printf(out, "static void *spare[16];\n");
	if (cg->uses_texts)
		put_texts(cg, out);
	rsd_buf_put_byte(out, '\n');
}

static void put_begin(const struct cg *cg, struct rsd_buf *out)
{
	rsd_buf_printf(out,
		"static void begin(void)\n{\n\tPMPI_Comm_rank(MPI_COMM_WORLD, "
		"&rank);\n\tPMPI_Comm_size(MPI_COMM_WORLD, &size);\n"
		"\tif (size != %d) {\n\t\tif (rank == 0)\n\t\t\tfprintf(stderr, \"this program is "
		"for %d processes, not %%d\\n\", size);\n"
		"\t\tPMPI_Abort(MPI_COMM_WORLD, 2);\n\t}\n",
		cg->t->nprocs, cg->t->nprocs);
	if (cg->uses_send)
		rsd_buf_printf(out, "\tsendbuf = calloc(1, SEND_LEN);\n");
	if (cg->uses_recv)
		rsd_buf_printf(out, "\trecvbuf = calloc(1, RECV_LEN);\n");
	if (cg->uses_send || cg->uses_recv)
		rsd_buf_printf(out, "\tif (%s%s%s)\n\t\tPMPI_Abort(MPI_COMM_WORLD, 2);\n",
			cg->uses_send ? "!sendbuf" : "",
			cg->uses_send && cg->uses_recv ? " || " : "",
			cg->uses_recv ? "!recvbuf" : "");
	if (cg->nr_requests)
		rsd_buf_printf(out, "\tfor (int i = 0; i <= NO_REQUEST; i++)\n\t\trequest[i] = "
				    "MPI_REQUEST_NULL;\n");
	rsd_buf_printf(out, "}\n\n");
}

/* ---- all ------------------------------------------------------------------------------------------- */

static void put_tree(struct cg *cg, int thread)
{
	const struct rsd_tree *tree = rsd_trace_find_tree(cg->t, thread);

	if (tree)
		put_nodes(cg, tree->first);
}

static bool makes(const struct cg *cg, const char *name)
{
	for (size_t i = 0; i < cg->t->nr_places; i++) {
		if (!cg->place[i].why_not && !strcmp(cg->t->func[cg->t->place[i].func].name, name))
			return true;
	}
	return false;
}

static void put_trees(struct cg *cg)
{
	cg->depth = 1;
	if (!makes(cg, "MPI_Init") && !makes(cg, "MPI_Init_thread"))
		rsd_buf_printf(&cg->body,
			"\t/* not in the trace */\n\tMPI_Init(&argc, &argv);\n\tbegin();\n");
	for (int part = 1; part < RSD_MAX_PARTS; part++)
		put_tree(cg, part * RSD_PART);
	put_tree(cg, 0);
	if (!makes(cg, "MPI_Finalize"))
		rsd_buf_printf(&cg->body, "\t/* not in the trace */\n\tMPI_Finalize();\n");
	put_tree(cg, RSD_AFTER);
	for (size_t i = 0; i < cg->t->nr_trees; i++) {
		if (rsd_thread_number(cg->t->tree[i].thread) == 0)
			continue;
		rsd_buf_printf(&cg->body, "\n\t/* thread %d of the trace */\n",
			rsd_thread_number(cg->t->tree[i].thread));
		put_nodes(cg, cg->t->tree[i].first);
	}
}

static void put_buf(struct rsd_buf *out, const struct rsd_buf *b)
{
	if (b->err)
		cg_nomem();
	if (b->len)
		rsd_buf_put(out, b->data, b->len);
}

void cg_program(struct cg *cg, struct rsd_buf *out)
{
	put_trees(cg);
	put_head(cg, out);
	put_variables(cg, out);
	cg_prelude(cg, out);
	put_buf(out, &cg->functions);
	put_buf(out, &cg->tables);
	if (cg->tables.len)
		rsd_buf_put_byte(out, '\n');
	put_begin(cg, out);
	rsd_buf_printf(out, "int main(int argc, char **argv)\n{\n");
	put_buf(out, &cg->body);
	rsd_buf_printf(out, "\treturn 0;\n}\n");
	if (out->err)
		cg_nomem();
}
