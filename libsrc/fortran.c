/* RTLD_DEFAULT is no part of POSIX. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "fortran.h"
#include "fortran_library.h"

#include <stdlib.h>
#include <string.h>
#include "handle.h"
#include "runtime.h"
#include "trouble.h"
#include "util.h"

/*
 * Constants of Fortran's that are objects of the library's Fortran layer, which a program in C is not linked
 * with. In MPICH and its kin those of mpi_f08 are; those without a name for C are as gfortran spells them. In Open MPI
 * all are, in common blocks that each program has, too.
 */
#define CONSTANT(name, symbol) extern const char name[] __asm__(symbol) __attribute__((weak))
#define CONSTANTS(name)                                                                            \
	CONSTANT(f08_##name, "__mpi_f08_link_constants_MOD_mpi_" #name);                           \
	CONSTANT(common_##name, "mpi_fortran_" #name "_")
/* C's pointers to two of them: the objects are there twice, and only MPI itself is sure to see the program's. */
#define POINTER(name, symbol) extern const void *const name __asm__(symbol) __attribute__((weak))
POINTER(f_status_ignore, "MPI_F_STATUS_IGNORE");
POINTER(f_statuses_ignore, "MPI_F_STATUSES_IGNORE");
POINTER(f08_status_ignore, "MPI_F08_STATUS_IGNORE");
POINTER(f08_statuses_ignore, "MPI_F08_STATUSES_IGNORE");
CONSTANTS(unweighted);
CONSTANTS(weights_empty);
CONSTANTS(errcodes_ignore);
CONSTANTS(argv_null);
CONSTANTS(argvs_null);

/* Is it that constant? What the MPI library has not has the address 0. */
#define POINTED(p, name) ((p) && &(name) && (p) == (name))
#define IS(p, name) ((p) && ((p) == (const void *)f08_##name || (p) == (const void *)common_##name))

#define PROCEDURE(name)                                                                            \
	extern void name(void) __asm__("__mpi_f08_callbacks_MOD_mpi_" #name) __attribute__((weak))
PROCEDURE(comm_dup_fn);
PROCEDURE(comm_null_copy_fn);
PROCEDURE(comm_null_delete_fn);
PROCEDURE(type_dup_fn);
PROCEDURE(type_null_copy_fn);
PROCEDURE(type_null_delete_fn);
PROCEDURE(win_dup_fn);
PROCEDURE(win_null_copy_fn);
PROCEDURE(win_null_delete_fn);
PROCEDURE(conversion_fn_null);
PROCEDURE(conversion_fn_null_c);

#define OF_MPIF(name) extern void mpi_##name##_(void) __attribute__((weak))
OF_MPIF(comm_dup_fn);
OF_MPIF(type_dup_fn);
OF_MPIF(win_dup_fn);
OF_MPIF(comm_null_copy_fn);
OF_MPIF(comm_null_delete_fn);
OF_MPIF(type_null_copy_fn);
OF_MPIF(type_null_delete_fn);
OF_MPIF(win_null_copy_fn);
OF_MPIF(win_null_delete_fn);
OF_MPIF(dup_fn);
OF_MPIF(null_copy_fn);
OF_MPIF(null_delete_fn);
OF_MPIF(conversion_fn_null);

/* Missing where an old C library keeps them apart, or a program is linked statically; it has its MPI from the start. */
#pragma weak dlopen
#pragma weak dlsym

void (*rsd_f_routine(void (*known)(void), const char *name))(void)
{
	union {
		void *object;
		void (*function)(void);
	} found = { .function = known };

	if (!known && dlopen && dlsym) {
		found.object = dlsym(RTLD_DEFAULT, name);
		if (!found.object && dlopen(RSD_FORTRAN_LIBRARY, RTLD_LAZY | RTLD_GLOBAL))
			found.object = dlsym(RTLD_DEFAULT, name);
	}
	if (!found.function)
		rsd_say("the program is linked without the MPI library's Fortran layer (%s)", name);
	return found.function;
}

MPI_Status *rsd_f_status(void *p)
{
	if (POINTED(p, f_status_ignore) || POINTED(p, f08_status_ignore))
		return MPI_STATUS_IGNORE;
	if (POINTED(p, f_statuses_ignore) || POINTED(p, f08_statuses_ignore))
		return MPI_STATUSES_IGNORE;
	return p;
}

void *rsd_f_array(void *p)
{
	if (IS(p, unweighted))
		return (void *)MPI_UNWEIGHTED;
	if (IS(p, weights_empty))
		return (void *)MPI_WEIGHTS_EMPTY;
	return IS(p, errcodes_ignore) ? (void *)MPI_ERRCODES_IGNORE : p;
}

/* In mpi_f08, and in mpif.h. */
#define BOTH(name, c)                                                                              \
	{ name, (void (*)(void))(c) },                                                             \
	{                                                                                          \
		mpi_##name##_, (void (*)(void))(c)                                                 \
	}
/* Open MPI calls those of MPI-1 deprecated, by an attribute. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void (*rsd_f_function(void (*fn)(void)))(void)
{
	const struct {
		void (*fortran)(void), (*c)(void);
	} predefined[] = {
		BOTH(comm_dup_fn, MPI_COMM_DUP_FN),
		BOTH(type_dup_fn, MPI_TYPE_DUP_FN),
		BOTH(win_dup_fn, MPI_WIN_DUP_FN),
		BOTH(comm_null_copy_fn, MPI_COMM_NULL_COPY_FN),
		BOTH(comm_null_delete_fn, MPI_COMM_NULL_DELETE_FN),
		BOTH(type_null_copy_fn, MPI_TYPE_NULL_COPY_FN),
		BOTH(type_null_delete_fn, MPI_TYPE_NULL_DELETE_FN),
		BOTH(win_null_copy_fn, MPI_WIN_NULL_COPY_FN),
		BOTH(win_null_delete_fn, MPI_WIN_NULL_DELETE_FN),
		{ mpi_dup_fn_, (void (*)(void))MPI_DUP_FN },
		{ mpi_null_copy_fn_, (void (*)(void))MPI_NULL_COPY_FN },
		{ mpi_null_delete_fn_, (void (*)(void))MPI_NULL_DELETE_FN },
		BOTH(conversion_fn_null, MPI_CONVERSION_FN_NULL),
		{ conversion_fn_null_c, (void (*)(void))MPI_CONVERSION_FN_NULL },
	};

	for (size_t i = 0; fn && i < RSD_ARRAY_SIZE(predefined); i++) {
		if (fn == predefined[i].fortran)
			return predefined[i].c;
	}
	return fn;
}
#pragma GCC diagnostic pop

static bool is_predefined(int keyval)
{
	return rsd_is_const(rsd_constant_of(RSD_G_KEYVAL, keyval));
}

int rsd_f_keyval(const void *p)
{
	int keyval = *(const MPI_Fint *)p;

	/* Where C's leave no room for others, Fortran's are the same. */
	if (is_predefined(keyval) || is_predefined(MPI_TAG_UB + 1))
		return keyval;
	return is_predefined(keyval - 1) ? keyval - 1 : keyval;
}

/* ---- indices ----------------------------------------------------------------------------------- */

void pmpir_waitany_f08_(void *count, void *requests, void *index, void *status, MPI_Fint *ierror)
	__attribute__((weak));
void pmpi_waitany_f08_(void *count, void *requests, void *index, void *status, MPI_Fint *ierror)
	__attribute__((weak));

static int tell_status(void *state, MPI_Status *status)
{
	(void)state;
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int free_nothing(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

/*
 * By what the library's Fortran counts more than C. It should be 1, but some versions of MPICH (4.0) hand on C's
 * index in mpi_f08. The program gets what the library returns; here the one request that is complete tells.
 */
static int base(void)
{
	static _Atomic int known = -1;
	__typeof__(&pmpi_waitany_f08_) waitany =
		pmpir_waitany_f08_ ? pmpir_waitany_f08_ : pmpi_waitany_f08_;
	MPI_Fint count = 1, index = 1, err = MPI_SUCCESS, handle;
	MPI_Request request;
	MPI_Status status;

	if (known >= 0)
		return known;
	if (!waitany ||
		PMPI_Grequest_start(tell_status, free_nothing, cancel_nothing, NULL, &request))
		return 1;
	PMPI_Grequest_complete(request);
	handle = PMPI_Request_c2f(request);
	waitany(&count, &handle, &index, &status, &err);
	known = index == 0 ? 0 : 1;
	return known;
}

void rsd_f_from_1(int *p, int64_t n)
{
	int by = base();

	for (int64_t i = 0; p && i < n; i++)
		p[i] -= by;
}

void rsd_f_to_1(int *p, int64_t n)
{
	int by = base();

	for (int64_t i = 0; p && i < n; i++)
		p[i] += by;
}

int rsd_f_from_1_kept(int *p)
{
	int kept = *p;

	if (kept != MPI_UNDEFINED)
		*p -= base();
	return kept;
}

/* ---- strings --------------------------------------------------------------------------------- */

static size_t trimmed(const char *s, size_t chars)
{
	while (chars && s[chars - 1] == ' ')
		chars--;
	return chars;
}

void rsd_put_f_string(struct rsd_call *c, const char *s, size_t chars, bool leading)
{
	size_t len = trimmed(s, chars);

	while (!leading && len && *s == ' ') {
		s++;
		len--;
	}
	rsd_put_string_len(c, s, len);
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

/* Strings that lie 'step' apart, as C has them; NULL: no memory. */
static char **list_of(const char *p, size_t chars, size_t step, int64_t n)
{
	char **list = NULL;
	size_t nr = 0, alloc = 0;

	for (;; nr++, p += step) {
		if (RSD_GROW(list, nr + 1, alloc)) {
			if (list)
				list[nr ? nr - 1 : 0] = NULL;
			break;
		}
		list[nr] = NULL;
		if (n < 0 ? !trimmed(p, chars) : (int64_t)nr == n)
			return list;
		list[nr] = rsd_strndup(p, trimmed(p, chars));
		if (!list[nr])
			break;
	}
	free_list(list);
	return NULL;
}

void rsd_put_f_strings(struct rsd_call *c, const void *p, size_t chars, int64_t n)
{
	bool none = !p || IS(p, argv_null);
	char **list = none || !c->recorded ? NULL : list_of(p, chars, chars, n);

	if (list)
		rsd_put_strings(c, list, n);
	else
		rsd_put_strings(c, none ? MPI_ARGV_NULL : NULL, n);
	free_list(list);
}

void rsd_put_f_argvs(struct rsd_call *c, const void *p, size_t chars, int64_t n)
{
	bool none = !p || IS(p, argvs_null);
	char ***lists =
		none || n < 0 || !c->recorded ? NULL : rsd_calloc((size_t)n, sizeof(*lists));

	for (int64_t i = 0; lists && i < n; i++)
		lists[i] =
			list_of((const char *)p + (size_t)i * chars, chars, (size_t)n * chars, -1);
	if (lists)
		rsd_put_argvs(c, lists, n);
	else
		rsd_put_argvs(c, none ? MPI_ARGVS_NULL : NULL, n);
	for (int64_t i = 0; lists && i < n; i++)
		free_list(lists[i]);
	free(lists);
}
