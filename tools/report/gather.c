/* gather.c - calls, bytes and times of places and events, by call site and by rank */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include "classes.h"
#include "util.h"
#include "walk.h"
#include "weight.h"

/* ---- rows ---------------------------------------------------------------------------------- */

/* The site's number: by its text, so that equal sites of different stacks are one. */
static int site_number(struct report *r, int sig)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int id = RSD_ERR_NOMEM;

	if (!rsd_format_site(r->f, sig, RSD_STYLE_TEXT, &text))
		rsd_buf_put_byte(&text, '?');
	if (!text.err)
		id = rsd_strings_intern(&r->sites, (const char *)text.data, text.len);
	rsd_buf_release(&text);
	return id;
}

/* The index of the row of function and signature. 0 or RSD_ERR_NOMEM. */
static int find_row(struct report *r, int func, int sig, size_t *index)
{
	int site = site_number(r, sig);
	uint64_t id = (uint64_t)(uint32_t)site << 32 | (uint32_t)func;
	uint64_t *at = site < 0 ? NULL : rsd_map_find(&r->row_by_key, id);

	if (site < 0)
		return site;
	if (at) {
		*index = *at;
		return 0;
	}
	if (RSD_GROW(r->row, r->nr_rows + 1, r->alloc_rows) ||
		rsd_map_set(&r->row_by_key, id, r->nr_rows))
		return RSD_ERR_NOMEM;
	r->row[r->nr_rows] =
		(struct report_row){ .func = func, .site = site, .min_rank = -1, .max_rank = -1 };
	rsd_histogram_init(&r->row[r->nr_rows].before);
	*index = r->nr_rows++;
	return 0;
}

/* NULL: no memory. Holds until the next one is looked for. */
static struct report_spot *find_spot(struct report *r, int func, int sig)
{
	uint64_t id = (uint64_t)(uint32_t)sig << 32 | (uint32_t)func;
	uint64_t *at = rsd_map_find(&r->spot_by_key, id);
	struct report_spot s = { .func = func, .sig = sig };

	if (at)
		return &r->spot[*at];
	if (find_row(r, func, sig, &s.row) || RSD_GROW(r->spot, r->nr_spots + 1, r->alloc_spots) ||
		rsd_map_set(&r->spot_by_key, id, r->nr_spots))
		return NULL;
	r->spot[r->nr_spots] = s;
	return &r->spot[r->nr_spots++];
}

static void add_histogram(struct report_row *row, const struct rsd_histogram *h)
{
	if (!h->nr)
		return;
	if (!row->timed || h->min < row->min_ns) {
		row->min_ns = h->min;
		row->min_rank = h->min_rank;
	}
	if (!row->timed || h->max > row->max_ns) {
		row->max_ns = h->max;
		row->max_rank = h->max_rank;
	}
	row->timed += h->nr;
	row->total_ns += h->sum;
	for (int b = 0; b < RSD_HISTOGRAM_BINS; b++)
		row->bin[b] += h->bin[b];
}

/* ---- places -------------------------------------------------------------------------------- */

/* Columns with one value for all ranks and calls; *v is it. */
static bool is_fixed(const struct rsd_params *p, int64_t *v)
{
	const struct rsd_variant *one = p->enc[RSD_E_ABS].variant;

	return p->enc[RSD_E_ABS].nr == 1 && !p->enc[RSD_E_REL].nr && !one->nr_numbers &&
	       rsd_column_is_constant(one->col, v);
}

static int find_role(const struct rsd_func *fn, int role)
{
	for (int i = 0; i < fn->nr_params; i++)
		if (fn->param[i].role == role)
			return i;
	return -1;
}

/* Roots send or receive what others do not. */
static int split_by_weight(struct report *r, const struct rsd_place *p, enum rsd_weight weight,
	struct report_classes *c)
{
	const struct rsd_func *fn = &r->t->func[p->func];
	int param = find_role(fn, RSD_R_COMM), peer = find_role(fn, RSD_R_PEER), err;
	struct rsd_ranks one = RSD_RANKS_INIT;
	int64_t comm, root = 0;

