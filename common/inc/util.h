/*
 * util.h - allocation, growable arrays, assertion, errors, banned functions
 *
 * Everything in common/ reports failure as 0 or a negative enum rsd_err.
 * Nothing here prints, exits or reads the environment.
 */
#ifndef RSD_UTIL_H
#define RSD_UTIL_H

#include <stddef.h>
#include <stdint.h>

enum rsd_err {
	RSD_OK = 0,
	RSD_ERR_NOMEM = -1,    /* an allocation failed, or would be absurdly large */
	RSD_ERR_FORMAT = -2,   /* input bytes are not what they claim to be */
	RSD_ERR_IO = -3,       /* a system call failed; errno tells */
	RSD_ERR_RANGE = -4,    /* a value is outside what the format or table allows */
	RSD_ERR_MISMATCH = -5, /* two things that should agree do not */
	RSD_ERR_END = -6,      /* nothing more to read */
};

/* A short constant text for 'err' ("out of memory"). */
const char *rsd_strerror(int err);

/*
 * malloc family that refuses sizes above RSD_ALLOC_MAX (a hostile file must
 * not make us ask for terabytes). NULL on failure. Freed with free().
 */
#define RSD_ALLOC_MAX ((size_t)1 << 38)
void *rsd_malloc(size_t len);
void *rsd_calloc(size_t nr, size_t size);
void *rsd_realloc(void *p, size_t len);
char *rsd_strndup(const char *s, size_t len);
/* What comes after the last '/' of a path; all of it where that is nothing. Borrowed. */
const char *rsd_base_name(const char *path);

/* Implementation of RSD_GROW; returns 0 or RSD_ERR_NOMEM with *p and *alloc unchanged. */
int rsd_grow(void **p, size_t nr, size_t *alloc, size_t size);

/*
 * Makes room for 'nr' elements in the array at 'p' whose capacity is kept in
 * 'alloc' (a size_t). The first time it is what was asked for, as many arrays keep the one
 * element that they begin with; then it grows by half at least. 0 or RSD_ERR_NOMEM.
 */
#define RSD_GROW(p, nr, alloc) rsd_grow((void **)&(p), (nr), &(alloc), sizeof(*(p)))

#define RSD_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * For our own bugs, never for input. On in `make check` and `make DEBUG=1`
 * (-DRSD_DEBUG), off in a release.
 */
#ifdef RSD_DEBUG
#define rsd_assert(c) ((c) ? (void)0 : rsd_assert_failed(#c, __FILE__, __LINE__))
#else
#define rsd_assert(c) ((void)sizeof(c))
#endif
_Noreturn void rsd_assert_failed(const char *what, const char *file, int line);

#ifndef RSD_ALLOW_BANNED
#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol gets
#endif

#endif
