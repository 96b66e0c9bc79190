/*
 * coder.h - what a trace's bytes are likely to be, and an arithmetic coder that makes use of it
 *
 * A trace is coded number by number as it is encoded (transfer.h), and decoded as it is read; so each
 * side knows what the next number is: which field, of which column, after which others. Each number is a few
 * binary decisions; of each, several contexts predict the outcome (how often which one came after the
 * same field, the same beginning of the column, the same number before ...), a mixer that learns which of them to trust makes
 * one probability of these, and the coder spends as many bits as it was improbable. Integers only: the
 * same on every machine. doc/trace-format.md says it in full.
 *
 * A buffer (buf.h) with a model codes what is put to it, besides keeping the bytes; a reader with
 * a model decodes. Whoever encodes says the field before each number, and must say the same when decoding.
 */
#ifndef RSD_CODER_H
#define RSD_CODER_H

#include "buf.h"

enum rsd_field {
	RSD_FIELD_TEXT_LEN,
	RSD_FIELD_TEXT, /* bytes of texts */
	RSD_FIELD_HEAD, /* counts of tables and what is there once */
	RSD_FIELD_CONSTANT,
	RSD_FIELD_FUNC,
	RSD_FIELD_PARAM,
	RSD_FIELD_SIG_LEN,
	RSD_FIELD_FRAME,
	RSD_FIELD_FRAME_MODULE,
	RSD_FIELD_FRAME_OFFSET,
	RSD_FIELD_OBJECT,
	RSD_FIELD_PLACE_THREAD,
	RSD_FIELD_PLACE_FUNC,
	RSD_FIELD_PLACE_SIG,
	RSD_FIELD_PLACE_FLAGS,
	RSD_FIELD_VARIANTS,
	RSD_FIELD_RANK_RUNS,
	RSD_FIELD_RANK_FIRST,
	RSD_FIELD_RANK_DIM,
	RSD_FIELD_ITEMS,
	RSD_FIELD_ITEM,
	RSD_FIELD_COUNT,
	RSD_FIELD_STEP,
	RSD_FIELD_NUMBERS,
	RSD_FIELD_INDEX,
	RSD_FIELD_NODE,
	RSD_FIELD_LOG,
	RSD_FIELD_HISTOGRAM, /* one set of fields for each of the three, as below */
	RSD_NR_FIELDS = RSD_FIELD_HISTOGRAM + 3 * 8 /* RSD_NR_HIST_FIELDS */
};

enum rsd_hist_field {
	RSD_HIST_NR,
	RSD_HIST_MIN,
	RSD_HIST_PLACE,
	RSD_HIST_OCTAVES,
	RSD_HIST_RANK,
	RSD_HIST_RANK_MAX,
	RSD_HIST_BIN,
	RSD_HIST_SUM,
	RSD_NR_HIST_FIELDS
};

struct rsd_coder;

/*
 * A model that has learnt nothing yet, and codes nothing: what is put to a buffer that has it, it only learns.
 * 'len' is about how many bytes it is for: its memory depends on that, so both sides must say the same. NULL: no memory.
 */
struct rsd_coder *rsd_coder_new(size_t len);
/* Which of the sizes that there are it is then. */
#define RSD_NR_CODER_SIZES 2
static inline int rsd_coder_size(size_t len)
{
	return len > 16384; /* half the memory will do for fewer */
}
/* One that has learnt the same. NULL: no memory. */
struct rsd_coder *rsd_coder_copy(const struct rsd_coder *c);
void rsd_coder_free(struct rsd_coder *c); /* NULL is fine */
/* From now on codes to the end of 'out' (borrowed), until the end is written. */
void rsd_coder_encode(struct rsd_coder *c, struct rsd_buf *out);
void rsd_coder_end(struct rsd_coder *c);
/* From now on decodes these bytes; borrowed. */
void rsd_coder_decode(struct rsd_coder *c, const void *data, size_t len);

/*
 * What the next number is: its field, and what else it is likely to depend on. 'at' tells apart several of a
 * field in one column.
 */
void rsd_coder_field(struct rsd_coder *c, unsigned field, uint64_t hint, uint64_t at);
/*
 * A column begins, or a place's times: numbers are likely to be as they were where 'key' was the same; times also as
 * where 'about' was.
 */
void rsd_coder_scope(struct rsd_coder *c, uint64_t key, uint64_t about);
/*
 * The next number is likely to be at most 'range', anything up to there being about as likely, and to end in so many
 * zero bits.
 */
void rsd_coder_range(struct rsd_coder *c, uint64_t range, int zeros);

/* For buf.c: a number, or a byte of a text; encoding returns 'v', decoding what was encoded. */
uint64_t rsd_coder_number(struct rsd_coder *c, uint64_t v);
unsigned char rsd_coder_byte(struct rsd_coder *c, unsigned char byte);

static inline void rsd_buf_field(struct rsd_buf *out, unsigned field, uint64_t hint)
{
	if (out->coder)
		rsd_coder_field(out->coder, field, hint, 0);
}

static inline void rsd_reader_field(struct rsd_reader *in, unsigned field, uint64_t hint)
{
	if (in->coder)
		rsd_coder_field(in->coder, field, hint, 0);
}

#endif