	if (weight == RSD_WEIGHT_ONCE)
		return 0;
	if (param < 0 || !is_fixed(rsd_place_columns(r->t, p, param), &comm) ||
		!rsd_is_const(comm) || strcmp(rsd_format_constant(r->t, comm), "MPI_COMM_WORLD")) {
		report_classes_each(c);
		return 0;
	}
	if (weight == RSD_WEIGHT_PEERS)
		return 0;
	if (weight != RSD_WEIGHT_NOT_FIRST &&
		(peer < 0 || !is_fixed(rsd_place_columns(r->t, p, peer), &root) || root < 0 ||
			root >= r->t->nprocs)) {
		report_classes_each(c);
		return 0;
	}
	err = rsd_ranks_append(&one, (int)root);
	if (!err)
		err = report_classes_split_at(c, &one, false);
	rsd_ranks_release(&one);
	return err;
}

static int split(struct report *r, const struct rsd_place *p, struct report_classes *c)
{
	const struct rsd_func *fn = &r->t->func[p->func];
	const struct rsd_flow flow = rsd_flow_of(fn);
	const int param[] = { fn->sent_count, fn->sent_type, fn->recv_count, fn->recv_type };
	int err = report_classes_split(c, rsd_volume_calls(r->t, p));

	for (size_t i = 0; i < RSD_ARRAY_SIZE(param) && !err; i++) {
		const struct rsd_params *col;
		int nr;

		if (param[i] < 0)
			continue;
		if (!r->types_shared)
			report_classes_each(c);
		col = rsd_place_columns(r->t, p, param[i]);
		nr = rsd_type_columns((enum rsd_type)fn->param[param[i]].type);
		for (int k = 0; k < nr && !err; k++)
			err = report_classes_split(c, &col[k]);
	}
	if (!err)
		err = split_by_weight(r, p, flow.sent, c);
	return err ? err : split_by_weight(r, p, flow.received, c);
}

/* What a rank spent in the place's calls, where all of them were kept. */
static double time_of_rank(const struct rsd_place *p, int rank)
{
	struct rsd_column_stats s = { .sum = 0 };
	enum rsd_encoding enc;
	struct rsd_column *col;

	if (!p->has_times || rsd_params_get(&p->dur_ns, rank, &enc, &col))
		return 0;
	rsd_column_stats(col, &s);
	rsd_column_free(col);
	return s.sum;
}

static int add_class(struct report *r, const struct rsd_place *p, const struct report_class *c,
	struct rsd_volume *sum)
{
	bool each = c->each || p->has_times;
	int rank = rsd_ranks_first(&c->ranks), err = 0;
	struct rsd_volume v;

	if (!each) {
		err = rsd_volume_of_rank(r->t, p, rank, &v);
		rsd_volume_add(sum, &v, rsd_ranks_count(&c->ranks));
		report_load_add(&r->load, &c->ranks, &v);
		return err;
	}
	for (; rank >= 0 && !err; rank = rsd_ranks_next(&c->ranks, rank)) {
		err = rsd_volume_of_rank(r->t, p, rank, &v);
		rsd_volume_add(sum, &v, 1);
		report_load_add_rank(&r->load, rank, &v, time_of_rank(p, rank));
	}
	return err;
}

static int add_timing(struct report_spot *spot, struct report_row *row, const struct rsd_place *p)
{
	if (!p->has_timing)
		return 0;
	add_histogram(row, &p->timing.dur);
	add_histogram(row, &p->timing.dur_first);
	spot->ns += p->timing.dur.sum + p->timing.dur_first.sum;
	return rsd_histogram_merge(&row->before, &p->timing.before);
}

static int add_place(struct report *r, size_t place)
{
	const struct rsd_place *p = &r->t->place[place];
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	struct report_classes c = REPORT_CLASSES_INIT;
	struct report_spot *spot;
	struct rsd_volume v = { 0 };
	int err = rsd_params_ranks(rsd_volume_calls(r->t, p), &ranks);

	r->row_of_place[place] = SIZE_MAX;
	if (!err && rsd_ranks_is_empty(&ranks))
		goto out;
	if (!err && !(spot = find_spot(r, p->func, p->sig)))
		err = RSD_ERR_NOMEM;
	if (!err)
		err = report_classes_begin(&c, &ranks);
	if (!err)
		err = split(r, p, &c);
	for (size_t i = 0; i < c.nr && !err; i++)
		err = add_class(r, p, &c.class[i], &v);
	if (!err) {
		rsd_volume_add(&spot->v, &v, 1);
		rsd_volume_add(&r->row[spot->row].v, &v, 1);
		r->row_of_place[place] = spot->row;
		err = add_timing(spot, &r->row[spot->row], p);
	}
	if (!err && r->row_of_place[place] != SIZE_MAX)
		err = report_flows_of_place(r, p, &r->row[spot->row]);
out:
	report_classes_release(&c);
	rsd_ranks_release(&ranks);
	return err;
}

