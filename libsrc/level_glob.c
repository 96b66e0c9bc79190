#include <stdlib.h>
#include <string.h>

#include "level.h"
#include "checkpoint.h"
#include "collect.h"
#include "merge.h"
#include "own_comm.h"
#include "patience.h"
#include "radix_tree.h"
#include "req_tables.h"
#include "selfcheck.h"
#include "transfer.h"
#include "trouble.h"
#include "util.h"

#define CHUNK (1 << 30) /* bytes in one message */
#define TAG 1		/* of traces */
#define TAG_WRITTEN 2	/* whether the file is there */

const char rsd_level_name[] = "glob";
const bool rsd_level_is_global = true;
const bool rsd_level_is_flat = false;

void rsd_call_end(struct rsd_call *c)
{
	rsd_call_end_by(c, rsd_collect_event);
}

/* ---- messages -------------------------------------------------------------------- */

/* Before a trace: its bytes, and the most requests that a rank of it had live at once. */
enum { HEAD_LEN, HEAD_MOST, HEAD };

/* None: there is no trace. */
static void send_bytes(const struct rsd_buf *bytes, int64_t most, int to, MPI_Comm comm)
{
	uint64_t len = bytes->err ? 0 : bytes->len, head[HEAD];

	head[HEAD_LEN] = len;
	head[HEAD_MOST] = (uint64_t)most;
	PMPI_Send(head, HEAD, MPI_UINT64_T, to, TAG, comm);
	for (uint64_t pos = 0; pos < len; pos += CHUNK)
		PMPI_Send(bytes->data + pos, (int)(len - pos < CHUNK ? len - pos : CHUNK), MPI_BYTE,
			to, TAG, comm);
}

static void send_trace(const struct rsd_trace *t, int64_t most, int to, MPI_Comm comm)
{
	struct rsd_buf bytes = RSD_BUF_INIT;

	if (t)
		rsd_trace_encode(t, &bytes);
	if (bytes.err)
		rsd_trouble("no memory to send the trace of this rank and those merged into it");
	send_bytes(&bytes, most, to, comm);
	rsd_buf_release(&bytes);
}

/* Takes what cannot be kept, so that the sender gets rid of it. */
static void discard(uint64_t len, int from, MPI_Comm comm)
{
	unsigned char *p = rsd_malloc(len < CHUNK ? len : CHUNK);

	/* Without memory the program cannot go on in any case: the sender waits. */
	for (uint64_t pos = 0; p && pos < len; pos += CHUNK)
		PMPI_Recv(p, CHUNK < len ? CHUNK : (int)len, MPI_BYTE, from, TAG, comm,
			MPI_STATUS_IGNORE);
	free(p);
}

/* The trace that 'from' sends, or NULL: there is none, or no memory. '*most' becomes that of its ranks, if that is more. */
static struct rsd_trace *receive_trace(int from, MPI_Comm comm, int64_t *most)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t = NULL;
	struct rsd_reader in;
	unsigned char *bytes;
	uint64_t len, head[HEAD] = { 0 };
	int err;

	rsd_patient_recv(head, HEAD, MPI_UINT64_T, from, TAG, comm);
	len = head[HEAD_LEN];
	if ((int64_t)head[HEAD_MOST] > *most)
		*most = (int64_t)head[HEAD_MOST];
	if (!len)
		return NULL;
	bytes = rsd_malloc(len);
	if (!bytes) {
		discard(len, from, comm);
		return NULL;
	}
	for (uint64_t pos = 0; pos < len; pos += CHUNK)
		PMPI_Recv(bytes + pos, (int)(len - pos < CHUNK ? len - pos : CHUNK), MPI_BYTE, from,
			TAG, comm, MPI_STATUS_IGNORE);
	rsd_reader_init(&in, bytes, len);
	err = rsd_trace_decode(&t, &in, &why);
	if (err)
		rsd_report("trace from rank %d: %s: %.*s", from, rsd_strerror(err), (int)why.len,
			why.len ? (const char *)why.data : "");
	rsd_buf_release(&why);
	free(bytes);
	return err ? NULL : t;
}

