#include "params_pile.h"

#include "util.h"

#define NR_LEVELS RSD_ARRAY_SIZE(((struct rsd_params_pile *)NULL)->level)

void rsd_params_pile_release(struct rsd_params_pile *p)
{
	for (size_t k = 0; k < NR_LEVELS; k++)
		rsd_params_release(&p->level[k]);
	p->nr = 0;
}

int rsd_params_pile_add(struct rsd_params_pile *p, struct rsd_params *one)
{
	struct rsd_params up = *one;
	size_t k = 0;
	int err = 0;

	*one = RSD_PARAMS_INIT;
	for (; (p->nr >> k & 1) && !err; k++) {
		err = rsd_params_merge(&p->level[k], &up);
		rsd_params_release(&up);
		up = p->level[k];
		p->level[k] = RSD_PARAMS_INIT;
	}
	if (err) {
		rsd_params_release(&up);
		return err;
	}
	p->level[k] = up;
	p->nr++;
	return 0;
}

int rsd_params_pile_take(struct rsd_params_pile *p, struct rsd_params *out)
{
	int err = 0;

	for (size_t k = NR_LEVELS; k-- > 0 && !err;)
		err = rsd_params_merge(out, &p->level[k]);
	rsd_params_pile_release(p);
	return err;
}
