/*
 * symbolize.c - the symbolizer on any bytes: nothing may crash it, hang it or make it allocate without bound
 *
 * The input is a module, or a module, the extra file for all that it asks for, that file's length (4 bytes,
 * lowest first) and "xtra". A module alone is its own extra file. Looked up are addresses at the
 * beginning of its code.
 */
#include <stdlib.h>
#include <string.h>

#include "symbolize.h"

#define TRAILER 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct input {
	const uint8_t *module, *extra;
	size_t module_len, extra_len;
};

static struct input take_apart(const uint8_t *data, size_t len)
{
	const uint8_t *t = data + len - TRAILER;
	size_t extra;

	if (len < TRAILER || memcmp(t + 4, "xtra", 4) != 0)
		return (struct input){ data, data, len, len };
	extra = t[0] | (size_t)t[1] << 8 | (size_t)t[2] << 16 | (size_t)t[3] << 24;
	len -= TRAILER;
	if (extra > len)
		extra = len;
	return (struct input){ data, data + len - extra, len - extra, extra };
}

static void look_up(struct rsd_symbolizer *s, uint64_t offset, const struct input *in)
{
	const struct rsd_sym_extra *extra;
	struct rsd_sym_result r;
	size_t nr = rsd_symbolizer_units_for(s, offset, &extra), id[8];

	if (nr > 8)
		nr = 8;
	for (size_t i = 0; i < nr; i++)
		id[i] = extra[i].id;
	for (size_t i = 0; i < nr; i++)
		rsd_symbolizer_provide(s, id[i], in->extra, in->extra_len);
	if (rsd_symbolizer_lookup(s, offset, &r))
		return;
	for (size_t i = 0; i < r.nr; i++) {
		const char *name = r.frame[i].function;

		if (name && strlen(name) > (in->module_len + in->extra_len) * 1000 + 100000)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const section[] = { ".text", ".text.startup", ".init" };
	struct rsd_sym_options o = { .prepared = true };
	struct input in = take_apart(data, len);
	struct rsd_symbolizer *s;
	struct rsd_sym_result r;
	uint64_t start;

	if (rsd_symbolizer_open_bytes(&s, "/nowhere/module", in.module, in.module_len, &o, NULL))
		return 0;
	for (size_t k = 0; k < sizeof(section) / sizeof(*section); k++) {
		if (!rsd_symbolizer_section(s, section[k], &start))
			continue;
		for (uint64_t i = 0; i < 600; i += 3)
			look_up(s, start + i, &in);
	}
	for (uint64_t i = 0; i < 64; i++) {
		look_up(s, i * 7, &in);
		rsd_symbolizer_by_index(s, i, &r);
	}
	rsd_symbolizer_free(s);
	return 0;
}
