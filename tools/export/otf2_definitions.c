/* otf2_definitions.c - see otf2_definitions.h */
#include "otf2_definitions.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

struct defs {
	const struct rsd_export *x;
	const struct rsd_timeline *tl;
	OTF2_GlobalDefWriter *w;
	struct rsd_strings strings;
	size_t written; /* of the strings */
	uint32_t groups;
	bool failed;
};

static void check(struct defs *d, OTF2_ErrorCode code)
{
	d->failed |= code != OTF2_SUCCESS;
}

static OTF2_StringRef string(struct defs *d, const char *s, size_t len)
{
	int id = rsd_strings_intern(&d->strings, s, len);

	if (id < 0) {
		d->failed = true;
		return OTF2_UNDEFINED_STRING;
	}
	for (; d->written < d->strings.nr; d->written++)
		check(d, OTF2_GlobalDefWriter_WriteString(
				 d->w, (OTF2_StringRef)d->written, d->strings.str[d->written].s));
	return (OTF2_StringRef)id;
}

static OTF2_StringRef text(struct defs *d, const char *s)
{
	return string(d, s, strlen(s));
}

static OTF2_StringRef text_of(struct defs *d, struct rsd_buf *b)
{
	OTF2_StringRef s =
		b->err ? OTF2_UNDEFINED_STRING : string(d, b->len ? (char *)b->data : "", b->len);

	d->failed |= b->err != 0;
	rsd_buf_release(b);
	return s;
}

/* ---- the run ------------------------------------------------------------------------------------ */

static void write_paradigm(struct defs *d)
{
	check(d, OTF2_GlobalDefWriter_WriteParadigm(
			 d->w, OTF2_PARADIGM_MPI, text(d, "MPI"), OTF2_PARADIGM_CLASS_PROCESS));
	check(d, OTF2_GlobalDefWriter_WriteParadigmProperty(d->w, OTF2_PARADIGM_MPI,
			 OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING,
			 (OTF2_AttributeValue){ .stringRef = text(d, "MPI Communicator ${id}") }));
	check(d, OTF2_GlobalDefWriter_WriteAttribute(d->w, RSD_OTF2_SITE, text(d, "call site"),
			 text(d, "where the program calls the function"),
			 OTF2_TYPE_SOURCE_CODE_LOCATION));
}