/* ---- flat logs ------------------------------------------------------------------------------ */

static int add_event(struct report *r, const struct rsd_event *e, uint64_t before_ns)
{
	uint64_t ns = (uint64_t)e->dur_ns;
	uint32_t bin[RSD_HISTOGRAM_BINS] = { 0 };
	struct report_spot *spot = find_spot(r, e->func, e->sig);
	struct rsd_volume v;

	if (!spot)
		return RSD_ERR_NOMEM;
	rsd_volume_of_event(r->t, e, &v);
	rsd_volume_add(&spot->v, &v, 1);
	rsd_volume_add(&r->row[spot->row].v, &v, 1);
	report_load_add_rank(&r->load, e->rank, &v, e->has_time ? (double)ns : 0);
	if (e->has_time) {
		bin[rsd_histogram_bin(ns)] = 1;
		add_histogram(&r->row[spot->row],
			&(struct rsd_histogram){ 1, ns, ns, ns, e->rank, e->rank, bin });
		spot->ns += ns;
		if (rsd_histogram_add_of(&r->row[spot->row].before, before_ns, e->rank))
			return RSD_ERR_NOMEM;
	}
	return report_flows_of_event(r, e, &r->row[spot->row]);
}

static int add_log(struct report *r, const struct rsd_log *log)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int64_t end_ns = 0; /* of the call before */
	int err = rsd_walk_new_log(&w, r->t, log);

	while (!err && !(err = rsd_walk_next(w, &e))) {
		err = add_event(r, &e, rsd_event_before(&e, &end_ns));
		rsd_progress_step(&r->progress, 1);
	}
	if (err == RSD_ERR_FORMAT)
		rsd_tool_walk_failed(r->t, log->rank, w, err);
	rsd_walk_free(w);
	return err == RSD_ERR_END ? 0 : err;
}

/* ---- all -------------------------------------------------------------------------------------- */

static bool has_shared_types(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_objects; i++) {
		const struct rsd_params *size = &t->object[i].attr[0];

		if (t->object[i].kind == RSD_O_DATATYPE &&
			(size->enc[RSD_E_ABS].nr != 1 || size->enc[RSD_E_REL].nr ||
				size->enc[RSD_E_ABS].variant[0].nr_numbers))
			return false;
	}
	return true;
}

int report_gather(struct report *r)
{
	const struct rsd_trace *t = r->t;
	int err = report_load_init(&r->load, t->nprocs);

	report_links_init(&r->links, t->nprocs);
	r->types_shared = has_shared_types(t);
	r->row_of_place = rsd_calloc(t->nr_places + 1, sizeof(*r->row_of_place));
	r->groups = report_groups_new(t);
	if (!r->row_of_place || !r->groups)
		err = RSD_ERR_NOMEM;
	rsd_progress_begin(
		&r->progress, t->nr_logs ? "events" : "places", t->nr_logs ? 0 : t->nr_places);
	for (size_t i = 0; i < t->nr_places && !err; i++) {
		err = add_place(r, i);
		if (err == RSD_ERR_FORMAT)
			rsd_tool_places_failed(t, err);
		if (!t->nr_logs)
			rsd_progress_step(&r->progress, 1);
	}
	for (size_t i = 0; i < t->nr_logs && !err; i++)
		err = add_log(r, &t->log[i]);
	if (!err)
		err = report_flows_finish(r);
	rsd_progress_end(&r->progress);
	if (!err)
		report_load_settle(&r->load);
	return err;
}

void report_release(struct report *r)
{
	for (size_t i = 0; i < r->nr_rows; i++)
		rsd_histogram_release(&r->row[i].before);
	free(r->row);
	free(r->spot);
	rsd_map_release(&r->spot_by_key);
	free(r->row_of_place);
	rsd_map_release(&r->row_by_key);
	rsd_strings_release(&r->sites);
	report_load_release(&r->load);
	report_links_release(&r->links);
	report_groups_free(r->groups);
	free(r->pair);
	rsd_map_release(&r->pair_by_key);
}
