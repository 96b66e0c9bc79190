#include "memory.h"

#include <stdint.h>
#include <string.h>

#define GRAIN ((size_t)16)
#define SMALL                                                                                      \
	((size_t)4096) /* up to this, with its head, a block is of a class and stays with it */
#define SLAB ((size_t)1 << 20) /* what classes get from the library at a time */

void *__real_malloc(size_t len);
void *__real_realloc(void *p, size_t len);
void __real_free(void *p);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *p, size_t len);
void __wrap_free(void *p);

struct block {		    /* before each block's contents, as large as they are aligned */
	size_t size;	    /* with this head */
	struct block *next; /* where it is free */
};

static size_t used, peak;
static struct block *free_blocks[SMALL / GRAIN + 1];
static char *slab;
static size_t slab_left;

static void count(size_t size)
{
	used += size;
	if (used > peak)
		peak = used;
}

/* What is left of a slab is given up. */
static struct block *cut(size_t size)
{
	struct block *b;

	if (slab_left < size) {
		slab = __real_malloc(SLAB);
		slab_left = slab ? SLAB : 0;
		if (!slab)
			return NULL;
	}
	b = (struct block *)(void *)slab;
	slab += size;
	slab_left -= size;
	return b;
}

void *__wrap_malloc(size_t len)
{
	size_t size = (len + sizeof(struct block) + GRAIN - 1) / GRAIN * GRAIN;
	struct block *b;

	if (size < len)
		return NULL;
	if (size > SMALL) {
		b = __real_malloc(size);
	} else {
		b = free_blocks[size / GRAIN];
		if (b)
			free_blocks[size / GRAIN] = b->next;
		else
			b = cut(size);
	}
	if (!b)
		return NULL;
	b->size = size;
	count(size);
	return b + 1;
}

void *__wrap_calloc(size_t nr, size_t size)
{
	void *p = size && nr > SIZE_MAX / size ? NULL : __wrap_malloc(nr * size);

	return p ? memset(p, 0, nr * size) : NULL;
}

void __wrap_free(void *p)
{
	struct block *b = (struct block *)p - 1;

	if (!p)
		return;
	used -= b->size;
	if (b->size > SMALL) {
		__real_free(b);
		return;
	}
	b->next = free_blocks[b->size / GRAIN];
	free_blocks[b->size / GRAIN] = b;
}

void *__wrap_realloc(void *p, size_t len)
{
	struct block *b = (struct block *)p - 1;
	size_t old = p ? b->size - sizeof(*b) : 0;
	void *q;

	if (p && b->size <= SMALL && len <= old)
		return p;
	if (p && b->size > SMALL && len > SMALL) {
		b = __real_realloc(b, len + sizeof(*b));
		if (!b)
			return NULL;
		b->size = len + sizeof(*b);
		used -= old + sizeof(*b);
		count(b->size);
		return b + 1;
	}
	q = __wrap_malloc(len);
	if (!q)
		return NULL;
	if (p)
		memcpy(q, p, old < len ? old : len);
	__wrap_free(p);
	return q;
}

size_t memory_used(void)
{
	return used;
}

size_t memory_peak(void)
{
	return peak;
}

void memory_mark(void)
{
	peak = used;
}
