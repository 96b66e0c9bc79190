/* RTLD_NEXT */
#define _GNU_SOURCE
#include "steer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "optab.h"
#include "player.h"

void (*rsd_steer_real(int func))(void)
{
	static _Atomic(uintptr_t) known[RSD_NR_FUNCS];
	uintptr_t at = atomic_load_explicit(&known[func], memory_order_relaxed);
	char name[128];

	if (!at) {
		snprintf(name, sizeof(name), "P%s", rsd_funcs[func].name);
		at = (uintptr_t)dlsym(RTLD_NEXT, name);
		if (!at) {
			fprintf(stderr, "rsd-replay: the MPI library has no %s\n", name);
			_Exit(2);
		}
		atomic_store_explicit(&known[func], at, memory_order_relaxed);
	}
	return (void (*)(void))at;
}

struct rsd_play *rsd_steered(int func)
{
	struct rsd_play *p = rsd_play_self();

	if (!p || !p->armed || p->f->func != func)
		return NULL;
	p->armed = false;
	return p;
}

void rsd_steer_envelope(int64_t from, int64_t with, int *source, int *tag)
{
	if (*source == MPI_ANY_SOURCE && !rsd_is_const(from))
		*source = (int)from;
	if (*tag == MPI_ANY_TAG && !rsd_is_const(with))
		*tag = (int)with;
}

enum rsd_outcome rsd_steer_flag(const struct rsd_play *p)
{
	const struct rsd_arg *flag = p ? rsd_play_named(p, "flag") : NULL;

	if (!flag)
		return RSD_SAID_UNKNOWN;
	if (flag->head != 1 && rsd_play_failed(p))
		return RSD_SAID_FAILED;
	return rsd_is_const(flag->head) ? RSD_SAID_UNKNOWN
	       : flag->head		? RSD_SAID_YES
					: RSD_SAID_NO;
}

int rsd_steer_no(int *flag)
{
	int ignored;

	*flag = 0;
	return REAL(Iprobe)(
		MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &ignored, MPI_STATUS_IGNORE);
}
