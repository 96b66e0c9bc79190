/*
 * tit.c - SimGrid's time-independent traces, for its smpi_replay
 *
 * A folder: a file of actions a rank, traces.txt that lists them, a platform and its hosts to begin with, and a README. A
 * line is "RANK ACTION ...". Computation is in flops on a host of 10^9 a second, so a nanosecond is one; sizes are in bytes.
 *
 * The replay knows a request by sender, receiver and tag, so that no two of one kind may be under way: tags are numbers of
 * (communicator, tag), times 64, plus the message's number in its channel modulo 64. It knows one communicator: collectives
 * on others, and those that it does not have, are put into messages (tit_collectives.c). A receive with a
 * wildcard that does not block is a receive where it is complete.
 */
#include "tit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "folder.h"
#include "sink.h"
#include "util.h"

#define FLUSH ((size_t)1 << 16)

static bool append_file(const struct rsd_folder *folder, const char *name, struct rsd_buf *b)
{
	char *path = rsd_folder_file(folder, name);
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
	size_t done = 0;
	ssize_t n = 0;

	while (fd >= 0 && !b->err && done < b->len &&
		(n = write(fd, b->data + done, b->len - done)) >= 0)
		done += (size_t)n;
	if (fd < 0 || b->err || n < 0 || close(fd))
		rsd_tool_error("cannot write '%s': %s", path ? path : name,
			b->err ? "out of memory" : strerror(errno));
	else
		fd = -2;
	free(path);
	rsd_buf_reset(b);
	return fd == -2;
}

static bool flush_rank(struct tit *x, int rank)
{
	char name[32];

	snprintf(name, sizeof(name), "rank-%d.ti", rank);
	return append_file(x->folder, name, &x->out[rank]);
}

/* ---- messages ------------------------------------------------------------------------------------ */

static int tag_of(struct tit *x, const struct rsd_action *a)
{
	uint64_t key =
		rsd_hash_mix((uint64_t)a->tag) ^ rsd_hash_mix((uint64_t)(unsigned)a->comm + 1);
	const uint64_t *at = rsd_map_find(&x->tags, key);

	if (!at && rsd_map_set(&x->tags, key, x->tags.nr) == 0)
		at = rsd_map_find(&x->tags, key);
	return (int)((at ? *at : 0) % TIT_TAGS * 64 + a->number % 64);
}

static uint64_t request_key(const struct rsd_moment *m, const struct rsd_action *a)
{
	return rsd_hash_mix((uint64_t)(unsigned)m->location << 40 ^ a->request);
}

/* A request that the replay waits for later is kept; whether it was is what this tells. */
static bool was_posted(struct tit *x, const struct rsd_moment *m, const struct rsd_action *a)
{
	return rsd_map_delete(&x->posted, request_key(m, a));
}

static void put_request(
	struct tit *x, const struct rsd_moment *m, const struct rsd_action *a, bool send)
{
	struct rsd_buf *out = &x->out[m->event->rank];

	if (a->world < 0 || !a->number)
		return;
	rsd_buf_printf(out, "%d %s %d %d %" PRIu64 " " TIT_BYTE "\n", m->event->rank,
		send ? "isend" : "irecv", a->world, tag_of(x, a), a->bytes);
	if (rsd_map_set(&x->posted, request_key(m, a), 1))
		out->err = RSD_ERR_NOMEM;
}

static void put_wait(
	struct tit *x, const struct rsd_moment *m, const struct rsd_action *a, bool send)
{
	struct rsd_buf *out = &x->out[m->event->rank];
	int rank = m->event->rank;

	if (a->world < 0)
		return;
	if (was_posted(x, m, a))
		rsd_buf_printf(out, "%d wait %d %d %d\n", rank, send ? rank : a->world,
			send ? a->world : rank, tag_of(x, a));
	else if (!send && a->message)
		rsd_buf_printf(out, "%d recv %d %d %" PRIu64 " " TIT_BYTE "\n", rank, a->world,
			tag_of(x, a), a->bytes);
}

