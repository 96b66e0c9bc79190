#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "unwinder.h"
#include "modules.h"
#include "runtime.h"
#include "trouble.h"
#include "util.h"

#define MAX_RAW (1 << 20)   /* frames walked */
#define MAX_SLOTS (1 << 18) /* deeper walks are taken anew each time */
#define MAX_KEPT 4096
#define MAX_KEPT_SLOTS (2 * MAX_SLOTS) /* of all walks that are kept */
#define MAX_PER_SITE 8		       /* paths that lead to one site at one depth */
#define MAX_PERIOD 16 /* frames in a round of recursion that is folded while walking */

/* ---- walks that are kept ------------------------------------------------------ */

static void forget(struct rsd_unwinder *u)
{
	for (size_t i = 0; i < u->nr_kept; i++)
		free(u->kept[i].slot);
	u->nr_kept = u->kept_slots = 0;
	rsd_map_release(&u->by_site);
	memset(u->recent, 0, sizeof(u->recent));
}

void rsd_unwinder_release(struct rsd_unwinder *u)
{
	forget(u);
	free(u->kept);
	free(u->raw);
	free(u->slot);
	free(u->frame);
	memset(u, 0, sizeof(*u));
}

static uint64_t site_key(const void *caller, const void *frame)
{
	return rsd_hash_mix((uint64_t)(uintptr_t)caller ^ rsd_hash_mix((uint64_t)(uintptr_t)frame));
}

/* A kept walk of this site that is valid; it is moved to the front, as it is likely to come again. */
static const struct rsd_walked *search_kept(
	struct rsd_unwinder *u, const void *caller, const void *frame)
{
	uint64_t *head = rsd_map_find(&u->by_site, site_key(caller, frame));
	uint32_t index = head ? (uint32_t)*head : 0, previous = 0;

	for (; index; previous = index, index = u->kept[index - 1].next) {
		struct rsd_walked *w = &u->kept[index - 1];

		if (!rsd_walked_is_valid(w, caller, frame))
			continue;
		if (previous) {
			u->kept[previous - 1].next = w->next;
			w->next = (uint32_t)*head;
			*head = index;
		}
		return w;
	}
	return NULL;
}

static const struct rsd_walked *find_kept(
	struct rsd_unwinder *u, const void *caller, const void *frame)
{
	const struct rsd_walked **recent = rsd_unwinder_recent(u, caller, frame), *w = *recent;

	if (w && rsd_walked_is_valid(w, caller, frame))
		return w;
	w = search_kept(u, caller, frame);
	if (w)
		*recent = w;
	return w;
}

/* Where to keep a new walk, first of its site: a fresh place, or that of the site's last one. */
static struct rsd_walked *new_kept(struct rsd_unwinder *u, const void *caller, const void *frame)
{
	uint64_t key = site_key(caller, frame), *head = rsd_map_find(&u->by_site, key);
	uint32_t index = head ? (uint32_t)*head : 0, last = 0, before = 0;
	struct rsd_walked *w;
	int nr = 0;

	for (; index; index = u->kept[index - 1].next) {
		before = last;
		last = index;
		nr++;
	}
	if (nr >= MAX_PER_SITE) {
		w = &u->kept[last - 1];
		u->kept[before - 1].next = 0;
		w->next = (uint32_t)*head;
		*head = last;
		return w;
	}
	if (u->nr_kept == MAX_KEPT) {
		forget(u);
		head = NULL;
	}
	/* They may move. */
	if (u->nr_kept == u->alloc_kept)
		memset(u->recent, 0, sizeof(u->recent));
	if (RSD_GROW(u->kept, u->nr_kept + 1, u->alloc_kept))
		return NULL;
	w = &u->kept[u->nr_kept];
	*w = (struct rsd_walked){ .next = head ? (uint32_t)*head : 0 };
	if (rsd_map_set(&u->by_site, key, u->nr_kept + 1))
		return NULL;
	u->nr_kept++;
	return w;
}

/* ---- what a walk depends on ------------------------------------------------------ */

static bool depends_on(struct rsd_unwinder *u, uintptr_t at, uintptr_t value)
{
	if (*(const uintptr_t *)at != value || u->nr_slots == MAX_SLOTS ||
		RSD_GROW(u->slot, u->nr_slots + 1, u->alloc_slots))
		return false;
	u->slot[u->nr_slots++] = (struct rsd_stack_slot){ (const uintptr_t *)at, value };
	return true;
}

/*
 * Frame i was found by its frame pointer, which a frame inside it has saved: the nearest one
 * that changes the register, in a known place if it has a frame of the usual form. If not,
 * every word there that has the value may be the one, and so all of them count.
 */
