#include "special.h"

#include <stdlib.h>
#include <string.h>
#include "generalized.h"
#include "optab.h"
#include "player.h"
#include "util.h"

/*
 * Memory by the call that gave it. Which piece a call takes back is not recorded: the
 * newest of that kind (and window) does as well as any.
 */
struct piece {
	struct piece *next;
	void *base;
	int64_t owner; /* a window, or 0 */
};
static struct piece *pieces;
static pthread_mutex_t pieces_lock = PTHREAD_MUTEX_INITIALIZER;

static void keep_piece(struct rsd_play *p, void *base, int64_t owner)
{
	struct piece *k = rsd_malloc(sizeof(*k));

	if (!k)
		rsd_play_give_up(p, "no memory");
	pthread_mutex_lock(&pieces_lock);
	*k = (struct piece){ pieces, base, owner };
	pieces = k;
	pthread_mutex_unlock(&pieces_lock);
}

static void *take_piece(int64_t owner)
{
	struct piece **at, *k = NULL;
	void *base = NULL;

	pthread_mutex_lock(&pieces_lock);
	for (at = &pieces; *at && (*at)->owner != owner; at = &(*at)->next)
		;
	if (*at) {
		k = *at;
		*at = k->next;
		base = k->base;
	}
	pthread_mutex_unlock(&pieces_lock);
	free(k);
	return base;
}

#define CALL(name) (rsd_play_recorded ? MPI_##name : PMPI_##name)

static int alloc_mem(struct rsd_play *p)
{
	int func = RSD_F_MPI_Alloc_mem;
	MPI_Aint size = (MPI_Aint)rsd_play_number(p, rsd_play_place(func, "size"));
	MPI_Info info =
		(MPI_Info)(intptr_t)rsd_play_handle(p, rsd_play_place(func, "info"), RSD_G_INFO);
	void *base = NULL;
	int ret;

	rsd_play_enter(p);
	ret = CALL(Alloc_mem)(size, info, &base);
	if (rsd_play_leave(p, ret))
		keep_piece(p, base, 0);
	return ret;
}

static int free_mem(struct rsd_play *p)
{
	void *base = take_piece(0);
	int ret;

	rsd_play_enter(p);
	ret = CALL(Free_mem)(base);
	rsd_play_leave(p, ret);
	return ret;
}

/* MPI keeps its own things in it, or lets no other region overlap it. */
static void *own_memory(struct rsd_play *p, int64_t size)
{
	void *m = rsd_buffers_own(&p->buffers, size > 0 ? (size_t)size : 1);

	if (!m)
		rsd_play_give_up(p, "no memory for a buffer of %lld bytes", (long long)size);
	return m;
}

static int buffer_attach(struct rsd_play *p)
{
	int64_t size = rsd_play_number(p, rsd_play_place(p->f->func, "size"));
	void *buffer = own_memory(p, size);
	int ret;

	rsd_play_enter(p);
	ret = CALL(Buffer_attach)(buffer, (int)size);
	rsd_play_leave(p, ret);
	return ret;
}

static int buffer_detach(struct rsd_play *p)
{
	void *buffer = NULL;
	int size, ret;

	rsd_play_enter(p);
	ret = CALL(Buffer_detach)(&buffer, &size);
	rsd_play_leave(p, ret);
	rsd_buffers_disown(&p->buffers, buffer);
	return ret;
}

#if MPI_VERSION >= 4
static int buffer_attach_c(struct rsd_play *p)
{
	int64_t size = rsd_play_number(p, rsd_play_place(p->f->func, "size"));
	void *buffer = own_memory(p, size);
	int ret;

	rsd_play_enter(p);
	ret = CALL(Buffer_attach_c)(buffer, (MPI_Count)size);
	rsd_play_leave(p, ret);
	return ret;
}

static int buffer_detach_c(struct rsd_play *p)
{
	void *buffer = NULL;
	MPI_Count size;
	int ret;

	rsd_play_enter(p);
	ret = CALL(Buffer_detach_c)(&buffer, &size);
	rsd_play_leave(p, ret);
	rsd_buffers_disown(&p->buffers, buffer);
	return ret;
}
#endif

static int win_attach(struct rsd_play *p)
{
	int func = RSD_F_MPI_Win_attach;
	int64_t win = rsd_play_handle(p, rsd_play_place(func, "win"), RSD_G_WIN);
	MPI_Aint size = (MPI_Aint)rsd_play_number(p, rsd_play_place(func, "size"));
	void *base = own_memory(p, size);
	int ret;

	rsd_play_enter(p);
	ret = CALL(Win_attach)((MPI_Win)(intptr_t)win, base, size);
	if (rsd_play_leave(p, ret))
		keep_piece(p, base, win);
	return ret;
}

