/*
 * text_parse.h - what the readers of the two text formats, rsd and ascii, share
 *
 * A parser goes through one section line by line and fills a trace. The error is
 * sticky, in 's' (scan.h).
 */
#ifndef RSD_TEXT_PARSE_H
#define RSD_TEXT_PARSE_H

#include "scan.h"
#include "trace.h"

struct rsd_text_block { /* lines of a log, put off until the places are known */
	int rank, thread;
	size_t start, end;
};

struct rsd_parser {
	struct rsd_scan s;
	struct rsd_trace *t;
	struct rsd_map constant_by_name; /* hash of the name to the index */
	struct rsd_text_block *block;
	size_t nr_blocks, alloc_blocks;
	struct rsd_map place_by_number; /* thread << 32 | number within it */
	struct rsd_buf tmp;		/* for use within one function only */
	int64_t *val;
	size_t alloc_val;
	bool has_state;
	int version, newest; /* of the section so far; that the reader knows */
	size_t room;	     /* as a reader's (buf.h) */
};

void rsd_parser_init(
	struct rsd_parser *p, const char *text, size_t len, size_t start, struct rsd_buf *why);
/* Frees all but the trace. */
void rsd_parser_release(struct rsd_parser *p);

/* Magic word and version (up to 'newest'), size of the world, ranks; makes p->t. */
void rsd_parse_start(struct rsd_parser *p, const char *magic, int newest);
/*
 * The rest of a line of the header or of a table (complete, incomplete, meta, constant, string,
 * function, module, signature, source, object), a further version, and the lines that belong to it. False
 * where the next word is none of these; nothing is read then.
 */
bool rsd_parse_table_line(struct rsd_parser *p);
/* The rest of the end line, of a section that began at 'start'. */
void rsd_parse_end(struct rsd_parser *p, size_t start);

/* Position of the word p[0..len) in a list; -1 where it is not there. */
int rsd_text_word_index(const char *p, size_t len, const char *const *list, int nr);
/* Position of the next word in a list; an error, and 0, where it is not there. */
int rsd_parse_word_of(struct rsd_parser *p, const char *const *list, int nr, const char *what);
int rsd_parse_add_constant(struct rsd_parser *p, int index, const char *name);
/* Index of the constant with this name, or -1. */
int rsd_parse_find_constant(const struct rsd_parser *p, const char *name, size_t len);
/* A value: number, cINDEX or <NAME>. */
int64_t rsd_parse_value(struct rsd_parser *p);
void rsd_parse_ranks(struct rsd_parser *p, struct rsd_ranks *out);
/* The number that entry 'id' of a table stands behind: entries are numbered in order. */
void rsd_parse_expect_id(struct rsd_parser *p, size_t id);
/* What interning gave back for entry 'id' of a table. */
void rsd_parse_check_id(struct rsd_parser *p, int ret, size_t id);
/* All lines of the column 'name' that come next. */
void rsd_parse_params(struct rsd_parser *p, const char *name, struct rsd_params *out);

#endif
