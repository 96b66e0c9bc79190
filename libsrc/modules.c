/* dl_iterate_phdr is no part of POSIX. */
#define _GNU_SOURCE
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mpi.h>

#include "modules.h"
#include "ranks.h"
#include "util.h"

/* Preloaded into a program without MPI (a launcher, a shell) the library must load all the same. */
#pragma weak PMPI_Init

/*
 * The modules that were asked for. Tables are replaced, never changed or freed: readers need no lock, and one for
 * each module is little to lose.
 */
struct table {
	size_t nr;
	const struct table
		*older; /* others may still read it; so it is no leak to who looks for them */
	struct rsd_loaded *module[]; /* by address */
};

static _Atomic(struct table *) current;
static uint64_t first_generation;

static int one_generation(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uint64_t *)arg = (uint64_t)info->dlpi_adds + info->dlpi_subs;
	return 1;
}

uint64_t rsd_modules_generation(void)
{
	uint64_t generation = 0;

	dl_iterate_phdr(one_generation, &generation);
	return generation;
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static enum rsd_owner owner_of(const struct rsd_loaded *m, bool executable, bool program)
{
	static const char *const bindings[] = {
		"libmpichfort",
		"libmpifort",
		"libmpichf",
		"libfmpich",
		"libmpi_mpifh",
		"libmpi_usempi",
		"libmpi_ignore_tkr",
		"libmpichcxx",
		"libmpicxx",
		"libmpi_cxx",
	};
	static const char *const libraries[] = {
		"libmpi.",
		"libmpich.",
		"libmpich-",
		"libpmpi.",
		"libmpl.",
		"libopen-rte",
		"libopen-pal",
		"mca_",
	};
	const char *name = rsd_base_name(m->path);
	uintptr_t init = (uintptr_t)&PMPI_Init;

	/* A statically linked MPI can't be told from the application; a program that loads ranks is the MPI library's. */
	if (program || executable)
		return program ? RSD_OF_APPLICATION : RSD_OF_MPI;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(bindings); i++) {
		if (starts_with(name, bindings[i]))
			return RSD_OF_BINDING;
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(libraries); i++) {
		if (starts_with(name, libraries[i]))
			return RSD_OF_MPI;
	}
	return m->lo <= init && init < m->hi && (RSD_RANKS_LOADED || strstr(name, "mpi"))
		       ? RSD_OF_MPI
		       : RSD_OF_APPLICATION;
}

/* The build id in a segment of notes, as hex; NULL: it is not there. */
static char *build_id_in(const unsigned char *p, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	ElfW(Nhdr) note;
	size_t name, desc;
	char *hex;

	for (; len >= sizeof(note); p += name + desc, len -= name + desc) {
		memcpy(&note, p, sizeof(note));
		p += sizeof(note);
		len -= sizeof(note);
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > len || desc > len - name)
			break;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || memcmp(p, "GNU", 4))
			continue;
		hex = rsd_malloc(2 * (size_t)note.n_descsz + 1);
		if (!hex)
			return NULL;
		for (size_t i = 0; i < note.n_descsz; i++) {
			hex[2 * i] = digits[p[name + i] >> 4];
			hex[2 * i + 1] = digits[p[name + i] & 15];
		}
		hex[2 * (size_t)note.n_descsz] = '\0';
		return hex;
	}
	return NULL;
}

static char *executable_path(void)
{
	char *path = NULL;
	size_t alloc = 256;
	ssize_t len;

	for (;; alloc *= 2) {
		char *more = rsd_realloc(path, alloc);

		if (!more)
			break;
		path = more;
		len = readlink("/proc/self/exe", path, alloc);
		if (len < 0)
			break;
		if ((size_t)len < alloc) {
			path[len] = '\0';
			return path;
		}
	}
	free(path);
	return rsd_strndup("?", 1);
}

/* A name relative to the folder that the program is in now means nothing later. */
static char *library_path(const char *name)
{
	char *whole = *name != '/' && strchr(name, '/') ? realpath(name, NULL) : NULL;

	return whole ? whole : rsd_strndup(name, strlen(name));
}