static void write_host(struct defs *d)
{
	const char *host = rsd_trace_get_meta(d->x->t, "host");
	const char *drawn = rsd_trace_get_meta(d->x->t, RSD_META_DRAWN);

	check(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->w, 0, text(d, host ? host : "unknown"),
			 text(d, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	check(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(d->w, 0, text(d, "record::trace"),
			 OTF2_TYPE_STRING,
			 (OTF2_AttributeValue){ .stringRef = text(d, d->x->path) }));
	check(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(d->w, 0, text(d, "record::times"),
			 OTF2_TYPE_STRING,
			 (OTF2_AttributeValue){
				 .stringRef = text(d, rsd_timeline_times_text(d->tl)) }));
	if (drawn)
		check(d, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(d->w, 0,
				 text(d, "record::drawn"), OTF2_TYPE_STRING,
				 (OTF2_AttributeValue){ .stringRef = text(d, drawn) }));
}

static void write_location(struct defs *d, int rank, int thread, uint64_t events)
{
	struct rsd_buf name = RSD_BUF_INIT;

	rsd_buf_printf(&name, thread ? "Thread %d" : "Main thread", thread);
	check(d, OTF2_GlobalDefWriter_WriteLocation(d->w, rsd_otf2_location(rank, thread),
			 text_of(d, &name), OTF2_LOCATION_TYPE_CPU_THREAD, events,
			 (OTF2_LocationGroupRef)rank));
}

/* All processes of the run, those without events too, so that communicators can name them. */
static void write_locations(struct defs *d, const uint64_t *events)
{
	size_t nr, at = 0;
	const struct rsd_location *l = rsd_timeline_locations(d->tl, &nr);

	for (int rank = 0; rank < d->x->t->nprocs; rank++) {
		struct rsd_buf name = RSD_BUF_INIT;
		bool main = false;

		rsd_buf_printf(&name, "MPI Rank %d", rank);
		check(d, OTF2_GlobalDefWriter_WriteLocationGroup(d->w, (OTF2_LocationGroupRef)rank,
				 text_of(d, &name), OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
				 OTF2_UNDEFINED_LOCATION_GROUP));
		for (; at < nr && l[at].rank == rank; at++) {
			main |= l[at].thread == 0;
			write_location(d, rank, rsd_thread_number(l[at].thread), events[at]);
		}
		if (!main)
			write_location(d, rank, 0, 0);
	}
}

/* ---- functions and call sites ----------------------------------------------------------------------- */

static OTF2_RegionRole role_of(const struct rsd_func *f)
{
	if (strcmp(f->name, "MPI_Barrier") == 0)
		return OTF2_REGION_ROLE_BARRIER;
	switch ((enum rsd_class)f->class) {
	case RSD_C_P2P:
	case RSD_C_COMPLETION:
		return OTF2_REGION_ROLE_POINT2POINT;
	case RSD_C_COLL:
		return strstr(f->name, "ll") ? OTF2_REGION_ROLE_COLL_ALL2ALL
					     : OTF2_REGION_ROLE_COLL_OTHER;
	case RSD_C_RMA:
		return OTF2_REGION_ROLE_RMA;
	case RSD_C_IO:
		return OTF2_REGION_ROLE_FILE_IO;
	default:
		return OTF2_REGION_ROLE_FUNCTION;
	}
}

static void write_regions(struct defs *d)
{
	const struct rsd_trace *t = d->x->t;
	OTF2_StringRef none = text(d, "");

	for (size_t i = 0; i < t->nr_funcs; i++) {
		OTF2_StringRef name = text(d, t->func[i].name);

		check(d, OTF2_GlobalDefWriter_WriteRegion(d->w, (OTF2_RegionRef)i, name, name, none,
				 role_of(&t->func[i]), OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
				 text(d, "MPI"), 0, 0));
	}
}

static void write_sites(struct defs *d)
{
	for (size_t i = 0; i < d->x->t->sigs.nr_sigs; i++) {
		const struct rsd_source *s = rsd_sources_site(d->x->sources, (int)i);
		struct rsd_buf site = RSD_BUF_INIT;
		OTF2_StringRef file;
		uint32_t line = 0;

		if (s && s->frame[0].file && s->frame[0].line) {
			file = text(d, s->frame[0].file);
			line = s->frame[0].line;
		} else {
			rsd_format_site(d->x->format, (int)i, RSD_STYLE_TEXT, &site);
			file = text_of(d, &site);
		}
		check(d, OTF2_GlobalDefWriter_WriteSourceCodeLocation(
				 d->w, (OTF2_SourceCodeLocationRef)i, file, line));
	}
}

/* ---- communicators --------------------------------------------------------------------------------- */

static uint32_t write_group(
	struct defs *d, OTF2_GroupType type, const char *name, const int *member, int nr)
{
	uint64_t *list = rsd_calloc((size_t)nr + 1, sizeof(*list));
	uint32_t known = 0;

	d->failed |= !list;
	for (int i = 0; list && i < nr; i++)
		if (!member || member[i] >= 0)
			list[known++] = member ? (uint64_t)member[i] : (uint64_t)i;
	if (list)
		check(d, OTF2_GlobalDefWriter_WriteGroup(d->w, d->groups, text(d, name), type,
				 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, known, list));
	free(list);
	return d->groups++;
}

static void write_comm(struct defs *d, const struct rsd_comm *c, int id)
{
	struct rsd_buf name = RSD_BUF_INIT;
	OTF2_CommRef parent = c->parent < 0 ? OTF2_UNDEFINED_COMM : (OTF2_CommRef)c->parent;
	uint32_t group = write_group(d, OTF2_GROUP_TYPE_COMM_GROUP, "", c->member[0], c->size[0]),
		 other;
	OTF2_CommFlag flags =
		id > RSD_COMM_SELF ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;

	if (id > RSD_COMM_SELF)
		rsd_buf_printf(&name, "%s %d", c->inter ? "Intercommunicator" : "Communicator", id);
	else
		rsd_buf_printf(&name, "MPI_COMM_WORLD");
	if (!c->inter) {
		check(d, OTF2_GlobalDefWriter_WriteComm(
				 d->w, (OTF2_CommRef)id, text_of(d, &name), group, parent, flags));
		return;
	}
	other = write_group(d, OTF2_GROUP_TYPE_COMM_GROUP, "", c->member[1], c->size[1]);
	check(d, OTF2_GlobalDefWriter_WriteInterComm(d->w, (OTF2_CommRef)id, text_of(d, &name),
			 group, other, OTF2_UNDEFINED_COMM, flags));
}

static void write_comms(struct defs *d)
{
	const struct rsd_comms *c = rsd_timeline_comms(d->tl);

	write_group(d, OTF2_GROUP_TYPE_COMM_LOCATIONS, "", NULL, d->x->t->nprocs);
	for (size_t i = 0; i < c->nr; i++) {
		if (i != RSD_COMM_SELF) {
			write_comm(d, &c->comm[i], (int)i);
			continue;
		}
		check(d, OTF2_GlobalDefWriter_WriteComm(d->w, (OTF2_CommRef)i,
				 text(d, "MPI_COMM_SELF"),
				 write_group(d, OTF2_GROUP_TYPE_COMM_SELF, "", NULL, 0),
				 OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	}
}

bool rsd_otf2_write_definitions(const struct rsd_export *x, const struct rsd_timeline *tl,
	OTF2_GlobalDefWriter *w, const uint64_t *events, int64_t end_ns)
{
	struct defs d = { .x = x, .tl = tl, .w = w };

	if (!w)
		return false;
	text(&d, ""); /* string 0 */
	check(&d, OTF2_GlobalDefWriter_WriteClockProperties(
			  w, 1000000000, 0, (uint64_t)end_ns + 1, OTF2_UNDEFINED_TIMESTAMP));
	write_paradigm(&d);
	write_host(&d);
	write_locations(&d, events);
	write_regions(&d);
	write_sites(&d);
	write_comms(&d);
	rsd_strings_release(&d.strings);
	return !d.failed;
}
