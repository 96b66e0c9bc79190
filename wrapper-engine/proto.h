/*
 * proto.h - reads a preprocessed mpi.h
 *
 * Input is what `cc -E -dD` writes: declarations, line markers, and the #define
 * lines that are in force. Prototypes of MPI_* and PMPI_* functions, macros,
 * enumerators and objects named MPI* are entered into the model; all else is
 * skipped. Two grammars share the work: the scanner skips attributes, bodies
 * and qualifiers that mean nothing to us, the parser knows declarations.
 */
#ifndef RSD_PROTO_H
#define RSD_PROTO_H

#include "model.h"

struct proto { /* the state of one reading */
	struct model *m;
	struct loc at;
	int parens, braces; /* depth at the scanner's position */
	int inner;	    /* the same within an attribute */
	const char *last;   /* the name before it, if a name is before it */
};

/* Reads the file at 'path' into 'm'. Ends the program where it can't be read. */
void rsd_proto_read(struct model *m, const char *path);

/* For the scanner and the parser only. */
void rsd_proto_macro(struct proto *p, const char *line);
void rsd_proto_constant(struct proto *p, const char *name, size_t len);

#endif