/* ---- merging ------------------------------------------------------------------------ */

static void mark_incomplete(struct rsd_trace *t, const char *why)
{
	if (!t || !t->complete)
		return;
	t->complete = false;
	free(t->incomplete_why);
	t->incomplete_why = rsd_strndup(why, strlen(why));
}

/* Merges the children's traces into that of this rank, ascending. What comes out may be NULL. */
static struct rsd_trace *merge_children(struct rsd_trace *t, MPI_Comm comm, int64_t *most)
{
	int child, err;

	for (int k = 0; (child = rsd_radix_child(rsd_rt.rank, rsd_rt.nprocs, k)) >= 0; k++) {
		struct rsd_trace *other = receive_trace(child, comm, most);
		struct rsd_buf lost = RSD_BUF_INIT;

		rsd_buf_printf(&lost, "ranks %d to %d are lost", child,
			rsd_radix_end(child, rsd_rt.nprocs) - 1);
		rsd_buf_put_byte(&lost, '\0');
		if (!other) {
			rsd_trouble("%s", lost.err ? "ranks are lost" : (const char *)lost.data);
			mark_incomplete(t, lost.err ? "ranks are lost" : (const char *)lost.data);
		} else if (!t) {
			t = other; /* of higher ranks only, so far */
		} else {
			err = rsd_merge(t, other);
			if (err) {
				rsd_trouble("merging with rank %d: %s", child, rsd_strerror(err));
				rsd_trace_free(t);
				t = NULL;
			}
		}
		rsd_buf_release(&lost);
	}
	return t;
}

/* ---- self-check of the merged trace ---------------------------------------------------- */

/* Every rank gets the root's trace, the bytes of a message. NULL: there is none, or no memory. */
static struct rsd_trace *share(const struct rsd_trace *merged, MPI_Comm comm)
{
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_trace *t = NULL;
	struct rsd_reader in;
	unsigned char *data;
	uint64_t len;

	if (merged)
		rsd_trace_encode(merged, &bytes);
	len = bytes.err ? 0 : bytes.len;
	PMPI_Bcast(&len, 1, MPI_UINT64_T, 0, comm);
	data = rsd_rt.rank ? rsd_malloc(len) : bytes.data;
	for (uint64_t pos = 0; data && pos < len; pos += CHUNK)
		PMPI_Bcast(data + pos, (int)(len - pos < CHUNK ? len - pos : CHUNK), MPI_BYTE, 0,
			comm);
	if (data && len) {
		rsd_reader_init(&in, data, len);
		if (rsd_trace_decode(&t, &in, NULL))
			t = NULL;
	}
	if (rsd_rt.rank)
		free(data);
	rsd_buf_release(&bytes);
	return t;
}

static void check_merged(struct rsd_selfcheck *check, struct rsd_trace *merged, MPI_Comm comm)
{
	struct rsd_trace *t;
	int failed, any = 0;

	if (!rsd_rt.config.selfcheck)
		return;
	t = share(merged, comm);
	failed = !t || !check->on || !rsd_selfcheck_compare(check, t);
	if (!t)
		rsd_report("self-check: there is no merged trace to compare with");
	else if (!failed && rsd_rt.config.verbose)
		rsd_say("self-check: rank %d: %llu events equal", rsd_rt.rank,
			(unsigned long long)check->nr_events);
	rsd_trace_free(t);
	PMPI_Reduce(&failed, &any, 1, MPI_INT, MPI_MAX, 0, comm);
	if (merged && rsd_rt.rank == 0)
		rsd_trace_set_meta(merged, "selfcheck", any ? "failed" : "ok");
}

/* ---- the end --------------------------------------------------------------------------- */

/* This rank's trace from when the ranks begin to merge until it is in the file: the others may never come. */
static struct rsd_buf mine;

/* What was kept of it. NULL: no memory, which was reported. */
static struct rsd_trace *take_mine(const char *why)
{
	struct rsd_trace *t = NULL;
	struct rsd_reader in;