/* The copy that is loaded for a rank has a name of its own; the program is the first argument of what loads it. */
static char *loaded_path(void)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	char *argument = NULL, *real = NULL;
	size_t alloc = 0;

	if (f && getdelim(&argument, &alloc, '\0', f) > 0 &&
		getdelim(&argument, &alloc, '\0', f) > 0)
		real = realpath(argument, NULL);
	if (f)
		fclose(f);
	free(argument);
	return real ? real : rsd_strndup("?", 1);
}

char *rsd_modules_program(void)
{
	return RSD_RANKS_LOADED ? loaded_path() : executable_path();
}

/* ---- looking ---------------------------------------------------------------------- */

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t lo = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && lo <= address && address - lo < ph->p_memsz)
			return true;
	}
	return false;
}

static struct rsd_loaded *describe(const struct dl_phdr_info *info, bool executable)
{
	struct rsd_loaded *m = rsd_calloc(1, sizeof(*m));
	bool program = RSD_RANKS_LOADED ? holds(info, (uintptr_t)&rsd_modules_find) : executable;

	if (!m)
		return NULL;
	m->lo = UINTPTR_MAX;
	m->base = info->dlpi_addr;
	m->id = -1;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t lo = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD) {
			if (lo < m->lo)
				m->lo = lo;
			if (lo + ph->p_memsz > m->hi)
				m->hi = lo + ph->p_memsz;
		} else if (ph->p_type == PT_NOTE && !m->build_id) {
			m->build_id = build_id_in((const unsigned char *)lo, ph->p_memsz);
		}
	}
	if (program)
		m->path = rsd_modules_program();
	else
		m->path = executable ? executable_path() : library_path(info->dlpi_name);
	if (!m->build_id)
		m->build_id = rsd_strndup("", 0);
	if (m->path && m->build_id) {
		m->owner = owner_of(m, executable, program);
		return m;
	}
	free(m->path);
	free(m->build_id);
	free(m);
	return NULL;
}

struct search {
	uintptr_t address;
	size_t nr_seen;
	struct rsd_loaded *found;
};

/* The list comes in loading order, so that what was there at the start stands first. */
static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	s->nr_seen++;
	if (!holds(info, s->address))
		return 0;
	s->found = describe(info, s->nr_seen == 1);
	if (s->found) {
		s->found->generation = (uint64_t)info->dlpi_adds + info->dlpi_subs;
		s->found->late = s->nr_seen > first_generation;
	}
	return 1;
}

/* A table with this one, and without those that were where it is now. */
static void remember(struct rsd_loaded *m)
{
	const struct table *old = atomic_load(&current);
	size_t nr = old ? old->nr : 0, i = 0;
	struct table *t = rsd_malloc(sizeof(*t) + (nr + 1) * sizeof(t->module[0]));

	if (!t)
		return; /* it is looked for again */
	t->nr = 0;
	t->older = old;
	for (; i < nr && old->module[i]->hi <= m->lo; i++)
		t->module[t->nr++] = old->module[i];
	t->module[t->nr++] = m;
	for (; i < nr; i++) {
		if (old->module[i]->lo >= m->hi)
			t->module[t->nr++] = old->module[i];
	}
	atomic_store(&current, t);
}

static struct rsd_loaded *find_in(const struct table *t, uintptr_t address)
{
	size_t lo = 0, hi = t ? t->nr : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (address < t->module[mid]->lo)
			hi = mid;
		else if (address >= t->module[mid]->hi)
			lo = mid + 1;
		else
			return t->module[mid];
	}
	return NULL;
}

struct rsd_loaded *rsd_modules_find(uintptr_t address)
{
	struct rsd_loaded *m = find_in(atomic_load(&current), address);
	struct search s = { address, 0, NULL };

	/* Where one was that came late, something else may be by now. */
	if (m && (!m->late || m->generation == rsd_modules_generation()))
		return m;
	/* Of thousands of modules (a rank's copy of the program each) few matter: only those that are asked for are kept. */
	dl_iterate_phdr(look_at, &s);
	if (s.found)
		remember(s.found);
	return s.found;
}

/* Nothing was unloaded yet when the program starts: the generation is the number of modules. */
__attribute__((constructor)) static void remember_start(void)
{
	first_generation = rsd_modules_generation();
}
