/* dlopen's RTLD_NOLOAD, dladdr and dl_iterate_phdr are no part of POSIX. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <mpi.h>

#include "late.h"
#include "own_object.h"
#include "util.h"

/*
 * Null in a tracer that was loaded before MPI. The rest are missing where an old C library keeps them apart
 * or a program is linked statically; it has its MPI from the start.
 */
#pragma weak PMPI_Init
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dladdr

struct paths {
	char **path;
	size_t nr, alloc;
};

static int add_path(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct paths *p = arg;

	(void)size;
	if (!info->dlpi_name[0] || RSD_GROW(p->path, p->nr + 1, p->alloc))
		return 0;
	p->path[p->nr] = rsd_strndup(info->dlpi_name, strlen(info->dlpi_name));
	if (p->path[p->nr])
		p->nr++;
	return 0;
}

/* Where a loaded module, or what it is linked with, has the function: that one's symbols are for all, now. */
static bool show_owner(const char *path, const char *function)
{
	void *module = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	void *address = module ? dlsym(module, function) : NULL;
	Dl_info owner;
	bool shown = address && dladdr(address, &owner) &&
		     dlopen(owner.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);

	if (module)
		dlclose(module);
	return shown;
}

/* The C library first; the Fortran layer, if there is one, may be a library of its own. */
static void show_mpi(void)
{
	static const char *const functions[] = { "PMPI_Init", "pmpi_init_" };
	struct paths p = { NULL, 0, 0 };

	/* No module may be opened while they are listed. */
	dl_iterate_phdr(add_path, &p);
	for (size_t f = 0; f < RSD_ARRAY_SIZE(functions); f++) {
		for (size_t i = 0; i < p.nr && !dlsym(RTLD_DEFAULT, functions[f]); i++)
			show_owner(p.path[i], functions[f]);
	}
	for (size_t i = 0; i < p.nr; i++)
		free(p.path[i]);
	free(p.path);
}

static bool is_of_mpi(const char *name)
{
	static const char *const starts[] = { "MPI", "PMPI", "OMPI", "__mpi_" };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(starts); i++) {
		if (!strncasecmp(name, starts[i], strlen(starts[i])))
			return true;
	}
	return false;
}

/*
 * Functions are bound when they are first called. Addresses of variables, and of functions that are looked
 * at rather than called, were taken when the tracer was loaded, and are null.
 */
static void bind_addresses(const struct rsd_own_object *self)
{
	const ElfW(Rela) *relocation = NULL;
	const ElfW(Sym) *symbol = NULL;
	const char *names = NULL;
	size_t nr = 0;

	for (const ElfW(Dyn) *d = self->dynamic; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			relocation = rsd_own_object_at(self, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELASZ)
			nr = d->d_un.d_val / sizeof(*relocation);
		else if (d->d_tag == DT_SYMTAB)
			symbol = rsd_own_object_at(self, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			names = rsd_own_object_at(self, d->d_un.d_ptr);
	}
	for (size_t i = 0; relocation && symbol && names && i < nr; i++) {
		uint64_t info = relocation[i].r_info;
		const ElfW(Sym) *s = &symbol[sizeof(void *) == 8 ? info >> 32 : info >> 8];
		uintptr_t *place = (uintptr_t *)(self->base + relocation[i].r_offset);
		uintptr_t address;

		if (s->st_shndx != SHN_UNDEF || !is_of_mpi(names + s->st_name) || *place)
			continue;
		address = (uintptr_t)dlsym(RTLD_DEFAULT, names + s->st_name);
		if (address)
			*place = address + (uintptr_t)relocation[i].r_addend;
	}
}

void rsd_late_bind(void)
{
	struct rsd_own_object self;

	if (PMPI_Init || !dlopen || !dlsym || !dlclose || !dladdr)
		return;
	show_mpi();
	self = rsd_own_object();
	bind_addresses(&self);
}
