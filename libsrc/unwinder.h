/*
 * unwinder.h - from a wrapper's frame to a stack signature
 *
 * Frames of the tracer and of the MPI library are left out, the rest become
 * (module, offset) and are interned. A full walk is slow, so walks are
 * kept: one is valid again when a call comes from the same place at the same depth and
 * every stack slot that the walk went by - return addresses, and frame pointers where a
 * frame was found by one - still holds what it held. Modules that were loaded
 * later may be replaced by others at the same address: walks through them are only
 * valid while nothing is loaded or unloaded.
 */
#ifndef RSD_UNWINDER_H
#define RSD_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "config.h"
#include "hash.h"
#include "modules.h"

#define RSD_STACK_FRAMES 256 /* frames kept of a signature, after recursion is folded */

struct rsd_call;
struct rsd_open;

struct rsd_raw_frame {
	uintptr_t pc, sp, fp; /* return address; stack and frame pointer there */
};

struct rsd_stack_slot { /* a word of the stack that a walk depended on */
	const uintptr_t *at;
	uintptr_t value;
};

#define RSD_UNWINDER_RECENT 64

struct rsd_walked { /* a walk that is kept */
	const void *caller, *frame;
	uint64_t generation;	     /* of the modules; 0: does not matter */
	struct rsd_stack_slot *slot; /* nr_slots, then one that never holds */
	int sig;
	uint32_t nr_slots;
	uint32_t next; /* index + 1 of the next one of the key */
};

struct rsd_unwinder {		/* of one thread */
	struct rsd_map by_site; /* hash of caller and frame -> index + 1 in kept, newest first */
	struct rsd_walked *kept;
	size_t nr_kept, alloc_kept;
	size_t kept_slots; /* of all of them */
	const struct rsd_walked *recent
		[RSD_UNWINDER_RECENT]; /* by a cheap hash of the site: the kept walk that was valid last; NULL: none */
	struct rsd_raw_frame *raw; /* the walk being taken */
	size_t nr_raw, alloc_raw;
	struct rsd_stack_slot *slot;
	size_t nr_slots, alloc_slots;
	struct rsd_frame *frame;
	size_t nr_frames, alloc_frames;
	uintptr_t lo, hi; /* application code that was seen last */
};

void rsd_unwinder_release(struct rsd_unwinder *u);
/*
 * Slots are compared from the inside out, so that none is read that may not be
 * mapped: as long as all inner ones agree it is the stack that was walked.
 */
static inline bool rsd_walked_is_stack(
	const struct rsd_walked *w, const void *caller, const void *frame)
{
	const struct rsd_stack_slot *s = w->slot;

	if (w->caller != caller || w->frame != frame)
		return false;
	while (*s->at == s->value)
		s++;
	return s == w->slot + w->nr_slots;
}
static inline bool rsd_walked_is_valid(
	const struct rsd_walked *w, const void *caller, const void *frame)
{
	return rsd_walked_is_stack(w, caller, frame) &&
	       (!w->generation || w->generation == rsd_modules_generation());
}

static inline const struct rsd_walked **rsd_unwinder_recent(
	struct rsd_unwinder *u, const void *caller, const void *frame)
{
	/* Return addresses differ in all bits, frames from the fifth on. */
	return &u->recent[((uintptr_t)caller + ((uintptr_t)frame >> 4)) % RSD_UNWINDER_RECENT];
}

/* Is it in the application's code that was seen last? */
static inline bool rsd_unwinder_has_seen(const struct rsd_unwinder *u, uintptr_t address)
{
	return address >= u->lo && address < u->hi;
}

/*
 * The signature of a site of the application's, if it takes no more than a look to know it; false: it is to be found out, or
 * there may be something loaded in another's place.
 */
static inline bool rsd_unwind_known(struct rsd_unwinder *u, const void *caller, const void *frame,
	enum rsd_stack_mode mode, int *sig)
{
	const struct rsd_walked *w;

	*sig = -1;
	if (mode == RSD_STACK_OFF)
		return rsd_unwinder_has_seen(u, (uintptr_t)caller - 1);
	w = *rsd_unwinder_recent(u, caller, frame);
	if (!w || w->generation || !rsd_walked_is_stack(w, caller, frame))
		return false;
	*sig = w->sig;
	return true;
}

/* rsd_unwind, for a site whose stack is not as it was when it was last called from. */
bool rsd_unwind_anew(struct rsd_unwinder *u, const void *caller, const void *frame,
	const struct rsd_open *open, int nr_open, enum rsd_stack_mode mode, int *sig);
/*
 * True where 'caller', the wrapper's return address, is the application; *sig is then
 * its signature's id (-1: none). 'frame' is the wrapper's frame address; 'open' are the
 * 'nr_open' wrappers of this thread that the application was called from, outermost first.
 */
static inline bool rsd_unwind(struct rsd_unwinder *u, const void *caller, const void *frame,
	const struct rsd_open *open, int nr_open, enum rsd_stack_mode mode, int *sig)
{
	return rsd_unwind_known(u, caller, frame, mode, sig) ||
	       rsd_unwind_anew(u, caller, frame, open, nr_open, mode, sig);
}

#endif
