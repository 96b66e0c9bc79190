#include "requests.h"

#include <stdlib.h>
#include <string.h>
#include "opstruct.h"
#include "util.h"

#define BLOCK 64

struct rsd_live_block {
	struct rsd_live_block *next;
	struct rsd_live entry[BLOCK];
};

void rsd_request_table_release(struct rsd_request_table *t)
{
	struct rsd_live_block *b = t->blocks;

	while (b) {
		struct rsd_live_block *next = b->next;

		for (int i = 0; i < BLOCK; i++) {
			struct rsd_scratch of = { b->entry[i].kept, NULL };

			rsd_scratch_release(&of);
		}
		free(b);
		b = next;
	}
	rsd_map_release(&t->by_serial);
	rsd_map_release(&t->by_slot);
	free(t->now.seen);
	memset(t, 0, sizeof(*t));
}

struct rsd_live *rsd_request_new(struct rsd_request_table *t)
{
	struct rsd_live *l = t->free;

	if (!l) {
		struct rsd_live_block *b = rsd_calloc(1, sizeof(*b));

		if (!b)
			return NULL;
		b->next = t->blocks;
		t->blocks = b;
		for (int i = BLOCK - 1; i >= 0; i--) {
			b->entry[i].next_free = t->free;
			t->free = &b->entry[i];
		}
		l = t->free;
	}
	t->free = l->next_free;
	*l = (struct rsd_live){ .request = MPI_REQUEST_NULL, .table = t };
	return l;
}

int rsd_request_made(struct rsd_request_table *t, struct rsd_live *l, int64_t slot)
{
	int err;

	l->persistent = slot >= 0;
	l->serial = l->persistent ? (uint64_t)slot : ++t->head;
	t->now.counted |= !l->persistent;
	err = rsd_map_set(
		l->persistent ? &t->by_slot : &t->by_serial, l->serial, (uint64_t)(uintptr_t)l);
	if (err)
		return err;
	l->live = true;
	t->live++;
	return 0;
}

struct rsd_live *rsd_request_find(const struct rsd_request_table *t, int64_t id)
{
	const uint64_t *found = NULL;

	if (id < 0)
		found = rsd_map_find(&t->by_slot, (uint64_t)(-1 - id));
	else if (rsd_is_foreign(id))
		found = rsd_map_find(&t->by_serial, rsd_foreign_number(id) + 1);
	else if ((uint64_t)id < t->head)
		found = rsd_map_find(&t->by_serial, t->head - (uint64_t)id);
	return found ? (struct rsd_live *)(uintptr_t)*found : NULL;
}

bool rsd_request_was_made(const struct rsd_request_table *t, int64_t id)
{
	return rsd_is_foreign(id) ? rsd_foreign_number(id) < t->head
				  : rsd_request_find(t, id) != NULL;
}

static void release_if_done(struct rsd_request_table *t)
{
	uint64_t head = t->head;

	if (!t->closed || t->live || t->held)
		return;
	rsd_request_table_release(t);
	t->head = head;
	t->closed = true;
}

void rsd_request_table_close(struct rsd_request_table *t)
{
	t->closed = true;
	release_if_done(t);
}

static void give_back(struct rsd_live *l)
{
	struct rsd_request_table *t = l->table;

	l->next_free = t->free;
	t->free = l;
	release_if_done(t);
}

void rsd_request_hold(struct rsd_live *l, bool ends)
{
	l->table->held += !l->holders++;
	l->users += !ends;
}

void rsd_request_let_go(struct rsd_live *l, bool ends)
{
	l->users -= !ends;
	if (--l->holders)
		return;
	l->table->held--;
	if (l->live)
		return;
	give_back(l);
}

bool rsd_request_is_being_ended(const struct rsd_live *l)
{
	return l->holders > l->users;
}

void rsd_request_drop(struct rsd_live *l)
{
	struct rsd_request_table *t = l->table;

	if (l->live) {
		t->live--;
		rsd_map_delete(l->persistent ? &t->by_slot : &t->by_serial, l->serial);
	}
	l->live = false;
	if (!l->holders)
		give_back(l);
}
