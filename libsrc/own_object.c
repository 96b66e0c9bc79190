/* dl_iterate_phdr is no part of POSIX. */
#define _GNU_SOURCE
#include "own_object.h"

#include <stdbool.h>
#include <stddef.h>

static int find(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct rsd_own_object *own = arg;
	uintptr_t here = (uintptr_t)&rsd_own_object;
	const ElfW(Dyn) *dynamic = NULL;
	bool found = false;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t lo = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)lo;
		else if (ph->p_type == PT_LOAD && lo <= here && here - lo < ph->p_memsz)
			found = true;
	}
	if (!found)
		return 0;
	own->base = info->dlpi_addr;
	own->dynamic = dynamic;
	return 1;
}

struct rsd_own_object rsd_own_object(void)
{
	struct rsd_own_object own = { 0, NULL };

	dl_iterate_phdr(find, &own);
	return own;
}

/* Some loaders turn these addresses into absolute ones, some do not. */
const void *rsd_own_object_at(const struct rsd_own_object *o, ElfW(Addr) address)
{
	return (const void *)(address < o->base ? o->base + address : address);
}
