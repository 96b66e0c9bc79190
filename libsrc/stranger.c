/* dladdr, RTLD_NEXT and RTLD_NOLOAD are no part of POSIX. */
#define _GNU_SOURCE
#include "stranger.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>
#include <mpi.h>

#include "detour.h"
#include "launch.h"
#include "options.h"
#include "own_object.h"
#include "ranks.h"
#include "run_note.h"
#include "trouble.h"
#include "util.h"

#define LONGEST_NAME 256

/* Null where there is none: in a process without MPI, and in a program that is linked statically. */
#pragma weak PMPI_Init
#pragma weak dlopen
#pragma weak dlclose
#pragma weak dlsym
#pragma weak dladdr
#define OPEN_MPIS_WORLD "ompi_mpi_comm_world"
extern const char of_open_mpi[] __asm__(OPEN_MPIS_WORLD) __attribute__((weak));

static bool aside;

/* ---- whose MPI it is ------------------------------------------------------------------------- */

/*
 * Is Open MPI's what PMPI_Init is? The process may have both, one of them for a library that nobody uses. A program may hold copies of
 * variables, and addresses of functions: those of the library itself count, where there is one.
 */
static bool is_open_mpi(void)
{
	const void *init = dlsym && dladdr ? dlsym(RTLD_NEXT, "PMPI_Init") : NULL, *world;
	void *module = NULL;
	Dl_info owner, other;
	bool is = of_open_mpi != NULL;

	if (init && dladdr(init, &owner) && dlopen && dlclose)
		module = dlopen(owner.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (module) {
		world = dlsym(module, OPEN_MPIS_WORLD);
		is = world && dladdr(world, &other) && other.dli_fbase == owner.dli_fbase;
		dlclose(module);
	}
	return is;
}

/* An MPI that is neither, as the ABI of MPI 5 has pointers that are nobody's, may be on top of either: there are no strangers to it. */
static bool is_stranger(void)
{
	if (RSD_RANKS_LOADED || !PMPI_Init)
		return false;
#ifdef OPEN_MPI
	return !is_open_mpi();
#else
	return sizeof(MPI_Comm) == sizeof(int) && is_open_mpi();
#endif
}

/* ---- what is told ----------------------------------------------------------------------------- */

static bool is_first(void)
{
	return rsd_launch_place(rsd_options_variable, NULL).rank == 0;
}

static void tell(bool gone)
{
	Dl_info own;
	bool known = dladdr && dladdr((const void *)&is_first, &own);
#ifdef OPEN_MPI
	const char *its = "MPICH, or one like it", *ours = "Open MPI";
#else
	const char *its = "Open MPI", *ours = "MPICH and the like";
#endif

	rsd_run_note(RSD_NOTE_STRANGER);
	if (!is_first())
		return;
	rsd_say("the program is of %s, and the tracer, %s, is for %s: %s. rsd run --lib-dir, or "
		"LD_PRELOAD, has to name a tracer for the program's MPI (make MPICC=...)",
		its, known ? own.dli_fname : "which is linked with it", ours,
		gone ? "it runs untraced"
		     : "nothing is recorded, and its calls of MPI may fail, as the tracer can't be "
		       "taken out of their way here: run it without");
}

/* ---- out of the way --------------------------------------------------------------------------- */

/* C's and Fortran's. */
static bool is_of_mpi(const char *name)
{
	return !strncasecmp(name, "MPI_", 4);
}

/* The next of that name is what the program would call without the tracer. */
static const void *next_of(const char *name)
{
	char profiling[LONGEST_NAME];
	const void *next = dlsym(RTLD_NEXT, name);

	if (!next) {
		snprintf(profiling, sizeof(profiling), "%c%s", name[0] == 'M' ? 'P' : 'p', name);
		next = dlsym(RTLD_DEFAULT, profiling);
	}
	return next;
}

/* What the program's MPI does not have, nobody calls. False: it stays in the way. */
static bool go_past(const ElfW(Sym) * s, const char *name, uintptr_t base)
{
	const void *next = is_of_mpi(name) ? next_of(name) : NULL;

	return !next || rsd_detour((void *)(base + s->st_value), s->st_size, next);
}

/* What the tracer's object shows to others: the GNU hash table lists just that, in order. False: one of MPI's stays in the way. */
static bool go_past_listed(
	const uint32_t *hash, const ElfW(Sym) * symbol, const char *names, uintptr_t base)
{
	uint32_t nr_buckets = hash[0], first = hash[1];
	const uint32_t *bucket = (const uint32_t *)((const ElfW(Addr) *)(hash + 4) + hash[2]);
	const uint32_t *chain = bucket + nr_buckets;

	for (uint32_t b = 0; b < nr_buckets; b++) {
		for (uint32_t i = bucket[b]; i >= first; i++) {
			const ElfW(Sym) *s = &symbol[i];

			if ((s->st_info & 15) == STT_FUNC && !go_past(s, names + s->st_name, base))
				return false;
			if (chain[i - first] & 1)
				break;
		}
	}
	return true;
}

/* From now on the program's calls go to MPI itself. False: they can't be had to do so. */
static bool go_past_all(void)
{
	const struct rsd_own_object own = rsd_own_object();
	const ElfW(Sym) *symbol = NULL;
	const uint32_t *hash = NULL;
	const char *names = NULL;

	for (const ElfW(Dyn) *d = own.dynamic; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			symbol = rsd_own_object_at(&own, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			names = rsd_own_object_at(&own, d->d_un.d_ptr);
		else if (d->d_tag == DT_GNU_HASH)
			hash = rsd_own_object_at(&own, d->d_un.d_ptr);
	}
	return dlsym && symbol && names && hash && go_past_listed(hash, symbol, names, own.base);
}

static bool stand_aside(void)
{
	if (!is_stranger())
		return false;
	tell(go_past_all());
	return true;
}

bool rsd_stranger_came(void)
{
	aside = aside || stand_aside();
	return aside;
}

/* Before main. MPI may come later, too. */
__attribute__((constructor(101))) static void at_load(void)
{
	int saved_errno = errno;

	rsd_stranger_came();
	errno = saved_errno;
}
