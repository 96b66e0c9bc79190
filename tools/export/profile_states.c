/* profile_states.c - the tree of call paths: see profile.h and calltree.h */
#include <inttypes.h>
#include "profile.h"

/* The function that makes the call, where it is known, else where in which module it is. */
static void put_frame(const struct rsd_profile *p, const struct rsd_state *s, struct rsd_buf *out)
{
	const struct rsd_source *known = rsd_sources_site(p->x->sources, s->sig);
	struct rsd_buf name = RSD_BUF_INIT;

	if (!known)
		known = rsd_source_table_find(&p->x->t->sources, s->frame.module, s->frame.offset);
	rsd_format_frame(p->x->format, &s->frame, &name);
	rsd_buf_put_byte(&name, 0);
	if (known && known->nr && known->frame[known->nr - 1].function) {
		rsd_profile_word(known->frame[known->nr - 1].function, out);
		rsd_buf_put_byte(out, '@');
	}
	rsd_profile_word(name.err ? "?" : (const char *)name.data, out);
	rsd_buf_release(&name);
}

bool rsd_profile_states(struct rsd_profile *p)
{
	const struct rsd_calltree *c = &p->tree;
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	for (size_t i = 0; i < c->nr_states; i++) {
		const struct rsd_state *s = &c->state[i];

		rsd_buf_printf(&out, "%zu %d ", i, s->parent < 0 ? 0 : s->parent);
		if (s->kind == RSD_STATE_ROOT)
			rsd_buf_printf(&out, "ROOT");
		else if (s->kind == RSD_STATE_FRAME)
			put_frame(p, s, &out);
		else if (s->kind == RSD_STATE_LOOP)
			rsd_buf_printf(&out, "loop%d", c->item[s->item].loop);
		else
			rsd_buf_printf(
				&out, "%s", p->x->t->func[p->x->t->place[s->place].func].name);
		rsd_buf_put_byte(&out, '\n');
	}
	ok = rsd_profile_put(p, "states.txt", &out);
	rsd_buf_release(&out);
	return ok;
}
