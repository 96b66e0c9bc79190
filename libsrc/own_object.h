/*
 * own_object.h - the program or library that the tracer is in, as the loader sees it
 */
#ifndef RSD_OWN_OBJECT_H
#define RSD_OWN_OBJECT_H

#include <link.h>
#include <stdint.h>

struct rsd_own_object {
	uintptr_t base;		   /* what is added to addresses of the file */
	const ElfW(Dyn) * dynamic; /* NULL: it is linked statically */
};

struct rsd_own_object rsd_own_object(void);
/* What an entry of its dynamic section points to. */
const void *rsd_own_object_at(const struct rsd_own_object *o, ElfW(Addr) address);

#endif
