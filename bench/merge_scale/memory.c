#include "memory.h"

#include <malloc.h>

void *__real_malloc(size_t len);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *p, size_t len);
void __real_free(void *p);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *p, size_t len);
void __wrap_free(void *p);

static size_t used, peak;

static void *count(void *p)
{
	used += malloc_usable_size(p);
	if (used > peak)
		peak = used;
	return p;
}

void *__wrap_malloc(size_t len)
{
	return count(__real_malloc(len));
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return count(__real_calloc(nr, size));
}

void *__wrap_realloc(void *p, size_t len)
{
	size_t before = malloc_usable_size(p);
	void *q = __real_realloc(p, len);

	if (!q)
		return NULL;
	used -= before;
	return count(q);
}

void __wrap_free(void *p)
{
	used -= malloc_usable_size(p);
	__real_free(p);
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