	rsd_reader_init(&in, mine.data, mine.len);
	if (rsd_trace_decode(&t, &in, NULL) || (why && rsd_collect_cut_off(t, why))) {
		rsd_trouble("no memory for the trace of this rank");
		rsd_trace_free(t);
		return NULL;
	}
	return t;
}

static void write_mine(const char *why)
{
	struct rsd_selfcheck check = RSD_SELFCHECK_INIT;
	struct rsd_trace *t = mine.len ? take_mine(why) : rsd_collect_checked(&check);

	if (t)
		rsd_collect_write_own(&check, t);
	rsd_selfcheck_end(&check);
	rsd_trace_free(t);
}

/* In MPI_Init, where all ranks are together anyway: in MPI_Finalize the time is the program's. */
void rsd_level_start(void)
{
	rsd_own_comm();
}

/* This rank's trace, of which a copy is kept. NULL: there is none, which was reported. */
static struct rsd_trace *begin_merging(struct rsd_selfcheck *check)
{
	struct rsd_trace *t = rsd_collect_checked(check);

	if (t)
		rsd_trace_encode(t, &mine);
	if (mine.err)
		rsd_buf_release(&mine);
	return t;
}

/* Sends what this rank has to its parent; without children that is what was kept. */
static void hand_over(const struct rsd_trace *t, int64_t most, MPI_Comm comm)
{
	int parent = rsd_radix_parent(rsd_rt.rank);

	if (mine.len && rsd_radix_child(rsd_rt.rank, rsd_rt.nprocs, 0) < 0)
		send_bytes(&mine, most, parent, comm);
	else
		send_trace(t, most, parent, comm);
}

static void end_merging(bool written)
{
	if (written) {
		rsd_parts_append(rsd_rt.path);
		rsd_checkpoint_remove();
	} else {
		if (rsd_rt.rank == 0)
			rsd_say("the trace of all ranks could not be written; each one writes its "
				"own, "
				"%s.<rank>",
				rsd_rt.path);
		if (mine.len)
			write_mine(NULL);
	}
	rsd_buf_release(&mine);
}

/* The root's trace as it is to be written. */
static struct rsd_trace *settle(struct rsd_trace *t)
{
	const struct rsd_config *c = &rsd_rt.config;

	if (!t)
		return NULL;
	rsd_merge_settle(t);
	if (c->format == RSD_FORMAT_ASCII || !rsd_scalars_agree(t, c->histo))
		return t;
	rsd_trouble("no memory for histograms of what ranks agree on");
	rsd_trace_free(t);
	return NULL;
}

int rsd_level_finish(void)
{
	struct rsd_selfcheck check = RSD_SELFCHECK_INIT;
	int parent = rsd_radix_parent(rsd_rt.rank), written = 0;
	int64_t most = (int64_t)rsd_tables_most();
	struct rsd_trace *t;
	MPI_Comm comm = rsd_own_comm();

	if (comm == MPI_COMM_NULL) {
		rsd_level_rescue("no communicator to merge the ranks with");
		rsd_check_requests(most, false);
		return -1;
	}
	t = begin_merging(&check);
	t = merge_children(t, comm, &most);
	if (parent >= 0) {
		hand_over(t, most, comm);
		rsd_trace_free(t);
		t = NULL;
	}
	if (parent < 0)
		rsd_check_requests(most, true);
	t = settle(t);
	check_merged(&check, t, comm);
	if (t)
		written = !rsd_collect_write(t, rsd_rt.path);
	/* Ranks may have to append to the file later: it has to be there. */
	rsd_patient_bcast(&written, 1, MPI_INT, TAG_WRITTEN, comm);
	rsd_rt.written = written;
	end_merging(written);
	/* The others need not wait for this. */
	if (t && written)
		rsd_file_sync_name(rsd_rt.path);
	rsd_selfcheck_end(&check);
	rsd_trace_free(t);
	return written ? 0 : -1;
}

struct rsd_trace *rsd_level_after(void)
{
	return rsd_collect();
}

int rsd_level_so_far(struct rsd_so_far *s, const char *why)
{
	return rsd_collect_so_far(s, why);
}

void rsd_level_rescue(const char *why)
{
	if (why)
		rsd_trouble("%s", why);
	write_mine(why);
}
