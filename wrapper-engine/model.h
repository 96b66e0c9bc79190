/*
 * model.h - what the engine knows: a header's prototypes and constants, a spec's statements
 *
 *	proto.y  --> struct func, struct param, known names  \
 *	spec.y   --> struct spec                              >  resolve.c  -->  emit_*.c
 *
 * Everything lives as long as the model and is freed with it: strings are
 * interned, the rest comes from a list of blocks. Pointers therefore never
 * dangle within a run, and nothing is freed on its own.
 */
#ifndef RSD_MODEL_H
#define RSD_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loc {
	const char *file;
	int line;
};

/* A growing array of pointers to things of the model. */
struct list {
	void **item;
	size_t nr, alloc;
};

/* ---- the spec -------------------------------------------------------------- */

enum expr_op {
	EX_NUMBER, /* text */
	EX_NAME,   /* text: a parameter, or a constant of the header */
	EX_CALL,   /* text: a fact; kid[0]: first of a list of arguments linked by next */
	EX_INDEX,  /* text[kid[0]] */
	EX_OLD,	   /* old(text): what a result parameter pointed to before the call */
	EX_NOT,	   /* !kid[0] */
	EX_PAREN,  /* (kid[0]) */
	EX_BINARY, /* kid[0] text kid[1] */
};

struct expr {
	enum expr_op op;
	const char *text;
	struct expr *kid[2];
	struct expr *next;
	struct loc loc;
};

/* How a parameter is treated. */
enum verb {
	VERB_PUT,   /* the value, or what a pointer to it points to */
	VERB_MADE,  /* the call makes the handle */
	VERB_FREED, /* the call frees or replaces it */
	VERB_SEEN,  /* requests: looked up before the call, gone where the call set them null */
};

struct role {
	enum verb verb;
	bool out;		   /* only defined after success */
	bool inout;		   /* 'out', and what it was before counts, too */
	bool persistent;	   /* a request that lives until freed */
	bool kept;		   /* a buffer that MPI uses beyond the call */
	const char *kind;	   /* "int", "peer", "comm", "status", "skip" ... */
	const char *arg;	   /* named(arg), function(arg), made request arg */
	bool has_args;		   /* kind(...) was written, perhaps with nothing in it */
	struct expr *args;	   /* kind(args): a buffer's extent */
	struct expr *source, *tag; /* made request recv(source, tag) */
	struct expr *len;	   /* [len] */
	struct expr *cond;	   /* if cond */
	struct expr *of;	   /* peer of comm; status of index; statuses of indices */
	struct expr *like;	   /* made comm like comm */
	struct expr *wild;	   /* status wild cond */
	struct loc loc;
};

/* A type as a rule names it: const int[] */
struct type_pattern {
	bool is_const;
	const char *base; /* with * and ? */
	int depth;	  /* number of [] */
};

struct rule { /* role TYPE NAME...: ROLE */
	struct type_pattern type;
	struct list names; /* of char */
	struct role *role;
	bool used;
	struct loc loc;
};

struct guard { /* guard NAME... if EXPR */
	struct list names;
	struct expr *cond;
	bool used;
	struct loc loc;
};

struct pattern { /* a function's name, with * and ? */
	const char *text;
	bool used;
	struct loc loc;
};

struct code {
	const char *text;
	struct loc loc;
};

enum in_fortran {
	AS_IN_C,
	FROM_1,
	INTEGER,
	WITHOUT_0
}; /* from_1 NAME..., integer NAME..., without_0 NAME... [if COND] */

struct setting {	   /* NAME...: ROLE, or NAME... if COND, in a function line */
	struct list names; /* of struct pattern */
	struct role *role; /* NULL: only 'cond', or 'in_fortran' */
	struct expr *cond;
	enum in_fortran in_fortran;
};

enum flag { FLAG_EARLY = 1, FLAG_WEAK = 2, FLAG_UNPLAYED = 4 };

struct line {		   /* FUNC... clause; clause */
	struct list funcs; /* of struct pattern */
	struct list settings;
	struct code *pre, *post;
	unsigned flags;
	struct expr *weak_else;	       /* what a function without a twin returns */
	const char *sent[2], *recv[2]; /* count, type */
	struct loc loc;
};

struct group { /* constants of one kind, or functions of one class */
	const char *name;
	struct list names; /* of struct pattern */
	bool later;	   /* of a newer standard than MPIs have to be of */
	struct loc loc;
};

struct word { /* alias, fact, type, number: a word and what it stands for */
	const char *from, *to;
	bool used;
	struct loc loc;
};

struct names { /* names FUNC...: parameter... */
	struct list funcs;
	struct list params; /* of char */
	struct loc loc;
};

