/*
 * detour.h - a function becomes a jump to another one, which gets its arguments as they are
 *
 * For wrappers that can't hand on what they are given (stranger.h). Only at the beginning, before another thread may be in it.
 */
#ifndef RSD_DETOUR_H
#define RSD_DETOUR_H

#include <stdbool.h>

/* Both are addresses of functions. False: nothing has changed; not on this processor, or the system forbids it. */
bool rsd_detour(void *from, const void *to);

#endif