/* A call that sends and receives at once must not block in the sending. */
static void put_blocking(struct tit *x, const struct rsd_moment *m, const struct rsd_action *a)
{
	struct rsd_buf *out = &x->out[m->event->rank];
	bool send = a->kind == RSD_X_SEND, both = m->nr_actions > 1;

	if (!a->message)
		return;
	rsd_buf_printf(out, "%d %s %d %d %" PRIu64 " " TIT_BYTE "\n", m->event->rank,
		send ? (both ? "isend" : "send") : "recv", a->world, tag_of(x, a), a->bytes);
}

static void end_sends(struct tit *x, const struct rsd_moment *m)
{
	struct rsd_buf *out = &x->out[m->event->rank];

	for (size_t i = 0; m->nr_actions > 1 && i < m->nr_actions; i++) {
		const struct rsd_action *a = &m->action[i];

		if (a->kind == RSD_X_SEND && a->message)
			rsd_buf_printf(out, "%d wait %d %d %d\n", m->event->rank, m->event->rank,
				a->world, tag_of(x, a));
	}
}

static void put_action(struct tit *x, const struct rsd_moment *m, const struct rsd_action *a)
{
	switch (a->kind) {
	case RSD_X_SEND:
	case RSD_X_RECV:
		put_blocking(x, m, a);
		break;
	case RSD_X_ISEND:
		put_request(x, m, a, true);
		break;
	case RSD_X_IRECV:
		put_request(x, m, a, false);
		break;
	case RSD_X_ISEND_DONE:
		put_wait(x, m, a, true);
		break;
	case RSD_X_IRECV_DONE:
		put_wait(x, m, a, false);
		break;
	case RSD_X_COLL:
		tit_put_collective(x, m, a);
		break;
	case RSD_X_ICOLL:
		x->left_out++; /* it would have to wait where the program does not */
		break;
	default:
		break;
	}
}

static int put_moment(const struct rsd_moment *m, void *arg)
{
	struct tit *x = arg;
	struct rsd_buf *out = &x->out[m->event->rank];

	if (m->event->rank >= x->x->t->nprocs)
		return 0;
	if (m->values->call->kind == RSD_K_FINALIZE || m->values->call->kind == RSD_K_INIT)
		return 0;
	if (m->nr_actions && m->compute_ns + x->idle[m->event->rank] > 0) {
		rsd_buf_printf(out, "%d compute %" PRId64 "\n", m->event->rank,
			m->compute_ns + x->idle[m->event->rank]);
		x->idle[m->event->rank] = 0;
	} else if (!m->nr_actions) { /* what MPI does without others is computation, too */
		x->idle[m->event->rank] += m->compute_ns + m->end_ns - m->begin_ns;
	}
	for (size_t i = 0; i < m->nr_actions; i++)
		put_action(x, m, &m->action[i]);
	end_sends(x, m);
	if (out->len >= FLUSH && !flush_rank(x, m->event->rank))
		return RSD_ERR_FORMAT; /* the message has been printed */
	return out->err ? RSD_ERR_NOMEM : 0;
}

/* ---- the folder ------------------------------------------------------------------------------------- */

static bool put_lists(struct tit *x)
{
	struct rsd_buf b = RSD_BUF_INIT;
	bool ok;

	for (int r = 0; r < x->x->t->nprocs; r++)
		rsd_buf_printf(&b, "rank-%d.ti\n", r);
	ok = append_file(x->folder, "traces.txt", &b);
	for (int r = 0; r < x->x->t->nprocs; r++)
		rsd_buf_printf(&b, "node-%d\n", r);
	ok = ok && append_file(x->folder, "hosts.txt", &b);
	rsd_buf_printf(&b,
		"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
		"\"https://simgrid.org/simgrid.dtd\">\n"
		"<platform version=\"4.1\">\n  <cluster id=\"cluster\" prefix=\"node-\" "
		"suffix=\"\" radical=\"0-%d\"\n"
		"           speed=\"1Gf\" bw=\"10Gbps\" lat=\"1us\"/>\n</platform>\n",
		x->x->t->nprocs - 1);
	ok = ok && append_file(x->folder, "platform.xml", &b);
	rsd_buf_release(&b);
	return ok;
}

