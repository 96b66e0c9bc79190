/*
 * otf2.c - OTF2, by its own library: for Vampir, Scalasca, Cube, otf2-print
 *
 * A location is a thread of a rank (its number: thread << 32 | rank). A call is an Enter and a Leave of a region of that
 * function, with what it does in between (timeline.h): messages, requests, collectives, communicators. Enter has the call
 * site as an attribute, a source-code location: file and line, or, where the source is not known, module+offset and line 0.
 * Events go into the library's buffers in one pass; definitions, which need what was found on the way, come last.
 */
#include <otf2/otf2.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "export.h"
#include "folder.h"
#include "otf2_definitions.h"
#include "sink.h"
#include "timeline.h"
#include "util.h"

/* The least that the library takes: each location has a chunk of this size. */
#define EVENT_CHUNK OTF2_CHUNK_SIZE_MIN
#define DEFINITION_CHUNK ((uint64_t)4 << 20)

struct otf2 {
	const struct rsd_export *x;
	OTF2_Archive *archive;
	OTF2_EvtWriter **writer; /* by location */
	OTF2_AttributeList *attributes;
	int64_t end_ns;
	bool failed;
};

static OTF2_ErrorCode complain(void *arg, const char *file, uint64_t line, const char *function,
	OTF2_ErrorCode code, const char *format, va_list ap)
{
	char text[512];

	(void)arg;
	(void)file;
	(void)line;
	(void)function;
	vsnprintf(text, sizeof(text), format, ap);
	rsd_tool_error("OTF2: %s: %s", OTF2_Error_GetDescription(code), text);
	return code;
}

static OTF2_FlushType before_flush(
	void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void)user;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

/* ---- memory ------------------------------------------------------------------------------------- */

/*
 * The library keeps what it is given until there is no more memory, and only then writes it. So that it does not keep a
 * whole trace, a location is refused more than a few chunks.
 */
#define MOST_CHUNKS 4

struct chunks {
	void **chunk;
	size_t nr, alloc;
};

static void *allocate(
	void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t size)
{
	struct chunks *c = *buffer;

	(void)user;
	(void)location;
	if (!c)
		c = *buffer = rsd_calloc(1, sizeof(*c));
	if (!c || (type == OTF2_FILETYPE_EVENTS && c->nr == MOST_CHUNKS) ||
		RSD_GROW(c->chunk, c->nr + 1, c->alloc))
		return NULL;
	c->chunk[c->nr] = rsd_malloc(size);
	return c->chunk[c->nr] ? c->chunk[c->nr++] : NULL;
}

static void free_all(
	void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
	struct chunks *c = *buffer;

	(void)user;
	(void)type;
	(void)location;
	while (c && c->nr)
		free(c->chunk[--c->nr]);
	if (!final || !c)
		return;
	free(c->chunk);
	free(c);
	*buffer = NULL;
}

static void check(struct otf2 *o, OTF2_ErrorCode code)
{
	o->failed |= code != OTF2_SUCCESS;
}

/* ---- events ------------------------------------------------------------------------------------- */

static OTF2_CommRef comm_ref(int comm)
{
	return comm < 0 ? OTF2_UNDEFINED_COMM : (OTF2_CommRef)comm;
}