static bool depends_on_pointer(struct rsd_unwinder *u, size_t i, const void *frame)
{
	uintptr_t fp = u->raw[i].fp;

	for (size_t k = i; k-- > 0;) {
		uintptr_t end = u->raw[k + 1].sp;

		if (u->raw[k].fp == end - 2 * sizeof(uintptr_t))
			return depends_on(u, u->raw[k].fp, fp);
		if (end - u->raw[k].sp > 65536)
			return false;
		for (uintptr_t at = u->raw[k].sp; at < end; at += sizeof(at)) {
			if (*(const uintptr_t *)at == fp && !depends_on(u, at, fp))
				return false;
		}
		if (u->raw[k].fp != fp)
			return true;
	}
	return depends_on(u, (uintptr_t)frame, fp);
}

/* False where the stack is not as it should be, or the architecture not one whose frames we know. */
static bool collect_slots(struct rsd_unwinder *u, const void *frame)
{
	u->nr_slots = 0;
#if defined(__x86_64__)
	for (size_t i = 0; i < u->nr_raw; i++) {
		const struct rsd_raw_frame *r = &u->raw[i];
		uintptr_t end = i + 1 < u->nr_raw ? u->raw[i + 1].sp : r->sp;

		if (!r->pc)
			break;
		if (r->sp % sizeof(r->sp) || end < r->sp ||
			!depends_on(u, r->sp - sizeof(r->sp), r->pc))
			return false;
		if (r->fp >= r->sp && r->fp < end && !depends_on_pointer(u, i, frame))
			return false;
	}
	return true;
#else
	(void)frame;
	return !u->nr_raw;
#endif
}

/* A word that holds what the last slot of a walk does not. */
static const uintptr_t never;

/* Not being able to keep a walk only costs time. */
static void keep(struct rsd_unwinder *u, const void *caller, const void *frame, bool late, int sig)
{
	struct rsd_stack_slot *slot;
	struct rsd_walked *w;

	if (!collect_slots(u, frame))
		return;
	if (u->kept_slots + u->nr_slots > MAX_KEPT_SLOTS)
		forget(u);
	slot = rsd_malloc((u->nr_slots + 1) * sizeof(*slot));
	w = slot ? new_kept(u, caller, frame) : NULL;
	if (!w) {
		free(slot);
		return;
	}
	if (u->nr_slots)
		memcpy(slot, u->slot, u->nr_slots * sizeof(*slot));
	slot[u->nr_slots] = (struct rsd_stack_slot){ &never, 1 };
	u->kept_slots += u->nr_slots;
	u->kept_slots -= w->nr_slots;
	free(w->slot);
	w->caller = caller;
	w->frame = frame;
	w->generation = late ? rsd_modules_generation() : 0;
	w->sig = sig;
	w->slot = slot;
	w->nr_slots = (uint32_t)u->nr_slots;
}

/* ---- walking ---------------------------------------------------------------------- */

struct walk {
	struct rsd_unwinder *u;
	uintptr_t caller, frame;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	struct rsd_unwinder *u = w->u;
	struct rsd_raw_frame r = { _Unwind_GetIP(context), _Unwind_GetCFA(context), 0 };

	/* The wrapper and what it calls come first. */
	if (!u->nr_raw && (r.pc != w->caller || r.sp <= w->frame))
		return _URC_NO_REASON;
#if defined(__x86_64__)
	r.fp = _Unwind_GetGR(context, 6);
#endif
	if (u->nr_raw == MAX_RAW || RSD_GROW(u->raw, u->nr_raw + 1, u->alloc_raw))
		return _URC_END_OF_STACK;
	u->raw[u->nr_raw++] = r;
	return _URC_NO_REASON;
}

/* Adds a frame, and folds recursion on the spot, so that depth costs no memory. */
static bool add_frame(struct rsd_unwinder *u, const struct rsd_frame *f)
{
	size_t nr = u->nr_frames;

	if (RSD_GROW(u->frame, nr + 1, u->alloc_frames))
		return false;
	u->frame[nr++] = *f;
	for (size_t p = 1; p <= MAX_PERIOD && 2 * p <= nr; p++) {
		size_t i = 0;

		while (i < p && u->frame[nr - 1 - i].offset == u->frame[nr - 1 - p - i].offset &&
			u->frame[nr - 1 - i].module == u->frame[nr - 1 - p - i].module)
			i++;
		if (i == p) {
			nr -= p;
			break;
		}
	}
	u->nr_frames = nr;
	return true;
}

/* The frame of a return address; under the lock. */
static struct rsd_frame frame_of(uintptr_t pc, struct rsd_loaded *m)
{
	if (!m)
		return (struct rsd_frame){ -1, (uint64_t)pc - 1 };
	if (m->id < 0)
		m->id = rsd_sigs_module(&rsd_rt.sigs, m->path, m->build_id);
	return (struct rsd_frame){ m->id < 0 ? -1 : m->id, (uint64_t)(pc - m->base) - 1 };
}