static bool put_readme(struct tit *x, const struct rsd_timeline *tl)
{
	struct rsd_buf b = RSD_BUF_INIT;
	const char *drawn = rsd_trace_get_meta(x->x->t, RSD_META_DRAWN);
	bool ok;

	rsd_buf_printf(&b,
		"Time-independent traces of SimGrid, by rsd convert from %s\n\n"
		"\tsmpirun -np %d -hostfile hosts.txt -platform platform.xml -replay traces.txt\n\n"
		"in this folder simulates the run. rank-N.ti has the actions of rank N; "
		"platform.xml is one to begin with: a\n"
		"switch and a host for each rank. Computation is in flops, one a nanosecond: "
		"speed=\"1Gf\" is the machine that\n"
		"was traced. Sizes are in bytes.\n\n"
		"Computation: %s.\n"
		"%" PRIu64 " collectives were put into messages, as the replay has none of that "
		"kind, or on another\n"
		"communicator than MPI_COMM_WORLD; %" PRIu64
		" calls were left out (collectives that do not block, and on\n"
		"intercommunicators).\n",
		x->x->path, x->x->t->nprocs, rsd_timeline_times_text(tl), x->in_messages,
		x->left_out);
	if (drawn)
		rsd_buf_printf(&b, "\nThe trace is lossy; drawn from histograms are: %s\n", drawn);
	ok = append_file(x->folder, "README", &b);
	rsd_buf_release(&b);
	return ok;
}

static bool write_ranks(struct tit *x, struct rsd_timeline *tl)
{
	int err = 0;

	for (int r = 0; r < x->x->t->nprocs; r++)
		rsd_buf_printf(&x->out[r], "%d init\n", r);
	err = rsd_timeline_run(tl, put_moment, x);
	if (rsd_sink_code(err) != RSD_EXIT_OK)
		return false;
	for (int r = 0; r < x->x->t->nprocs; r++) {
		rsd_buf_printf(&x->out[r], "%d finalize\n", r);
		if (!flush_rank(x, r))
			return false;
	}
	return !err;
}

static bool fill(const struct rsd_export *e, struct rsd_folder *folder, struct rsd_timeline *tl)
{
	struct tit x = { .x = e, .folder = folder, .comms = rsd_timeline_comms(tl) };
	bool ok;

	x.out = rsd_calloc((size_t)e->t->nprocs + 1, sizeof(*x.out));
	x.idle = rsd_calloc((size_t)e->t->nprocs + 1, sizeof(*x.idle));
	ok = x.out && x.idle;
	if (!ok)
		rsd_tool_error("out of memory");
	ok = ok && write_ranks(&x, tl) && put_lists(&x) && put_readme(&x, tl);
	if (ok && x.left_out)
		rsd_tool_error(
			"%" PRIu64 " calls were left out: see README in the folder", x.left_out);
	for (int r = 0; x.out && r < e->t->nprocs; r++)
		rsd_buf_release(&x.out[r]);
	free(x.out);
	free(x.idle);
	rsd_map_release(&x.tags);
	rsd_map_release(&x.posted);
	return ok;
}

int rsd_export_tit(const struct rsd_export *e)
{
	struct rsd_timeline *tl = rsd_export_timeline(e);
	struct rsd_folder folder;
	bool ok = tl && rsd_folder_begin(&folder, e->out, NULL);

	if (ok)
		ok = rsd_folder_end(&folder, fill(e, &folder, tl));
	rsd_timeline_free(tl);
	return ok ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}
