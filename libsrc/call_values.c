#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call_values.h"
#include "fortran.h"
#include "trouble.h"
#include "util.h"

/* No reader would take it. The calls after it are recorded again. */
static void leave_out(struct rsd_call *c)
{
	c->recorded = c->usual = false;
	c->at = c->end = NULL;
	rsd_trouble("a call of %s has more than %zu values and is left out",
		rsd_funcs[c->func].name, RSD_MAX_VALUES);
}

int64_t *rsd_values(struct rsd_call *c, size_t n)
{
	struct rsd_thread *t = c->t;
	size_t put, nr;

	if (!c->recorded || t->stopped)
		return NULL;
	nr = rsd_nr_values(c);
	if (n > RSD_MAX_VALUES || nr > RSD_MAX_VALUES - n) {
		leave_out(c);
		return NULL;
	}
	/* Marks are 32 bits: calls in calls may come to more. */
	put = c->start.val + nr;
	if (put > UINT32_MAX - n) {
		rsd_thread_stop(t, RSD_ERR_NOMEM);
		return NULL;
	}
	if (n > t->alloc_val - put && rsd_thread_values(t, put + n)) {
		rsd_thread_stop(t, RSD_ERR_NOMEM);
		return NULL;
	}
	rsd_values_set(c, put + n);
	return c->at - n;
}

int rsd_error_class(int code)
{
	int class = code;

	if (code == MPI_SUCCESS || PMPI_Error_class(code, &class) != MPI_SUCCESS)
		return code;
	return class;
}

/* The program's own codes of MPI's classes: in MPICH nothing in them tells them from the library's. Under the lock */
static struct rsd_map added;
static bool any_added; /* a hint: there are some */

void rsd_error_code_added(int ret, const int *code)
{
	bool locked;

	if (ret != MPI_SUCCESS || !code || *code > MPI_ERR_LASTCODE)
		return;
	locked = rsd_lock();
	/* Without memory for it, it is its class. */
	rsd_map_set(&added, (uint64_t)*code, 1);
	__atomic_store_n(&any_added, true, __ATOMIC_RELEASE);
	rsd_unlock(locked);
}

static bool is_added(int code)
{
	bool locked, is;

	if (!__atomic_load_n(&any_added, __ATOMIC_ACQUIRE))
		return false;
	locked = rsd_lock();
	is = rsd_map_find(&added, (uint64_t)code) != NULL;
	rsd_unlock(locked);
	return is;
}

int64_t rsd_error_value(int code)
{
	if (code == MPI_SUCCESS || code > MPI_ERR_LASTCODE || is_added(code))
		return code;
	return rsd_constant_of(RSD_G_ERROR, rsd_error_class(code));
}

/* ---- single values ---------------------------------------------------------------- */

void rsd_put_making_room(struct rsd_call *c, int64_t v)
{
	int64_t *at = rsd_values(c, 1);

	if (at)
		*at = v;
}

void rsd_put_absent(struct rsd_call *c)
{
	rsd_put(c, RSD_ABSENT);
}

void rsd_put_int(struct rsd_call *c, int64_t v)
{
	rsd_put(c, v == MPI_UNDEFINED ? rsd_constant_of(RSD_G_INT, v) : v);
}

void rsd_put_named(struct rsd_call *c, int group, int64_t v)
{
	rsd_put(c, rsd_constant_of(group, v));
}

int64_t rsd_value_of_pointer(int64_t p)
{
	int64_t v = rsd_constant_of(RSD_G_BUFFER, p);

	return rsd_is_const(v) ? v : 0;
}

void rsd_put_function(struct rsd_call *c, int group, void (*fn)(void))
{
	int64_t address = RSD_HANDLE(rsd_f_function(fn)), v = rsd_constant_of(group, address);

	if (!rsd_is_const(v) && c->recorded)
		v = rsd_handle_used(c->t->known, RSD_KIND_FUNCTION, address, false);
	rsd_put(c, v);
}

void rsd_put_error(struct rsd_call *c, int code)
{
	rsd_put(c, rsd_error_value(code));
}

static int64_t string_id(struct rsd_call *c, const char *s, size_t len)
{
	bool locked = rsd_lock();
	int id = rsd_strings_intern(&rsd_rt.strings, s, len);

	rsd_unlock(locked);
	if (id < 0)
		rsd_thread_stop(c->t, id);
	return id;
}

void rsd_put_string_len(struct rsd_call *c, const char *s, size_t len)
{
	if (c->recorded)
		rsd_put(c, s ? string_id(c, s, len) : RSD_ABSENT);
}

void rsd_put_string(struct rsd_call *c, const char *s)
{
	rsd_put_string_len(c, s, s ? strlen(s) : 0);
}

/* ---- arrays -------------------------------------------------------------------------- */

