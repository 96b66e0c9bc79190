#include "sync.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock.h"
#include "own_comm.h"
#include "patience.h"
#include "radix_tree.h"
#include "runtime.h"
#include "trouble.h"
#include "util.h"

#define TAG 11			/* of talks and lists */
#define TAG_SHARE 12		/* from rank 0 to all */
#define MOST_TALK 200		/* questions to one rank */
#define ENOUGH 10		/* questions without a better answer */
#define LONG 20000000		/* ns: a talk that lasts so long ends, once there are ... */
#define FEW 5			/* answers */
#define BLOCK 64		/* hosts in a message */
#define UNKNOWN (INT64_MIN / 2) /* an error: MPI failed */

struct host {
	uint64_t id;
	int64_t leader; /* its lowest rank */
};

struct block { /* of a list of hosts */
	uint64_t nr, last;
	struct host host[BLOCK];
};
#define BLOCK_WORDS ((int)(sizeof(struct block) / sizeof(uint64_t)))

struct offset { /* of a host's clock */
	int64_t at, offset, error;
};
#define OFFSET_WORDS ((int)(BLOCK * sizeof(struct offset) / sizeof(int64_t)))

static struct host *host; /* of the run, by leader; NULL: there is one */
static size_t nr_hosts, alloc_hosts, mine;
static struct {
	bool known;
	struct offset o;
} measured[2]; /* at the start, at the end */

/* ---- hosts ------------------------------------------------------------------------------- */

static void put_small_file(const char *name, struct rsd_buf *out)
{
	char text[128];
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (n > 0)
		rsd_buf_put(out, text, (size_t)n);
	if (fd >= 0)
		close(fd);
}

/* Equal only where ranks read the same clock. */
static uint64_t host_id(void)
{
	struct rsd_buf text = RSD_BUF_INIT;
	struct utsname name;
	char link[128];
	uint64_t id;
	ssize_t n;

	if (!uname(&name))
		rsd_buf_printf(&text, "%s\n", name.nodename);
	put_small_file("/proc/sys/kernel/random/boot_id", &text);
	n = readlink("/proc/self/ns/time", link, sizeof(link));
	if (n > 0)
		rsd_buf_put(&text, link, (size_t)n);
	id = rsd_hash_bytes(text.data, text.len, 0);
	rsd_buf_release(&text);
	return id;
}

static bool is_one_host(uint64_t id)
{
	uint64_t own[2] = { id, ~id }, least[2] = { 0, 0 };

	return RSD_RANKS_LOADED ||
	       (!PMPI_Allreduce(own, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD) &&
		       least[0] == ~least[1]);
}

static bool add_host(struct rsd_map *known, const struct host *h)
{
	if (rsd_map_find(known, h->id))
		return true;
	if (rsd_map_set(known, h->id, 1) || RSD_GROW(host, nr_hosts + 1, alloc_hosts))
		return false;
	host[nr_hosts++] = *h;
	return true;
}

/* The next of the list, from 'from' on; without any: the list could not be made. */
static struct block block_of(size_t from)
{
	struct block b = { .nr = nr_hosts - from < BLOCK ? nr_hosts - from : BLOCK };

	if (b.nr)
		memcpy(b.host, host + from, b.nr * sizeof(*host));
	b.last = from + b.nr == nr_hosts;
	return b;
}

/* What a child knows, whose ranks are above all there are. False: something is amiss, there or here. */
static bool receive_hosts(struct rsd_map *known, int child, MPI_Comm comm)
{
	struct block b = { .last = 0 };
	bool good = true;

	while (!b.last) {
		if (rsd_patient_recv(&b, BLOCK_WORDS, MPI_UINT64_T, child, TAG, comm))
			return false;
		good &= b.nr > 0;
		for (size_t i = 0; i < b.nr && good; i++)
			good = add_host(known, &b.host[i]);
	}
	return good;
}

