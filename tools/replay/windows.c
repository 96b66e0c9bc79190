/*
 * windows.c - dynamic windows: displacements are addresses, and the traced run's mean nothing here
 *
 * Each rank of such a window attaches memory of the replay's own beside what the trace attaches, and all ranks
 * learn where; whatever address a call names, it is that memory at the target that is accessed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "optab.h"
#include "player.h"
#include "steer.h"
#include "util.h"

/* Only what is touched takes memory. */
#define REGION ((MPI_Aint)1 << 28)

struct window {
	struct window *next;
	MPI_Win win;
	struct rsd_buffers memory;
	MPI_Aint *address; /* by rank in the window's group */
};
static struct window *windows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void free_window(struct window *w)
{
	rsd_buffers_release(&w->memory);
	free(w->address);
	free(w);
}

/* Collective. An MPI error code. */
static int make_window(MPI_Comm comm, MPI_Win win)
{
	struct window *w = rsd_calloc(1, sizeof(*w));
	char *region = w ? rsd_buffers_own(&w->memory, (size_t)REGION) : NULL;
	MPI_Aint mine;
	int size, err;

	if (!region) {
		free(w);
		return MPI_ERR_NO_MEM;
	}
	PMPI_Comm_size(comm, &size);
	w->win = win;
	w->address = rsd_calloc((size_t)size, sizeof(*w->address));
	err = w->address ? REAL(Win_attach)(win, region, REGION) : MPI_ERR_NO_MEM;
	if (!err)
		err = PMPI_Get_address(region + REGION / 2, &mine);
	if (!err)
		err = PMPI_Allgather(&mine, 1, MPI_AINT, w->address, 1, MPI_AINT, comm);
	if (err) {
		free_window(w);
		return err;
	}
	pthread_mutex_lock(&lock);
	w->next = windows;
	windows = w;
	pthread_mutex_unlock(&lock);
	return MPI_SUCCESS;
}

static void drop_window(MPI_Win win)
{
	struct window **at, *w;

	pthread_mutex_lock(&lock);
	for (at = &windows; *at && (*at)->win != win; at = &(*at)->next)
		;
	w = *at;
	if (w)
		*at = w->next;
	pthread_mutex_unlock(&lock);
	if (w)
		free_window(w);
}

/* The displacement that this call of a replayed function is given in place of 'disp'. */
static MPI_Aint at(int func, MPI_Win win, int rank, MPI_Aint disp)
{
	const struct window *w;

	if (!rsd_steered(func) || rank < 0)
		return disp;
	pthread_mutex_lock(&lock);
	for (w = windows; w && w->win != win; w = w->next)
		;
	pthread_mutex_unlock(&lock);
	return w ? w->address[rank] : disp;
}

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Win_create_dynamic);
	int err = REAL(Win_create_dynamic)(info, comm, win);

	return err || !p ? err : make_window(comm, *win);
}

int PMPI_Win_free(MPI_Win *win)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Win_free);
	MPI_Win freed = *win;
	int err = REAL(Win_free)(win);

	if (p && !err)
		drop_window(freed);
	return err;
}

int PMPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Win win)
{
	return REAL(Put)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Put, win, target_rank, target_disp), target_count, target_datatype,
		win);
}

int PMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	return REAL(Get)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Get, win, target_rank, target_disp), target_count, target_datatype,
		win);
}

int PMPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Op op, MPI_Win win)
{
	return REAL(Accumulate)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Accumulate, win, target_rank, target_disp), target_count,
		target_datatype, op, win);
}

int PMPI_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
	MPI_Win win)
{
	return REAL(Get_accumulate)(origin_addr, origin_count, origin_datatype, result_addr,
		result_count, result_datatype, target_rank,
		at(RSD_F_MPI_Get_accumulate, win, target_rank, target_disp), target_count,
		target_datatype, op, win);
}

int PMPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Win win, MPI_Request *request)
{
	return REAL(Rput)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Rput, win, target_rank, target_disp), target_count, target_datatype,
		win, request);
}

int PMPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
	MPI_Request *request)
{
	return REAL(Rget)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Rget, win, target_rank, target_disp), target_count, target_datatype,
		win, request);
}

int PMPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	MPI_Op op, MPI_Win win, MPI_Request *request)
{
	return REAL(Raccumulate)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Raccumulate, win, target_rank, target_disp), target_count,
		target_datatype, op, win, request);
}

int PMPI_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
	MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
	MPI_Win win, MPI_Request *request)
{
	return REAL(Rget_accumulate)(origin_addr, origin_count, origin_datatype, result_addr,
		result_count, result_datatype, target_rank,
		at(RSD_F_MPI_Rget_accumulate, win, target_rank, target_disp), target_count,
		target_datatype, op, win, request);
}

int PMPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
	int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	return REAL(Fetch_and_op)(origin_addr, result_addr, datatype, target_rank,
		at(RSD_F_MPI_Fetch_and_op, win, target_rank, target_disp), op, win);
}

int PMPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
	MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	return REAL(Compare_and_swap)(origin_addr, compare_addr, result_addr, datatype, target_rank,
		at(RSD_F_MPI_Compare_and_swap, win, target_rank, target_disp), win);
}

/* ---- what only MPI 4 has ---------------------------------------------------------------- */
#if MPI_VERSION >= 4

int PMPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win)
{
	return REAL(Put_c)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Put_c, win, target_rank, target_disp), target_count, target_datatype,
		win);
}

int PMPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win)
{
	return REAL(Get_c)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Get_c, win, target_rank, target_disp), target_count, target_datatype,
		win);
}

int PMPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Op op, MPI_Win win)
{
	return REAL(Accumulate_c)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Accumulate_c, win, target_rank, target_disp), target_count,
		target_datatype, op, win);
}

int PMPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count,
	MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
	MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	return REAL(Get_accumulate_c)(origin_addr, origin_count, origin_datatype, result_addr,
		result_count, result_datatype, target_rank,
		at(RSD_F_MPI_Get_accumulate_c, win, target_rank, target_disp), target_count,
		target_datatype, op, win);
}

int PMPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win, MPI_Request *request)
{
	return REAL(Rput_c)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Rput_c, win, target_rank, target_disp), target_count, target_datatype,
		win, request);
}

int PMPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
	MPI_Win win, MPI_Request *request)
{
	return REAL(Rget_c)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Rget_c, win, target_rank, target_disp), target_count, target_datatype,
		win, request);
}

int PMPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count,
	MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	return REAL(Raccumulate_c)(origin_addr, origin_count, origin_datatype, target_rank,
		at(RSD_F_MPI_Raccumulate_c, win, target_rank, target_disp), target_count,
		target_datatype, op, win, request);
}

int PMPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count,
	MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
	MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	return REAL(Rget_accumulate_c)(origin_addr, origin_count, origin_datatype, result_addr,
		result_count, result_datatype, target_rank,
		at(RSD_F_MPI_Rget_accumulate_c, win, target_rank, target_disp), target_count,
		target_datatype, op, win, request);
}

#endif
