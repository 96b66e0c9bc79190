/* match.c - see match.h */
#include "match.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

struct slot {
	struct rsd_message m;
	bool taken;
};

struct rsd_channel {
	struct rsd_channel_name name;
	struct rsd_channel *next; /* of the same hash */
	uint64_t sent, tickets,
		done;	/* so many of each: done are those that were taken, or cancelled */
	uint64_t first; /* the number of slot[head] */
	struct slot *slot;
	size_t head, nr, alloc; /* slot[head .. nr) */
};

uint64_t rsd_match_key(const struct rsd_channel_name *c)
{
	uint64_t h = rsd_hash_mix((uint64_t)(unsigned)c->source << 32 | (unsigned)c->dest);

	return rsd_hash_mix(h ^ (uint64_t)c->tag * 0x9e3779b97f4a7c15u ^
			    (uint64_t)(unsigned)c->comm << 40) |
	       1;
}

static bool is_same(const struct rsd_channel_name *a, const struct rsd_channel_name *b)
{
	return a->comm == b->comm && a->source == b->source && a->dest == b->dest &&
	       a->tag == b->tag;
}

static struct rsd_channel *first_of(const struct rsd_match *m, uint64_t key)
{
	const uint64_t *at = rsd_map_find(&m->by_hash, key);

	return at ? (struct rsd_channel *)(uintptr_t)*at : NULL;
}

static struct rsd_channel *find(const struct rsd_match *m, const struct rsd_channel_name *c)
{
	struct rsd_channel *ch = first_of(m, rsd_match_key(c));

	while (ch && !is_same(&ch->name, c))
		ch = ch->next;
	return ch;
}

static struct rsd_channel *find_or_add(struct rsd_match *m, const struct rsd_channel_name *c)
{
	struct rsd_channel *ch = find(m, c);
	uint64_t key = rsd_match_key(c);

	if (ch)
		return ch;
	ch = rsd_calloc(1, sizeof(*ch));
	if (!ch)
		return NULL;
	ch->name = *c;
	ch->first = 1;
	ch->next = first_of(m, key);
	if (rsd_map_set(&m->by_hash, key, (uint64_t)(uintptr_t)ch)) {
		free(ch);
		return NULL;
	}
	return ch;
}

/* A channel with nothing under way is as if it had never been. */
static void drop_if_idle(struct rsd_match *m, struct rsd_channel *ch)
{
	uint64_t key = rsd_match_key(&ch->name);
	struct rsd_channel *at = first_of(m, key);

	if (ch->sent != ch->tickets || ch->done != ch->sent)
		return;
	if (at == ch && ch->next) {
		*rsd_map_find(&m->by_hash, key) = (uint64_t)(uintptr_t)ch->next;
	} else if (at == ch) {
		rsd_map_delete(&m->by_hash, key);
	} else {
		while (at->next != ch)
			at = at->next;
		at->next = ch->next;
	}
	free(ch->slot);
	free(ch);
}

void rsd_match_release(struct rsd_match *m)
{
	for (size_t i = 0; i < m->by_hash.alloc; i++) {
		struct rsd_channel *ch =
			m->by_hash.slot[i].used
				? (struct rsd_channel *)(uintptr_t)m->by_hash.slot[i].value
				: NULL;

		while (ch) {
			struct rsd_channel *next = ch->next;

			free(ch->slot);
			free(ch);
			ch = next;
		}
	}
	rsd_map_release(&m->by_hash);
}

static void pop_taken(struct rsd_channel *ch)
{
	while (ch->head < ch->nr && ch->slot[ch->head].taken) {
		ch->head++;
		ch->first++;
	}
	if (ch->head == ch->nr)
		ch->head = ch->nr = 0;
}

bool rsd_match_send(
	struct rsd_match *m, const struct rsd_channel_name *c, struct rsd_message *message)
{
	struct rsd_channel *ch = find_or_add(m, c);

	if (!ch)
		return false;
	if (ch->head > 32 && ch->head > ch->nr / 2) {
		memmove(ch->slot, ch->slot + ch->head, (ch->nr - ch->head) * sizeof(*ch->slot));
		ch->nr -= ch->head;
		ch->head = 0;
	}
	if (RSD_GROW(ch->slot, ch->nr + 1, ch->alloc))
		return false;
	message->id = ++m->last_id;
	message->number = ++ch->sent;
	ch->slot[ch->nr++] = (struct slot){ *message, false };
	return true;
}

uint64_t rsd_match_ticket(struct rsd_match *m, const struct rsd_channel_name *c)
{
	struct rsd_channel *ch = find_or_add(m, c);

	return ch ? ++ch->tickets : 0;
}

bool rsd_match_take(struct rsd_match *m, const struct rsd_channel_name *c, uint64_t ticket,
	struct rsd_message *out)
{
	struct rsd_channel *ch = find(m, c);
	struct slot *s;

	if (!ch || ticket < ch->first || ticket - ch->first >= ch->nr - ch->head)
		return false;
	s = &ch->slot[ch->head + (ticket - ch->first)];
	if (s->taken)
		return false;
	*out = s->m;
	s->taken = true;
	ch->done++;
	pop_taken(ch);
	drop_if_idle(m, ch);
	return true;
}

void rsd_match_cancel(struct rsd_match *m, const struct rsd_channel_name *c, uint64_t ticket)
{
	struct rsd_channel *ch = find(m, c);

	if (!ch || ticket != ch->tickets || ticket < ch->first)
		return; /* those behind it keep their numbers */
	ch->tickets--;
	drop_if_idle(m, ch);
}
