#include <stdatomic.h>
#include <string.h>

#include "primer.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

static const char text[] =
#include "primer_text.h" /* made of doc/primer.rsd */
	;

/* By size. Never changed once it is there. */
static _Atomic(struct rsd_coder *) kept[RSD_NR_CODER_SIZES];

static int prime(struct rsd_coder *c)
{
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_trace *t;
	size_t pos = 0;
	int err = rsd_text_parse(&t, text, sizeof(text) - 1, &pos, NULL);

	rsd_assert(err != RSD_ERR_FORMAT);
	if (err)
		return err;
	b.coder = c;
	rsd_trace_encode(t, &b);
	err = b.err;
	rsd_buf_release(&b);
	rsd_trace_free(t);
	return err;
}

struct rsd_coder *rsd_coder_new_primed(size_t len, bool keep)
{
	_Atomic(struct rsd_coder *) *at = &kept[rsd_coder_size(len)];
	struct rsd_coder *c = *at, *none = NULL;

	if (c)
		return rsd_coder_copy(c);
	c = rsd_coder_new(len);
	if (c && prime(c)) {
		rsd_coder_free(c);
		return NULL;
	}
	if (!c || !keep)
		return c;
	/* Another thread may have been first. */
	if (!atomic_compare_exchange_strong(at, &none, c))
		return c;
	return rsd_coder_copy(c);
}
