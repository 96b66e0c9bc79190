#include <string.h>

#include "primer.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

static const char text[] =
#include "primer_text.h" /* made of doc/primer.rsd */
	;

int rsd_coder_prime(struct rsd_coder *c)
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