/* Puts the length, and gives room for the elements; NULL: nothing is left to be done. */
static int64_t *array(struct rsd_call *c, const void *p, int64_t n)
{
	int64_t *at, v;

	if (!c->recorded)
		return NULL;
	v = rsd_constant_of(RSD_G_ARRAY, RSD_HANDLE(p));
	if (p && rsd_is_const(v)) {
		rsd_put(c, v);
		return NULL;
	}
	if (n < 0 || (!p && n > 0) || (uint64_t)n > RSD_ALLOC_MAX / sizeof(*at)) {
		rsd_put_absent(c);
		return NULL;
	}
	at = rsd_values(c, (size_t)n + 1);
	if (!at)
		return NULL;
	*at = n;
	return at + 1;
}

void rsd_put_ints(struct rsd_call *c, const int *p, int64_t n)
{
	int64_t *at = array(c, p, n);

	for (int64_t i = 0; at && i < n; i++)
		at[i] = p[i] == MPI_UNDEFINED ? rsd_constant_of(RSD_G_INT, p[i]) : p[i];
}

void rsd_put_logicals(struct rsd_call *c, const int *p, int64_t n)
{
	int64_t *at = array(c, p, n);

	for (int64_t i = 0; at && i < n; i++)
		at[i] = p[i] != 0;
}

/* Is this number the address of something? No displacement is taken for one by accident: there is nothing below 4 GiB. */
static bool is_address(int64_t v)
{
	static uintptr_t page;

	if (v < (int64_t)1 << 32)
		return false;
	if (!page)
		page = (uintptr_t)sysconf(_SC_PAGESIZE);
	return !msync((void *)((uintptr_t)v & ~(page - 1)), page, MS_ASYNC);
}

void rsd_put_aints(struct rsd_call *c, const MPI_Aint *p, int64_t n)
{
	int64_t *at = array(c, p, n), first = 0;

	for (int64_t i = 0; at && i < n; i++) {
		at[i] = p[i];
		if (!is_address(p[i]))
			continue;
		if (!first)
			first = p[i];
		at[i] -= first;
	}
}

void rsd_put_place(struct rsd_call *c, int64_t v)
{
	rsd_put_int(c, is_address(v) ? 0 : v);
}

void rsd_put_counts(struct rsd_call *c, const MPI_Count *p, int64_t n)
{
	int64_t *at = array(c, p, n);

	for (int64_t i = 0; at && i < n; i++)
		at[i] = p[i];
}

void rsd_put_peers(struct rsd_call *c, const int *p, int64_t n)
{
	int64_t *at = array(c, p, n);

	for (int64_t i = 0; at && i < n; i++)
		at[i] = p[i] < 0 ? rsd_constant_of(RSD_G_PEER, p[i]) : p[i];
}

void rsd_put_nameds(struct rsd_call *c, int group, const int *p, int64_t n)
{
	int64_t *at = array(c, p, n);

	for (int64_t i = 0; at && i < n; i++)
		at[i] = rsd_constant_of(group, p[i]);
}

void rsd_put_errors(struct rsd_call *c, const int *p, int64_t n)
{
	int64_t *at = array(c, p, n);

	for (int64_t i = 0; at && i < n; i++)
		at[i] = rsd_error_value(p[i]);
}

static int64_t list_length(char **p)
{
	int64_t n = 0;

	while (p[n])
		n++;
	return n;
}

static int64_t string_value(struct rsd_call *c, const char *s)
{
	return s ? string_id(c, s, strlen(s)) : RSD_ABSENT;
}

void rsd_put_strings(struct rsd_call *c, char **p, int64_t n)
{
	int64_t *at;

	if (c->recorded && n < 0 && p && !rsd_is_const(rsd_constant_of(RSD_G_ARRAY, RSD_HANDLE(p))))
		n = list_length(p);
	at = array(c, p, n);
	for (int64_t i = 0; at && i < n; i++)
		at[i] = string_value(c, p[i]);
}

/* A list that is a constant (MPI_ARGV_NULL) or NULL is an empty one. */
static int64_t argv_length(char **argv)
{
	return argv && !rsd_is_const(rsd_constant_of(RSD_G_ARRAY, RSD_HANDLE(argv)))
		       ? list_length(argv)
		       : 0;
}

void rsd_put_argvs(struct rsd_call *c, char ***p, int64_t n)
{
	int64_t total = 0, *at, k = 0;

	if (!c->recorded)
		return;
	if (!p || n < 0 || rsd_is_const(rsd_constant_of(RSD_G_ARRAY, RSD_HANDLE(p)))) {
		array(c, p, -1);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		total += argv_length(p[i]) + 1;
	at = array(c, p, total);
	for (int64_t i = 0; at && i < n; i++) {
		int64_t len = argv_length(p[i]);

		for (int64_t j = 0; j < len; j++)
			at[k++] = string_value(c, p[i][j]);
		at[k++] = RSD_ABSENT;
	}
}