/* Is raw frame i that of the wrapper with this frame, called from there? */
static bool is_wrapper(const struct rsd_unwinder *u, size_t i, uintptr_t frame, const void *caller)
{
	return i + 1 < u->nr_raw && u->raw[i + 1].sp > frame &&
	       u->raw[i + 1].pc == (uintptr_t)caller;
}

/* Is it that of the call's wrapper in C, behind Fortran's entry point? */
static bool is_behind(const struct rsd_unwinder *u, size_t i, const struct rsd_open *o)
{
	return o->passed && is_wrapper(u, i, (uintptr_t)o->behind_frame, o->behind_caller);
}

/* From raw frames to a signature, without those of MPI and of wrappers that the application was called from. */
static int intern(
	struct rsd_unwinder *u, const struct rsd_open *open, int nr_open, bool site, bool *late)
{
	bool locked;
	int sig = -1;

	u->nr_frames = 0;
	for (size_t i = 0; i < u->nr_raw && u->raw[i].pc; i++) {
		struct rsd_loaded *m = rsd_modules_find(u->raw[i].pc - 1);
		struct rsd_frame f;

		if (nr_open && is_behind(u, i, &open[nr_open - 1]))
			continue;
		if (nr_open && is_wrapper(u, i, (uintptr_t)open[nr_open - 1].frame,
				       open[nr_open - 1].caller)) {
			nr_open--;
			continue;
		}
		*late = *late || !m || m->late;
		if (m && m->owner != RSD_OF_APPLICATION)
			continue;
		locked = rsd_lock();
		f = frame_of(u->raw[i].pc, m);
		rsd_unlock(locked);
		if (!add_frame(u, &f))
			break;
		if (site)
			break;
	}
	if (u->nr_frames > RSD_STACK_FRAMES)
		u->nr_frames = RSD_STACK_FRAMES;
	if (!u->nr_frames)
		return -1;
	locked = rsd_lock();
	sig = rsd_sigs_intern(&rsd_rt.sigs, u->frame, u->nr_frames);
	rsd_unlock(locked);
	if (sig < 0)
		rsd_trouble("no memory for stack signatures");
	return sig < 0 ? -1 : sig;
}

/* Whose code is it? The last answer is remembered: it is the application nearly always. */
static enum rsd_owner owner_of(struct rsd_unwinder *u, uintptr_t address)
{
	struct rsd_loaded *m;

	if (rsd_unwinder_has_seen(u, address))
		return RSD_OF_APPLICATION;
	m = rsd_modules_find(address);
	if (!m)
		return RSD_OF_APPLICATION;
	if (m->owner == RSD_OF_APPLICATION && !m->late) {
		u->lo = m->lo;
		u->hi = m->hi;
	}
	return m->owner;
}

bool rsd_unwind_anew(struct rsd_unwinder *u, const void *caller, const void *frame,
	const struct rsd_open *open, int nr_open, enum rsd_stack_mode mode, int *sig)
{
	struct walk w = { u, (uintptr_t)caller, (uintptr_t)frame };
	const struct rsd_walked *kept;
	enum rsd_owner owner;
	bool late = false;

	*sig = -1;
	kept = mode == RSD_STACK_OFF ? NULL : find_kept(u, caller, frame);
	if (!kept && mode == RSD_STACK_SITE)
		kept = find_kept(u, caller, NULL);
	if (kept) {
		*sig = kept->sig;
		return true;
	}
	owner = owner_of(u, w.caller - 1);
	if (owner == RSD_OF_MPI)
		return false;
	if (mode == RSD_STACK_OFF)
		return true;
	u->nr_raw = 0;
	if (mode == RSD_STACK_FULL || owner == RSD_OF_BINDING)
		_Unwind_Backtrace(take_frame, &w);
	if (!u->nr_raw) {
		/* Wanted no more than the call site, or there is no unwind information. */
		struct rsd_raw_frame only = { w.caller, w.frame, 0 };

		if (RSD_GROW(u->raw, 1, u->alloc_raw))
			return true;
		u->raw[u->nr_raw++] = only;
		*sig = intern(u, NULL, 0, true, &late);
		/* It depends on nothing on the stack. */
		u->nr_raw = 0;
		if (mode == RSD_STACK_SITE)
			keep(u, caller, NULL, late, *sig);
		return true;
	}
	*sig = intern(u, open, nr_open, mode == RSD_STACK_SITE, &late);
	keep(u, caller, frame, late, *sig);
	return true;
}