static int win_detach(struct rsd_play *p)
{
	int64_t win = rsd_play_handle(p, rsd_play_place(RSD_F_MPI_Win_detach, "win"), RSD_G_WIN);
	void *base = take_piece(win);
	int ret;

	if (!base)
		rsd_play_give_up(p, "detaches memory that was not attached");
	rsd_play_enter(p);
	ret = CALL(Win_detach)((MPI_Win)(intptr_t)win, base);
	rsd_play_leave(p, ret);
	rsd_buffers_disown(&p->buffers, base);
	return ret;
}

/* The trace's number for it may be another one. Without memory, later calls have that one. */
static void keep_error(struct rsd_play *p, const char *name, int here)
{
	const struct rsd_arg *a = rsd_play_named(p, name);

	if (!a || rsd_is_const(a->head))
		return;
	pthread_mutex_lock(&p->r->lock);
	rsd_map_set(&p->r->errors, (uint64_t)a->head, (uint64_t)here);
	pthread_mutex_unlock(&p->r->lock);
}

static int add_error_class(struct rsd_play *p)
{
	int class, ret;

	rsd_play_enter(p);
	ret = CALL(Add_error_class)(&class);
	if (rsd_play_leave(p, ret))
		keep_error(p, "errorclass", class);
	return ret;
}

static int add_error_code(struct rsd_play *p)
{
	int class = (int)rsd_play_number(p, rsd_play_place(p->f->func, "errorclass"));
	int code, ret;

	rsd_play_enter(p);
	ret = CALL(Add_error_code)(class, &code);
	if (rsd_play_leave(p, ret))
		keep_error(p, "errorcode", code);
	return ret;
}

/*
 * What a program's copy function decided is not recorded, and a stand-in always copies. Where the program then found no
 * attribute, its function had not copied: there is none from here on.
 */
static bool was_not_copied(struct rsd_play *p)
{
	int func = p->f->func;

	return !rsd_is_const(rsd_play_arg(p, 1)->head) &&
	       rsd_play_number(p, rsd_play_place(func, "flag")) == 0;
}

static void delete_attr(int group, int64_t h, int keyval)
{
	int flag = 0;
	void *value;

	if (group == RSD_G_COMM) {
		MPI_Comm comm = (MPI_Comm)(intptr_t)h;

		if (!PMPI_Comm_get_attr(comm, keyval, &value, &flag) && flag)
			PMPI_Comm_delete_attr(comm, keyval);
	} else {
		MPI_Datatype type = (MPI_Datatype)(intptr_t)h;

		if (!PMPI_Type_get_attr(type, keyval, &value, &flag) && flag)
			PMPI_Type_delete_attr(type, keyval);
	}
}

static int get_attr(struct rsd_play *p, int group)
{
	if (was_not_copied(p))
		delete_attr(group, rsd_play_handle(p, 0, group),
			(int)rsd_play_handle(p, 1, RSD_G_KEYVAL));
	return rsd_play_calls[p->f->func](p);
}

static int comm_get_attr(struct rsd_play *p)
{
	return get_attr(p, RSD_G_COMM);
}

static int type_get_attr(struct rsd_play *p)
{
	return get_attr(p, RSD_G_DATATYPE);
}

static const struct {
	int func;
	int (*call)(struct rsd_play *p);
} special[] = {
	{ RSD_F_MPI_Alloc_mem, alloc_mem },
	{ RSD_F_MPI_Free_mem, free_mem },
	{ RSD_F_MPI_Buffer_attach, buffer_attach },
	{ RSD_F_MPI_Buffer_detach, buffer_detach },
#if MPI_VERSION >= 4
	{ RSD_F_MPI_Buffer_attach_c, buffer_attach_c },
	{ RSD_F_MPI_Buffer_detach_c, buffer_detach_c },
#endif
	{ RSD_F_MPI_Add_error_class, add_error_class },
	{ RSD_F_MPI_Add_error_code, add_error_code },
	{ RSD_F_MPI_Attr_get, comm_get_attr },
	{ RSD_F_MPI_Comm_get_attr, comm_get_attr },
	{ RSD_F_MPI_Type_get_attr, type_get_attr },
	{ RSD_F_MPI_Grequest_start, rsd_play_grequest_start },
	{ RSD_F_MPI_Win_attach, win_attach },
	{ RSD_F_MPI_Win_detach, win_detach },
};

int (*rsd_special_call(int func))(struct rsd_play *p)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(special); i++) {
		if (special[i].func == func)
			return special[i].call;
	}
	return rsd_play_calls[func];
}

const char *rsd_special_why_not(int func)
{
	const char *name = rsd_funcs[func].name;

	if (strstr(name, "_spawn"))
		return "starts programs, which the replay does not have";
	if (strstr(name, "_accept") || strstr(name, "_connect") || strstr(name, "_join"))
		return "meets other programs, which the replay does not have";
	if (strstr(name, "_Abort"))
		return "ended the traced run";
	return "has arguments that are not recorded";
}