/* Every rank gets rank 0's. */
static bool share_hosts(MPI_Comm comm)
{
	struct block b = { .last = 1 };
	bool good = true;

	for (size_t at = 0;; at += BLOCK) {
		if (!rsd_rt.rank)
			b = block_of(at);
		if (rsd_patient_bcast(&b, BLOCK_WORDS, MPI_UINT64_T, TAG_SHARE, comm))
			return false;
		good &= b.nr > 0;
		for (size_t i = 0; i < b.nr && rsd_rt.rank && good; i++) {
			good = !RSD_GROW(host, nr_hosts + 1, alloc_hosts);
			if (good)
				host[nr_hosts++] = b.host[i];
		}
		if (b.last)
			return good;
	}
}

/* The list of hosts goes up the tree of ranks, and what has come together at the root to all. */
static bool find_hosts(uint64_t id, MPI_Comm comm)
{
	struct host own = { id, rsd_rt.rank };
	int child, parent = rsd_radix_parent(rsd_rt.rank);
	struct rsd_map known = RSD_MAP_INIT;
	bool good = add_host(&known, &own);

	for (int k = 0; (child = rsd_radix_child(rsd_rt.rank, rsd_rt.nprocs, k)) >= 0; k++)
		good &= receive_hosts(&known, child, comm);
	rsd_map_release(&known);
	if (!good)
		nr_hosts = 0;
	for (size_t at = 0; parent >= 0; at += BLOCK) {
		struct block b = block_of(at);

		PMPI_Send(&b, BLOCK_WORDS, MPI_UINT64_T, parent, TAG, comm);
		if (b.last)
			break;
	}
	if (rsd_rt.rank)
		nr_hosts = 0;
	if (!share_hosts(comm))
		return false;
	for (mine = 0; mine < nr_hosts && host[mine].id != id; mine++)
		;
	return mine < nr_hosts;
}

/* ---- a talk ------------------------------------------------------------------------------- */

/* The one that knows more tells the time until the other has enough. */
static void answer(int rank, const struct offset *own, MPI_Comm comm)
{
	int64_t word[2] = { own->offset, own->error };

	PMPI_Send(word, 2, MPI_INT64_T, rank, TAG, comm);
	/* It may not have come that far. */
	if (rsd_patient_recv(word, 1, MPI_INT64_T, rank, TAG, comm))
		return;
	while (word[0]) {
		word[0] = (int64_t)rsd_clock_exact();
		PMPI_Send(word, 1, MPI_INT64_T, rank, TAG, comm);
		if (PMPI_Recv(word, 1, MPI_INT64_T, rank, TAG, comm, MPI_STATUS_IGNORE))
			return;
	}
}

/* What the other's time is, by this clock; how long the answer took. False: MPI failed. */
static bool ask_once(int rank, struct offset *o, int64_t *took, MPI_Comm comm)
{
	int64_t more = 1, told, sent = (int64_t)rsd_clock_exact();

	if (PMPI_Send(&more, 1, MPI_INT64_T, rank, TAG, comm) ||
		PMPI_Recv(&told, 1, MPI_INT64_T, rank, TAG, comm, MPI_STATUS_IGNORE))
		return false;
	*took = (int64_t)rsd_clock_exact() - sent;
	o->at = sent + *took / 2;
	o->offset = told - o->at;
	o->error = *took / 2 + 1;
	return true;
}

/* False: MPI failed. */
static bool ask(int rank, struct offset *out, MPI_Comm comm)
{
	int64_t others[2], took, all = 0, least = INT64_MAX, none = 0;
	struct offset o;

	if (rsd_patient_recv(others, 2, MPI_INT64_T, rank, TAG, comm))
		return false;
	for (int i = 0, idle = 0; i < MOST_TALK && idle < ENOUGH; i++, idle++) {
		if (i >= FEW && all >= LONG)
			break;
		if (!ask_once(rank, &o, &took, comm))
			return false;
		all += took;
		if (took < least) {
			least = took;
			*out = o;
			idle = 0;
		}
	}
	out->offset += others[0];
	out->error += others[1];
	return !PMPI_Send(&none, 1, MPI_INT64_T, rank, TAG, comm);
}

/* ---- all of them --------------------------------------------------------------------------- */

