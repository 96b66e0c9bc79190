/*
 * spec.h - reads spec files into the model (the grammar is in spec/README)
 */
#ifndef RSD_SPEC_H
#define RSD_SPEC_H

#include "model.h"

struct spec_reader { /* the state of one reading */
	struct model *m;
	struct loc at;
	int last_line;	    /* the line before, where a statement that has ended is reported */
	bool pending;	    /* a statement has begun */
	bool open;	    /* an expression goes on to ';' or the end of the statement */
	int depth;	    /* of parentheses and brackets */
	int resume;	    /* the scanner's state before a line's end */
	struct line *line;  /* the function line being read */
	struct loc code_at; /* where a block of C began */
	int braces;
	char *code; /* what has been read of it */
	size_t code_len, code_alloc;
};

/* Reads the file at 'path' into m->spec; later files add to earlier ones. Ends the program where it
 * can't be read. */
void rsd_spec_read(struct model *m, const char *path);

#endif
