#include "trace.h"
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

static int record_column(struct rsd_place *p, int col, int rank, uint32_t error)
{
	struct rsd_scalars groups = { NULL, 0, 0 };
	struct rsd_column *to = NULL;
	int err;

	if (p->col[col].enc[RSD_E_ABS].nr != 1)
		return 0;
	err = rsd_scalars_group(
		p->col[col].enc[RSD_E_ABS].variant[0].col, col, error, &groups, &to);
	if (to)
		err = take(p, col, rank, &groups, to);
	rsd_scalars_release(&groups);
	return err;
}

/* Is every call's of one type? Else the sum of counts says nothing of bytes. */
static bool has_one_type(const struct rsd_place *p, const struct rsd_func *f, int type)
{
	const struct rsd_params *q = type < 0 ? NULL : &p->col[rsd_func_first_column(f, type)];
	int64_t v;

	return !q || (q->enc[RSD_E_ABS].nr == 1 &&
			     rsd_column_is_constant(q->enc[RSD_E_ABS].variant[0].col, &v));
}

/* A count that is sent and received by one call (MPI_Sendrecv_replace) has to agree with another rank's. */
static int record_place(struct rsd_place *p, const struct rsd_func *f, int rank, uint32_t error)
{
	const int param[] = { f->sent_count, f->recv_count };
	const int type[] = { f->sent_type, f->recv_type };
	int err = 0;

	if (f->class != RSD_C_P2P || f->sent_count == f->recv_count)
		return 0;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(param) && !err; i++) {
		int col = rsd_scalar_column(f, param[i]);

		if (col >= 0 && has_one_type(p, f, type[i]))
			err = record_column(p, col, rank, error);
	}
	return err;
}

int rsd_scalars_record(struct rsd_trace *t, int rank, double percent)
{
	uint32_t error = rsd_scalar_error(percent);
	int err = 0;

	for (size_t i = 0; i < t->nr_places && !err && error; i++)
		err = record_place(&t->place[i], &t->func[t->place[i].func], rank, error);
	return err;
}