struct spec {
	struct list rules, guards, lines; /* in the order of the files: first match wins */
	struct list classes;		  /* of struct group: functions the spec knows */
	struct list constants;		  /* of struct group */
	struct list handles;		  /* of struct word: C type -> kind */
	struct list numbers;		  /* of struct word: C type -> "int", "aint", "count" */
	struct list callbacks;		  /* of struct word: pattern of a function type -> itself */
	struct list facts;		  /* of struct word: name in expressions -> C function */
	struct list aliases;  /* of struct word: a header's spelling -> the standard's */
	struct list suffixes; /* of char: a name in the spec also means it with one of these */
	struct list names;
	struct list fortran;  /* of struct pattern: functions to get Fortran entry points */
	struct list logicals; /* of char: parameters that are logicals in Fortran */
	struct list prologue; /* of struct code */
};

/* ---- the header -------------------------------------------------------------- */

struct type {
	bool is_const;		    /* of what is pointed to, or of the value */
	const char *base;	    /* "int", "MPI_Comm", "unsigned long" */
	int depth;		    /* pointers and arrays */
	bool callback;		    /* written as a pointer to a function */
	const char *before, *after; /* the declaration around the name: "const int ", "[][3]" */
	int inner;		    /* N of [][N], else 1 */
};

struct param {
	const char *name;    /* the standard's */
	const char *spelled; /* the header's, or NULL */
	bool unnamed;	     /* neither the header nor the spec names it */
	struct type type;
	const struct role *role;
	const struct expr *guard[4]; /* further conditions, from guards */
	int nr_guards;
	bool logical;		      /* in Fortran */
	bool from_1;		      /* in Fortran it counts from 1, in C from 0 */
	bool integer;		      /* in Fortran it is an INTEGER, in C an address */
	bool without_0;		      /* in Fortran a length without the 0 that ends C's strings */
	const struct expr *string_if; /* that string is there after the call; NULL: always */
	struct loc fortran_at;	      /* where one of these is said */
	int place;		      /* index among the recorded parameters; -1: not recorded */
	int old_place;		      /* that of its value before the call; -1: there is none */
};

struct func {
	const char *name;
	struct type ret;
	struct list params; /* of struct param */
	bool variadic;
	bool known; /* some class of the spec lists it */
	const char *class;
	unsigned flags;
	const struct expr *weak_else;
	struct list pre, post; /* of struct code */
	const char *sent[2], *recv[2];
	int nr_places;
	struct loc loc;
};

struct model {
	struct list blocks;	/* all memory */
	struct list strings;	/* interned, sorted */
	struct list funcs;	/* MPI_* prototypes with a PMPI_ twin, in the header's order */
	struct list twins;	/* of char: names of PMPI_* prototypes, the P left out */
	struct list constants;	/* of char: macros, enumerators and objects of the header, sorted by
				   model_settle */
	struct list macros;	/* of char: macros with parameters, which may stand for functions */
	struct list candidates; /* of struct pattern: what looks like a prototype, to check the
				   parser */
	struct list
		fortran; /* of struct list, one for each library of MPI's Fortran layer: names, as
				   mk/fortran-names tells them, sorted */
	struct spec spec;
	int errors, warnings;
	bool quiet; /* no warnings are printed */
};

void rsd_model_init(struct model *m);
void rsd_model_release(struct model *m);
/* Zeroed memory that lives as long as the model. Ends the program where there is none. */
void *rsd_model_alloc(struct model *m, size_t size);
/* The one copy of a string. */
const char *rsd_model_string(struct model *m, const char *s, size_t len);
const char *rsd_model_format(struct model *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void rsd_list_add(struct list *l, void *item);

/* To be called once the header is read: keeps functions that have twins, sorts names. */
void rsd_model_settle(struct model *m);
bool rsd_model_has_constant(const struct model *m, const char *name);
/* False for MPI 5's ABI: it has no MPI_Fint, and no conversions to and from Fortran's handles. */
bool rsd_model_knows_fortran(const struct model *m);
/* Does a library of MPI's Fortran layer define it? */
bool rsd_model_has_fortran(const struct model *m, const char *name);
/* Does that which defines this routine refer to that function of C's? */
bool rsd_model_fortran_refers(const struct model *m, const char *routine, const char *name);
/* Does any of them refer to the function of C's, or hold it? */
bool rsd_model_fortran_mentions(struct model *m, const char *name);
/* Reads what mk/fortran-names writes. */
void rsd_model_read_fortran(struct model *m, const char *path);
bool rsd_model_has_macro(const struct model *m, const char *name);

/* Does 's' match 'pattern' (* any characters, ? one)? */
bool rsd_glob(const char *pattern, const char *s);
/* The same for a function's name, with one of the spec's suffixes or without. */
bool rsd_glob_func(const struct spec *s, const char *pattern, const char *name);
const struct param *rsd_func_param(const struct func *f, const char *name);
/* What word 'from' stands for; NULL where the list has none. Marks it used. */
const char *rsd_words_find(const struct list *words, const char *from);

/* "FILE:LINE: text" on stderr; counted. */
void rsd_error(struct model *m, struct loc at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rsd_warning(struct model *m, struct loc at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints and ends the program. */
_Noreturn void rsd_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