/* By a leader: what it finds out and what it tells others. */
static struct offset talk(MPI_Comm comm)
{
	int parent = rsd_radix_parent((int)mine), nr = 0;
	struct offset own = { (int64_t)rsd_clock_exact(), 0, 0 };

	if (parent >= 0 && !ask((int)host[parent].leader, &own, comm))
		own = (struct offset){ 0, 0, UNKNOWN };
	while (rsd_radix_child((int)mine, (int)nr_hosts, nr) >= 0)
		nr++;
	/* The child with most hosts below goes first. */
	while (nr) {
		int child = rsd_radix_child((int)mine, (int)nr_hosts, --nr);

		answer((int)host[child].leader, &own, comm);
	}
	return own;
}

/* Leaders have something in 'o'; all ranks get their host's. False: MPI failed. */
static bool share(struct offset *o, MPI_Comm comm)
{
	bool leads = host[mine].leader == rsd_rt.rank;
	struct offset rows[BLOCK], sum[BLOCK];

	for (size_t at = 0; at < nr_hosts; at += BLOCK) {
		bool here = mine - at < BLOCK;

		memset(rows, 0, sizeof(rows));
		memset(sum, 0, sizeof(sum));
		if (leads && here)
			rows[mine - at] = *o;
		if (rsd_patient_reduce(rows, sum, OFFSET_WORDS, MPI_INT64_T, MPI_SUM, 0, comm) ||
			rsd_patient_bcast(sum, OFFSET_WORDS, MPI_INT64_T, TAG_SHARE, comm))
			return false;
		if (here)
			*o = sum[mine - at];
	}
	return true;
}

static void measure(int when)
{
	struct offset o = { 0, 0, 0 };
	MPI_Comm comm;

	if (nr_hosts) {
		comm = rsd_own_comm();
		if (host[mine].leader == rsd_rt.rank)
			o = talk(comm);
		if (!share(&o, comm))
			return;
	}
	measured[when].known = o.error >= 0;
	measured[when].o = o;
}

/* Where one rank lacks the memory for the list of hosts, all do without: those with a list would wait for its answer. */
static bool all_find_hosts(uint64_t id, MPI_Comm comm)
{
	int found, all = 0;

	if (comm == MPI_COMM_NULL)
		return false;
	found = find_hosts(id, comm);
	return !PMPI_Allreduce(&found, &all, 1, MPI_INT, MPI_MIN, comm) && all;
}

void rsd_sync_start(void)
{
	uint64_t id;

	if (!rsd_rt.aligns)
		return;
	id = host_id();
	if (!is_one_host(id)) {
		if (!all_find_hosts(id, rsd_own_comm())) {
			rsd_report("clocks of hosts can't be compared; those of the trace may not "
				   "agree");
			rsd_rt.aligns = false;
			return;
		}
	}
	measure(0);
}

void rsd_sync_end(void)
{
	if (rsd_rt.aligns)
		measure(1);
	free(host);
	host = NULL;
	nr_hosts = alloc_hosts = 0;
}

/* ---- in the trace ---------------------------------------------------------------------------- */

static int put(struct rsd_trace *t, enum rsd_object_kind kind, int64_t id, const int64_t *v)
{
	struct rsd_object *o = rsd_trace_add_object(t, kind, id);

	return o ? rsd_object_set(o, rsd_rt.rank, v) : RSD_ERR_NOMEM;
}

int rsd_sync_to_trace(struct rsd_trace *trace)
{
	int err = 0;

	/* Where this rank had other options before MPI_Init, its readings are no times. */
	if (!rsd_keeps_all_times() || !rsd_clock.exact)
		return 0;
	for (const struct rsd_thread *t = rsd_rt.threads; t && !err; t = t->next) {
		int64_t begin = (int64_t)t->begin;

		err = put(trace, RSD_O_THREAD, t->number, &begin);
	}
	for (int i = 0; i < 2 && !err; i++) {
		const struct offset *o = &measured[i].o;

		if (measured[i].known)
			err = put(trace, RSD_O_CLOCK, i,
				(const int64_t[]){ o->at, o->offset, o->error });
	}
	return err;
}
