#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

const char *rsd_strerror(int err)
{
	switch (err) {
	case RSD_OK:
		return "no error";
	case RSD_ERR_NOMEM:
		return "out of memory";
	case RSD_ERR_FORMAT:
		return "malformed input";
	case RSD_ERR_IO:
		return "input/output error";
	case RSD_ERR_RANGE:
		return "value out of range";
	case RSD_ERR_MISMATCH:
		return "contents do not agree";
	case RSD_ERR_END:
		return "end of data";
	}
	return "unknown error";
}

void *rsd_malloc(size_t len)
{
	if (len > RSD_ALLOC_MAX)
		return NULL;
	return malloc(len ? len : 1);
}

void *rsd_calloc(size_t nr, size_t size)
{
	if (size && nr > RSD_ALLOC_MAX / size)
		return NULL;
	return nr && size ? calloc(nr, size) : calloc(1, 1);
}

void *rsd_realloc(void *p, size_t len)
{
	if (len > RSD_ALLOC_MAX)
		return NULL;
	return realloc(p, len ? len : 1);
}

char *rsd_strndup(const char *s, size_t len)
{
	char *copy = len < RSD_ALLOC_MAX ? rsd_malloc(len + 1) : NULL;

	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

const char *rsd_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int rsd_grow(void **p, size_t nr, size_t *alloc, size_t size)
{
	size_t want = *alloc + *alloc / 2;
	void *grown;

	if (nr <= *alloc)
		return 0;
	if (want < nr)
		want = nr;
	if (*alloc && want < 4)
		want = 4;
	if (want > RSD_ALLOC_MAX / size)
		return RSD_ERR_NOMEM;
	grown = rsd_realloc(*p, want * size);
	if (!grown)
		return RSD_ERR_NOMEM;
	*p = grown;
	*alloc = want;
	return 0;
}

/* Reached only in a build with -DRSD_DEBUG: writes past stdio, whose state may be what broke. */
_Noreturn void rsd_assert_failed(const char *what, const char *file, int line)
{
	char text[512];
	int len = snprintf(
		text, sizeof(text), "record: %s:%d: assertion failed: %s\n", file, line, what);

	if (len > (int)sizeof(text) - 1)
		len = (int)sizeof(text) - 1;
	if (len > 0 && write(STDERR_FILENO, text, (size_t)len) < 0)
		abort();
	abort();
}
