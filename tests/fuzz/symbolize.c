/*
 * symbolize.c - the symbolizer on any bytes: nothing may crash it, hang it or make it allocate without bound
 *
 * The input is a module; its own bytes also stand for every extra file that is asked for. Looked up
 * are addresses all over its code, as the first unit's and function's ranges are what is worth it.
 */
#include <stdlib.h>
#include <string.h>

#include "symbolize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void look_up(struct rsd_symbolizer *s, uint64_t offset, const uint8_t *data, size_t len)
{
	const struct rsd_sym_extra *extra;
	struct rsd_sym_result r;
	size_t nr = rsd_symbolizer_units_for(s, offset, &extra), id[8];

	if (nr > 8)
		nr = 8;
	for (size_t i = 0; i < nr; i++)
		id[i] = extra[i].id;
	for (size_t i = 0; i < nr; i++)
		rsd_symbolizer_provide(s, id[i], data, len);
	if (rsd_symbolizer_lookup(s, offset, &r))
		return;
	for (size_t i = 0; i < r.nr; i++) {
		if (r.frame[i].function && strlen(r.frame[i].function) > len * 1000 + 100000)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rsd_sym_options o = { .prepared = true };
	struct rsd_symbolizer *s;
	uint64_t start = 0;

	if (rsd_symbolizer_open_bytes(&s, "/nowhere/module", data, len, &o, NULL))
		return 0;
	if (rsd_symbolizer_section(s, ".text", &start)) {
		for (uint64_t i = 0; i < 600; i += 3)
			look_up(s, start + i, data, len);
	}
	for (uint64_t i = 0; i < 64; i++)
		look_up(s, i * 7, data, len);
	rsd_symbolizer_free(s);
	return 0;
}
