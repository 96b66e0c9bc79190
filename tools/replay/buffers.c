/* MAP_ANONYMOUS, MAP_NORESERVE */
#define _DEFAULT_SOURCE
#include "buffers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "util.h"

#define ALIGN ((size_t)64)
#define SCRATCH_BLOCK ((size_t)4096)

/* ---- mappings: pages that are never written cost nothing ------------------------------ */

static size_t page_size(void)
{
	long n = sysconf(_SC_PAGESIZE);

	return n > 0 ? (size_t)n : 4096;
}

/* The block's head has a page of its own, so that the memory behind it is aligned. */
static char *map_block(struct rsd_map_block **list, size_t len)
{
	size_t page = page_size();
	struct rsd_map_block *b;

	if (len > RSD_ALLOC_MAX)
		return NULL;
	len = (len + page - 1) / page * page + page;
	b = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		0);
	if (b == MAP_FAILED)
		return NULL;
	b->next = *list;
	b->len = len;
	*list = b;
	return (char *)b + page;
}

static void unmap_blocks(struct rsd_map_block *b)
{
	while (b) {
		struct rsd_map_block *next = b->next;

		munmap(b, b->len);
		b = next;
	}
}

void rsd_buffers_release(struct rsd_buffers *b)
{
	for (int i = 0; i < RSD_NR_ARENAS; i++)
		unmap_blocks(b->arena[i].blocks);
	unmap_blocks(b->own);
	memset(b, 0, sizeof(*b));
}

void *rsd_buffers_own(struct rsd_buffers *b, size_t len)
{
	char *p = map_block(&b->own, len);

	if (p)
		b->mapped += b->own->len;
	return p;
}

void rsd_buffers_disown(struct rsd_buffers *b, void *p)
{
	struct rsd_map_block **at, *k;

	for (at = &b->own; (k = *at); at = &k->next) {
		if ((char *)k + page_size() != p)
			continue;
		*at = k->next;
		b->mapped -= k->len;
		munmap(k, k->len);
		return;
	}
}

char *rsd_buffers_shared(struct rsd_buffers *b, enum rsd_arena_use use, size_t len, int *grown)
{
	struct rsd_arena *a = &b->arena[use];
	char *p;

	*grown = 0;
	if (a->base && len <= a->len)
		return a->base;
	if (len < 2 * a->len)
		len = 2 * a->len;
	p = map_block(&a->blocks, len);
	if (!p)
		return NULL;
	*grown = 1;
	b->mapped += a->blocks->len;
	a->base = p;
	a->len = a->blocks->len - page_size();
	return p;
}

/* ---- scratch --------------------------------------------------------------------------- */

static void free_blocks(struct rsd_scratch_block *b)
{
	while (b) {
		struct rsd_scratch_block *next = b->next;

		free(b);
		b = next;
	}
}

void rsd_scratch_release(struct rsd_scratch *s)
{
	free_blocks(s->now);
	free_blocks(s->free);
	s->now = s->free = NULL;
}

/* A block with room for len bytes: the first free one that is large enough, or a new one. */
static struct rsd_scratch_block *get_block(struct rsd_scratch *s, size_t len)
{
	struct rsd_scratch_block **at, *b;

	for (at = &s->free; (b = *at); at = &b->next) {
		if (b->len >= len) {
			*at = b->next;
			return b;
		}
	}
	if (len < SCRATCH_BLOCK)
		len = SCRATCH_BLOCK;
	if (len > RSD_ALLOC_MAX - ALIGN)
		return NULL;
	b = aligned_alloc(ALIGN, ALIGN + (len + ALIGN - 1) / ALIGN * ALIGN);
	if (b)
		b->len = (len + ALIGN - 1) / ALIGN * ALIGN;
	return b;
}

void *rsd_scratch_take(struct rsd_scratch *s, size_t len)
{
	struct rsd_scratch_block *b = s->now;
	char *p;

	len = (len + 15) / 16 * 16;
	if (!b || b->len - b->used < len) {
		b = get_block(s, len);
		if (!b)
			return NULL;
		b->used = 0;
		b->next = s->now;
		s->now = b;
	}
	p = (char *)b + ALIGN + b->used;
	b->used += len;
	return p;
}

void rsd_scratch_reset(struct rsd_scratch *s)
{
	/* The common case: one block, which stays. */
	while (s->now && s->now->next) {
		struct rsd_scratch_block *b = s->now;

		s->now = b->next;
		b->next = s->free;
		s->free = b;
	}
	if (s->now)
		s->now->used = 0;
}

struct rsd_scratch_block *rsd_scratch_keep(struct rsd_scratch *s)
{
	struct rsd_scratch_block *kept = s->now;

	if (!kept || (!kept->next && !kept->used))
		return NULL;
	s->now = NULL;
	return kept;
}

void rsd_scratch_give_back(struct rsd_scratch *s, struct rsd_scratch_block *kept)
{
	while (kept) {
		struct rsd_scratch_block *next = kept->next;

		kept->next = s->free;
		s->free = kept;
		kept = next;
	}
}
