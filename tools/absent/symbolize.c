/* symbolize.c - the symbolizer, where its libraries were not found: it opens no module, and says why */
#include "symbolize.h"

#include "parts.h"
#include "util.h"

int rsd_symbolizer_open(struct rsd_symbolizer **out, const char *path,
	const struct rsd_sym_options *o, struct rsd_buf *why)
{
	(void)path;
	(void)o;
	*out = NULL;
	if (why)
		rsd_part_put_lack(RSD_PART_SOURCE, why);
	return RSD_ERR_IO;
}

void rsd_symbolizer_free(struct rsd_symbolizer *s)
{
	(void)s;
}

/* As there is no symbolizer, none of these is ever called. */

int rsd_symbolizer_lookup(struct rsd_symbolizer *s, uint64_t offset, struct rsd_sym_result *out)
{
	(void)s;
	(void)offset;
	*out = (struct rsd_sym_result){ .origin = RSD_SYM_NOTHING };
	return 0;
}

int rsd_symbolizer_by_index(struct rsd_symbolizer *s, uint64_t index, struct rsd_sym_result *out)
{
	return rsd_symbolizer_lookup(s, index, out);
}

bool rsd_symbolizer_is_stripped(const struct rsd_symbolizer *s)
{
	(void)s;
	return false;
}

const unsigned char *rsd_symbolizer_build_id(const struct rsd_symbolizer *s, size_t *len)
{
	(void)s;
	*len = 0;
	return NULL;
}

int rsd_symbolizer_address_size(const struct rsd_symbolizer *s)
{
	(void)s;
	return (int)sizeof(void *);
}

bool rsd_symbolizer_section(const struct rsd_symbolizer *s, const char *name, uint64_t *offset)
{
	(void)s;
	(void)name;
	*offset = 0;
	return false;
}
