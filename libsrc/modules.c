/* dl_iterate_phdr is no part of POSIX. */
#define _GNU_SOURCE
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mpi.h>

#include "modules.h"
#include "util.h"

/* Preloaded into a program without MPI (a launcher, a shell) the library must load all the same. */
#pragma weak PMPI_Init

struct table {
	uint64_t generation;
	struct rsd_loaded **module; /* by address */
	size_t nr, alloc;
	int err;
};

/* Tables are replaced, never changed or freed: readers need no lock. One a dlopen is little to lose. */
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

static enum rsd_owner owner_of(const struct rsd_loaded *m, bool executable)
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
	const char *name = strrchr(m->path, '/');
	uintptr_t init = (uintptr_t)&PMPI_Init;

	/* A statically linked MPI can't be told from the application. */
	if (executable)
		return RSD_OF_APPLICATION;
	name = name ? name + 1 : m->path;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(bindings); i++) {
		if (starts_with(name, bindings[i]))
			return RSD_OF_BINDING;
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(libraries); i++) {
		if (starts_with(name, libraries[i]))
			return RSD_OF_MPI;
	}
	return m->lo <= init && init < m->hi && strstr(name, "mpi") ? RSD_OF_MPI
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

static struct rsd_loaded *describe(const struct dl_phdr_info *info, bool executable)
{
	struct rsd_loaded *m = rsd_calloc(1, sizeof(*m));

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
	m->path = executable ? executable_path() : library_path(info->dlpi_name);
	if (!m->build_id)
		m->build_id = rsd_strndup("", 0);
	if (m->path && m->build_id) {
		m->owner = owner_of(m, executable);
		return m;
	}
	free(m->path);
	free(m->build_id);
	free(m);
	return NULL;
}

struct scan {
	struct table *table;
	size_t nr_seen;
};

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct scan *s = arg;
	struct table *t = s->table;
	struct rsd_loaded *m = describe(info, s->nr_seen++ == 0);

	(void)size;
	t->generation = (uint64_t)info->dlpi_adds + info->dlpi_subs;
	if (!m || RSD_GROW(t->module, t->nr + 1, t->alloc)) {
		t->err = RSD_ERR_NOMEM;
		return 1;
	}
	m->late = s->nr_seen > first_generation;
	t->module[t->nr++] = m;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct rsd_loaded *x = *(struct rsd_loaded *const *)a,
				*y = *(struct rsd_loaded *const *)b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Takes a new look. The list comes in loading order, so that what was there at the start stands first. */
static struct table *look(void)
{
	struct table *t = rsd_calloc(1, sizeof(*t)), *old = atomic_load(&current);
	struct scan s = { t, 0 };

	if (!t)
		return old;
	dl_iterate_phdr(add_module, &s);
	if (t->err)
		return old; /* what was allocated is lost; there is no memory anyway */
	qsort(t->module, t->nr, sizeof(*t->module), by_address);
	atomic_store(&current, t);
	return t;
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
	struct table *t = atomic_load(&current);
	struct rsd_loaded *m = find_in(t, address);

	/* Unknown, or a place where something else may be by now: nothing else is worth a look. */
	if (t && ((m && !m->late) || t->generation == rsd_modules_generation()))
		return m;
	return find_in(look(), address);
}

/* Nothing was unloaded yet when the program starts: the generation is the number of modules. */
__attribute__((constructor)) static void remember_start(void)
{
	first_generation = rsd_modules_generation();
}
