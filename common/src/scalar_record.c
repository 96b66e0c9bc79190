#include "scalar_agree.h"
#include "util.h"

/* Puts 'to' in the place of the column; takes both. */
static int take(
	struct rsd_place *p, int col, int rank, struct rsd_scalars *groups, struct rsd_column *to)
{
	struct rsd_params *params = &p->col[col];
	struct rsd_params out = RSD_PARAMS_INIT;
	size_t had = p->scalars.nr;
	int err = 0;

	for (size_t i = 0; i < groups->nr && !err; i++)
		err = rsd_ranks_append(&groups->s[i].ranks, rank);
	if (err) {
		rsd_column_free(to);
		return err;
	}
	err = rsd_params_set(&out, rank, to, NULL);
	if (!err)
		err = rsd_scalars_merge(&p->scalars, groups);
	if (!err) {
		rsd_params_release(params);
		*params = out;
		return 0;
	}
	while (p->scalars.nr > had) /* what nothing refers to */
		rsd_ranks_release(&p->scalars.s[--p->scalars.nr].ranks);
	rsd_params_release(&out);
	return err;
}

static int record_column(struct rsd_place *p, int col, int rank, uint32_t error, uint64_t *room)
{
	struct rsd_scalars groups = { NULL, 0, 0 };
	struct rsd_column *to = NULL;
	uint64_t cost;
	int err;

	if (p->col[col].enc[RSD_E_ABS].nr != 1)
		return 0;
	cost = RSD_SCALAR_RANK_COST + rsd_column_length(p->col[col].enc[RSD_E_ABS].variant[0].col);
	if (cost > *room)
		return 0;
	err = rsd_scalars_group(
		p->col[col].enc[RSD_E_ABS].variant[0].col, col, error, &groups, &to);
	if (to) {
		*room -= cost;
		err = take(p, col, rank, &groups, to);
	}
	rsd_scalars_release(&groups);
	return err;
}

bool rsd_scalar_has_one_type(const struct rsd_place *p, const struct rsd_func *f, int type)
{
	const struct rsd_params *q = type < 0 ? NULL : &p->col[rsd_func_first_column(f, type)];
	int64_t v;

	for (size_t i = 0; q && i < q->enc[RSD_E_ABS].nr; i++)
		if (q->enc[RSD_E_ABS].variant[i].nr_numbers ||
			!rsd_column_is_constant(q->enc[RSD_E_ABS].variant[i].col, &v))
			return false;
	return true;
}

/*
 * What readers may have to draw of what this rank records here, if all ranks record as much: a quarter of all that they do
 * draw; as much of all parts that leave memory before the end, each of which halves what the next one has; and half of that of
 * what comes after MPI_Finalize. The rest is for what ranks agree on (rsd_scalars_agree).
 */
static uint64_t share(const struct rsd_trace *t)
{
	uint64_t room = RSD_SCALAR_MAX_DRAWN / 4 / (uint64_t)t->nprocs;
	int thread = t->nr_trees ? t->tree[0].thread : 0, halved;

	if (rsd_thread_is_after(thread))
		return room / 2;
	if (t->nr_trees != 1 || !rsd_thread_part(thread))
		return room;
	halved = rsd_thread_part(thread) + rsd_thread_number(thread) + 1;
	return halved < 64 ? room >> halved : 0;
}

/* A count that is sent and received by one call (MPI_Sendrecv_replace) has to agree with another rank's. */
static int record_place(
	struct rsd_place *p, const struct rsd_func *f, int rank, uint32_t error, uint64_t *room)
{
	const int param[] = { f->sent_count, f->recv_count };
	const int type[] = { f->sent_type, f->recv_type };
	int err = 0;

	if (f->class != RSD_C_P2P || f->sent_count == f->recv_count)
		return 0;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(param) && !err; i++) {
		int col = rsd_scalar_column(f, param[i]);

		if (col >= 0 && rsd_scalar_has_one_type(p, f, type[i]))
			err = record_column(p, col, rank, error, room);
	}
	return err;
}

int rsd_scalars_record(struct rsd_trace *t, int rank, double percent)
{
	uint32_t error = rsd_scalar_error(percent);
	uint64_t room = share(t);
	int err = 0;

	for (size_t i = 0; i < t->nr_places && !err && error; i++)
		err = record_place(&t->place[i], &t->func[t->place[i].func], rank, error, &room);
	return err;
}