static const OTF2_CollectiveOp collective[RSD_NR_COLLS] = {
	[RSD_COLL_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
	[RSD_COLL_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
	[RSD_COLL_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
	[RSD_COLL_GATHERV] = OTF2_COLLECTIVE_OP_GATHERV,
	[RSD_COLL_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
	[RSD_COLL_SCATTERV] = OTF2_COLLECTIVE_OP_SCATTERV,
	[RSD_COLL_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
	[RSD_COLL_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
	[RSD_COLL_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
	[RSD_COLL_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
	[RSD_COLL_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
	[RSD_COLL_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
	[RSD_COLL_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
	[RSD_COLL_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
	[RSD_COLL_REDUCE_SCATTER_BLOCK] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
	[RSD_COLL_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
	[RSD_COLL_EXSCAN] = OTF2_COLLECTIVE_OP_EXSCAN,
	[RSD_COLL_NEIGHBOR] = OTF2_COLLECTIVE_OP_ALLTOALLV, /* the nearest that there is */
	[RSD_COLL_HANDLE] = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
};

static uint32_t root_of(const struct otf2 *o, const struct rsd_action *a)
{
	if (rsd_trace_is_constant(o->x->t, a->root, "MPI_ROOT"))
		return OTF2_COLLECTIVE_ROOT_SELF;
	if (rsd_trace_is_constant(o->x->t, a->root, "MPI_PROC_NULL"))
		return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
	return rsd_is_const(a->root) || a->root < 0 ? OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)a->root;
}

static OTF2_CollectiveOp op_of(const struct rsd_moment *m, const struct rsd_action *a)
{
	if (a->coll == RSD_COLL_HANDLE && m->values->call->kind == RSD_K_COMM_FREE)
		return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
	return collective[a->coll];
}

/* A message whose partner is not known is none: a record needs one. */
static bool is_complete(const struct rsd_action *a)
{
	return a->comm >= 0 && !rsd_is_const(a->peer) && a->peer >= 0 && !rsd_is_const(a->tag);
}

static void put_message(
	struct otf2 *o, OTF2_EvtWriter *w, const struct rsd_moment *m, const struct rsd_action *a)
{
	OTF2_CommRef comm = comm_ref(a->comm);
	uint32_t peer = (uint32_t)a->peer, tag = (uint32_t)a->tag;
	uint64_t begin = (uint64_t)m->begin_ns, end = (uint64_t)m->end_ns;

	switch (a->kind) {
	case RSD_X_SEND:
		if (is_complete(a))
			check(o, OTF2_EvtWriter_MpiSend(w, NULL, begin, peer, comm, tag, a->bytes));
		break;
	case RSD_X_ISEND:
		if (is_complete(a))
			check(o, OTF2_EvtWriter_MpiIsend(
					 w, NULL, begin, peer, comm, tag, a->bytes, a->request));
		break;
	case RSD_X_ISEND_DONE:
		if (is_complete(a))
			check(o, OTF2_EvtWriter_MpiIsendComplete(w, NULL, end, a->request));
		break;
	case RSD_X_RECV:
		if (is_complete(a))
			check(o, OTF2_EvtWriter_MpiRecv(w, NULL, end, peer, comm, tag, a->bytes));
		break;
	case RSD_X_IRECV:
		check(o, OTF2_EvtWriter_MpiIrecvRequest(w, NULL, begin, a->request));
		break;
	case RSD_X_IRECV_DONE:
		if (is_complete(a))
			check(o, OTF2_EvtWriter_MpiIrecv(
					 w, NULL, end, peer, comm, tag, a->bytes, a->request));
		break;
	case RSD_X_UNFINISHED:
		check(o, OTF2_EvtWriter_MpiRequestTest(w, NULL, end, a->request));
		break;
	case RSD_X_CANCELLED:
		check(o, OTF2_EvtWriter_MpiRequestCancelled(w, NULL, end, a->request));
		break;
	default:
		break;
	}
}

static void put_collective(
	struct otf2 *o, OTF2_EvtWriter *w, const struct rsd_moment *m, const struct rsd_action *a)
{
	uint64_t begin = (uint64_t)m->begin_ns, end = (uint64_t)m->end_ns;
	OTF2_CommRef comm = comm_ref(a->comm);

	switch (a->kind) {
	case RSD_X_COLL:
		check(o, OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, end, op_of(m, a), comm,
				 root_of(o, a), a->bytes, a->received));
		break;
	case RSD_X_ICOLL:
		check(o, OTF2_EvtWriter_NonBlockingCollectiveRequest(w, NULL, begin, a->request));
		break;
	case RSD_X_ICOLL_DONE:
		check(o, OTF2_EvtWriter_NonBlockingCollectiveComplete(w, NULL, end, op_of(m, a),
				 comm, root_of(o, a), a->bytes, a->received, a->request));
		break;
	case RSD_X_COMM_MADE:
		check(o, OTF2_EvtWriter_CommCreate(w, NULL, end, comm));
		break;
	case RSD_X_COMM_FREED:
		if (a->comm > RSD_COMM_SELF)
			check(o, OTF2_EvtWriter_CommDestroy(w, NULL, end, comm));
		break;
	default:
		break;
	}
}

/* Records of one location ascend in time: first all that happens at the beginning of the call. */
static bool is_at_begin(const struct rsd_action *a)
{
	return a->kind == RSD_X_SEND || a->kind == RSD_X_ISEND || a->kind == RSD_X_IRECV ||
	       a->kind == RSD_X_ICOLL;
}

static int put_moment(const struct rsd_moment *m, void *arg)
{
	struct otf2 *o = arg;
	OTF2_EvtWriter *w = o->writer[m->location];
	OTF2_RegionRef region = (OTF2_RegionRef)m->event->func;

	if (m->event->sig >= 0)
		check(o, OTF2_AttributeList_AddSourceCodeLocationRef(o->attributes, RSD_OTF2_SITE,
				 (OTF2_SourceCodeLocationRef)m->event->sig));
	check(o, OTF2_EvtWriter_Enter(w, o->attributes, (uint64_t)m->begin_ns, region));
	for (size_t i = 0; i < m->nr_actions; i++)
		if (m->action[i].kind == RSD_X_COLL)
			check(o, OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, (uint64_t)m->begin_ns));
	for (int late = 0; late < 2; late++) {
		for (size_t i = 0; i < m->nr_actions; i++) {
			if (is_at_begin(&m->action[i]) == late)
				continue;
			put_message(o, w, m, &m->action[i]);
			put_collective(o, w, m, &m->action[i]);
		}
	}
	check(o, OTF2_EvtWriter_Leave(w, NULL, (uint64_t)m->end_ns, region));
	o->end_ns = m->end_ns > o->end_ns ? m->end_ns : o->end_ns;
	return o->failed ? RSD_ERR_FORMAT : 0; /* the message has been printed */
}

/* ---- the archive ---------------------------------------------------------------------------------- */

/* A file stays open for each location. */
static void allow_files(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static uint64_t location_id(const struct rsd_location *l)
{
	return rsd_otf2_location(l->rank, l->thread);
}

static bool open_archive(struct otf2 *o, const char *folder, const struct rsd_timeline *tl)
{
	static const OTF2_MemoryCallbacks memory = { allocate, free_all };
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = before_flush };
	size_t nr;
	const struct rsd_location *l = rsd_timeline_locations(tl, &nr);

	allow_files();
	OTF2_Error_RegisterCallback(complain, NULL);
	o->attributes = OTF2_AttributeList_New();
	o->writer = rsd_calloc(nr + 1, sizeof(OTF2_EvtWriter *));
	o->archive = OTF2_Archive_Open(folder, RSD_OTF2_NAME, OTF2_FILEMODE_WRITE, EVENT_CHUNK,
		DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!o->archive || !o->writer || !o->attributes)
		return false;
	check(o, OTF2_Archive_SetMemoryCallbacks(o->archive, &memory, NULL));
	check(o, OTF2_Archive_SetFlushCallbacks(o->archive, &flush, NULL));
	check(o, OTF2_Archive_SetSerialCollectiveCallbacks(o->archive));
	check(o, OTF2_Archive_SetCreator(o->archive, "record " RSD_VERSION));
	check(o, OTF2_Archive_SetDescription(o->archive, rsd_timeline_times_text(tl)));
	check(o, OTF2_Archive_OpenEvtFiles(o->archive));
	for (size_t i = 0; i < nr && !o->failed; i++) {
		o->writer[i] = OTF2_Archive_GetEvtWriter(o->archive, location_id(&l[i]));
		o->failed |= !o->writer[i];
	}
	return !o->failed;
}

/* What a reader asks of each location's definitions: that the file is there. */
static void write_definitions(struct otf2 *o, const struct rsd_timeline *tl)
{
	size_t nr;
	const struct rsd_location *l = rsd_timeline_locations(tl, &nr);
	uint64_t *events = rsd_calloc(nr + 1, sizeof(*events));

	o->failed |= !events;
	for (size_t i = 0; i < nr && !o->failed; i++) {
		check(o, OTF2_EvtWriter_GetNumberOfEvents(o->writer[i], &events[i]));
		check(o, OTF2_Archive_CloseEvtWriter(o->archive, o->writer[i]));
	}
	if (!o->failed) {
		check(o, OTF2_Archive_CloseEvtFiles(o->archive));
		check(o, OTF2_Archive_OpenDefFiles(o->archive));
	}
	for (size_t i = 0; i < nr && !o->failed; i++) {
		OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(o->archive, location_id(&l[i]));

		o->failed |= !d;
		if (d)
			check(o, OTF2_Archive_CloseDefWriter(o->archive, d));
	}
	if (!o->failed)
		check(o, OTF2_Archive_CloseDefFiles(o->archive));
	if (!o->failed)
		o->failed |= !rsd_otf2_write_definitions(
			o->x, tl, OTF2_Archive_GetGlobalDefWriter(o->archive), events, o->end_ns);
	free(events);
}

static int write_archive(const struct rsd_export *x, struct rsd_timeline *tl, const char *folder)
{
	struct otf2 o = { .x = x };
	int err = 0;

	if (open_archive(&o, folder, tl)) {
		err = rsd_timeline_run(tl, put_moment, &o);
		if (!err)
			write_definitions(&o, tl);
	} else {
		o.failed = true;
	}
	if (o.archive && OTF2_Archive_Close(o.archive) != OTF2_SUCCESS)
		o.failed = true;
	if (o.attributes)
		OTF2_AttributeList_Delete(o.attributes);
	free(o.writer);
	return rsd_sink_code(err) != RSD_EXIT_OK || o.failed ? RSD_EXIT_ERROR : RSD_EXIT_OK;
}

int rsd_export_otf2(const struct rsd_export *x)
{
	struct rsd_timeline *tl = rsd_export_timeline(x);
	struct rsd_folder folder;
	int code = RSD_EXIT_ERROR;

	if (tl && rsd_folder_begin(&folder, x->out, NULL)) {
		code = write_archive(x, tl, folder.side);
		if (!rsd_folder_end(&folder, code == RSD_EXIT_OK))
			code = RSD_EXIT_ERROR;
	}
	rsd_timeline_free(tl);
	return code;
}
