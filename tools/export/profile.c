/* profile.c - the folder of rsd profile, and what its README says: see profile.h */
#include "profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sink.h"
#include "util.h"
#include "walk.h"

static const char readme[] =
	"The files are text, a line an entry, fields separated by single spaces; a word has \\xHH "
	"for what is not\n"
	"printable ASCII, spaces and backslashes. * is \"not known\". Numbers (ids) are the "
	"trace's order: they stay the\n"
	"same when it is read again, and mean nothing in another trace's profile.\n"
	"\n"
	"functions.txt\n"
	"	<function id> <name> <class> <calls> <places>\n"
	"	The MPI functions that are called, by all ranks together.\n"
	"callsites.txt\n"
	"	<call site id> <module> <offset> <file>:<line>:<column> <function>\n"
	"	Where calls are in the program: the offset is from where the module is loaded. 0 "
	"is no call site.\n"
	"places.txt\n"
	"	<place id> <function id> <call site id> <thread> <nesting> <calls>\n"
	"	What the other files call a place: a function at a call site, reached on one call "
	"stack.\n"
	"communicators.txt\n"
	"	<communicator id> <parent id> <size> <ranks>\n"
	"	Ranks of MPI_COMM_WORLD in the communicator's order; two groups, |, of an "
	"intercommunicator. 0 is\n"
	"	MPI_COMM_WORLD, 1 is MPI_COMM_SELF; parent -1: none.\n"
	"loops.txt\n"
	"	START thread <thread>\n"
	"	<call site> BGN loop <total> <entries> <average> <maximum> <loop id> <loop around "
	"it> <ranks> <file:line:column>\n"
	"	<call site> END loop <loop id>\n"
	"	* END thread <thread>\n"
	"	* END program\n"
	"	Control lines, nested as the loops are: iterations of all entries of all ranks, "
	"how often the loop is\n"
	"	entered, iterations of an entry on average and at most, how many ranks enter it. "
	"Call sites are the first\n"
	"	and the last in the loop; -1 is no loop around it. Loops are those of the MPI "
	"calls: one without any is\n"
	"	not seen, and a loop whose iterations call differently may be several.\n"
	"loop_counts.txt\n"
	"	<loop id> <total iterations>\n"
	"loop_positions.txt\n"
	"	<state id> <position> <loop id> <state id of the loop> <file:line:column>\n"
	"	The frame that a loop is in, and how many loops of the same frame are around it. A "
	"trace has no more than\n"
	"	the calls: a loop is put as far in as all of its calls allow.\n"
	"states.txt\n"
	"	<state id> <parent id> <label>\n"
	"	The tree of call paths. ROOT, its own parent; a frame as function@module+offset, "
	"or module+offset where the\n"
	"	function is not known; loop<loop id>; the MPI function called.\n"
	"initial_state.txt\n"
	"	<state id> <threads>\n"
	"	The first call of so many threads of all ranks.\n"
	"transitions.txt\n"
	"	<source state id> <place id> <target state id> <count>\n"
	"	The next call after that of the source state is that of the target state, so "
	"often; the first line is a\n"
	"	comment.\n"
	"dependences.txt\n"
	"	<sink place>@<state> NOM  MSG <source "
	"place>@<state>|<communicator>(<tag>):<count>:<bytes>  MSG ...\n"
	"	A receiving place takes so many messages, of so many bytes in all, from a sending "
	"place. What does not\n"
	"	block is where it was started. A pair of places with more than 16 tags has the "
	"others as (*); a source *\n"
	"	was not seen, as in an incomplete trace.\n";

bool rsd_profile_put(const struct rsd_profile *p, const char *name, struct rsd_buf *text)
{
	char *path = rsd_folder_file(p->folder, name);
	struct rsd_sink *s = path ? rsd_sink_open(path) : NULL;
	bool ok = s && rsd_sink_close(s, rsd_sink_put(s, text)) == RSD_EXIT_OK;

	if (!path)
		rsd_tool_error("out of memory");
	free(path);
	return ok;
}

static bool put_readme(struct rsd_profile *p, const struct rsd_timeline *tl)
{
	const struct rsd_trace *t = p->x->t;
	struct rsd_buf out = RSD_BUF_INIT;
	const char *program = rsd_trace_get_meta(t, "program");
	const char *drawn = rsd_trace_get_meta(t, RSD_META_DRAWN);
	bool ok;

	rsd_buf_printf(&out, "Profile of %s by rsd " RSD_VERSION ": %d ranks, %s%s\n", p->x->path,
		t->nprocs, program ? program : "program unknown",
		t->complete ? "" : "; THE TRACE IS INCOMPLETE");
	if (rsd_timeline_unmatched(tl))
		rsd_buf_printf(&out,
			"%" PRIu64 " receives have no message that was seen being sent.\n",
			rsd_timeline_unmatched(tl));
	if (drawn)
		rsd_buf_printf(&out, "The trace is lossy; drawn from histograms are: %s\n", drawn);
	rsd_buf_printf(&out, "\n%s", readme);
	ok = rsd_profile_put(p, "README", &out);
	rsd_buf_printf(&out, "%s\n", p->x->path);
	ok = ok && rsd_profile_put(p, RSD_PROFILE_MARKER, &out);
	rsd_buf_release(&out);
	return ok;
}

static bool prepare(struct rsd_profile *p)
{
	const struct rsd_trace *t = p->x->t;
	int err = rsd_calltree_init(&p->tree, t);

	p->calls = rsd_calloc(t->nr_places + 1, sizeof(*p->calls));
	p->site = rsd_calloc(t->sigs.nr_sigs + 1, sizeof(*p->site));
	if (!err)
		err = p->calls && p->site ? rsd_trace_count_calls(t, p->calls) : RSD_ERR_NOMEM;
	if (err)
		rsd_tool_error("%s: %s", p->x->path, rsd_strerror(err));
	return !err;
}

static bool fill(struct rsd_profile *p)
{
	struct rsd_timeline *tl = rsd_timeline_new(p->x->t);
	bool ok = tl && prepare(p) && rsd_profile_tables(p) && rsd_profile_loops(p) &&
		  rsd_profile_states(p) && rsd_profile_flow(p, tl) &&
		  rsd_profile_comms(p, rsd_timeline_comms(tl)) && put_readme(p, tl);

	rsd_timeline_free(tl);
	rsd_calltree_release(&p->tree);
	rsd_map_release(&p->site_by_frame);
	free(p->calls);
	free(p->site);
	return ok;
}

int rsd_profile(const struct rsd_export *x)
{
	struct rsd_folder folder;
	struct rsd_profile p = { .x = x, .folder = &folder };

	if (x->t->nr_logs && !x->t->nr_trees)
		return rsd_tool_error("%s: a flat trace (of libdump, or ascii) has no loops: "
				      "record with libnode or libglob",
			x->path);
	if (!rsd_folder_begin(&folder, x->out, RSD_PROFILE_MARKER))
		return RSD_EXIT_ERROR;
	return rsd_folder_end(&folder, fill(&p)) ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}
