/*
 * detour.h - a function becomes a jump to another one, which gets its arguments as they are
 *
 * For wrappers that can't hand on what they are given (stranger.h). Only at the beginning, before another thread may be in it.
 */
#ifndef RSD_DETOUR_H
#define RSD_DETOUR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Both are addresses of functions; 'len' is the first one's bytes. False: nothing has changed: not on this processor, or the system forbids
 * it, or the function is shorter than a jump.
 */
bool rsd_detour(void *from, size_t len, const void *to);

#endif
