/*
 * statuses.c - statuses as arguments: what play.h says of them
 */
#include <limits.h>
#include <string.h>
#include "player.h"

/* No basic datatype is longer. */
#define LONGEST_BASIC 64
/* Sizes in bytes that are tried for one that is no number of elements. */
#define MOST_TRIED 4096

static bool is_ignored(int64_t kind)
{
	return kind == RSD_STATUS_IGNORED || kind == RSD_STATUS_MATCHED;
}

MPI_Status *rsd_play_status(struct rsd_play *p, int place)
{
	return is_ignored(rsd_play_arg(p, place)->head) ? MPI_STATUS_IGNORE : &p->status;
}

MPI_Status *rsd_play_statuses(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);

	if (a->head != RSD_ABSENT && (rsd_is_const(a->head) || (a->nr && is_ignored(a->v[0]))))
		return MPI_STATUSES_IGNORE;
	return rsd_play_room(p, place, sizeof(MPI_Status));
}

/* How many complete basic elements of the datatype are in so many bytes. What ends within one has no number in MPI. */
static MPI_Count basic_elements(MPI_Datatype type, MPI_Count bytes)
{
	MPI_Status st;
	MPI_Count nr;

	memset(&st, 0, sizeof(st));
	for (int part = 0; part < LONGEST_BASIC && bytes > 0; part++, bytes--) {
		PMPI_Status_set_elements_x(&st, MPI_BYTE, bytes);
		if (!PMPI_Get_elements_x(&st, type, &nr) && nr != MPI_UNDEFINED)
			return nr;
	}
	return 0;
}

/* The fewest bytes that hold so many basic elements of the datatype: whole ones, and a part of one more. */
static MPI_Count bytes_of(MPI_Datatype type, MPI_Count nr)
{
	MPI_Count size, each, lo, hi;

	if (PMPI_Type_size_x(type, &size) || size <= 0)
		return 0;
	each = basic_elements(type, size);
	if (each <= 0 || nr / each >= INT64_MAX / size)
		return 0;
	lo = nr / each * size;
	for (hi = INT64_MAX - lo > size ? lo + size : INT64_MAX; lo < hi;) {
		MPI_Count middle = lo + (hi - lo) / 2;

		if (basic_elements(type, middle) < nr)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/* Of whole elements. Given to MPI as bytes: whether it takes a number as one of whole or of basic elements differs. */
static MPI_Count bytes_of_whole(MPI_Datatype type, MPI_Count nr)
{
	MPI_Count size;

	if (PMPI_Type_size_x(type, &size) || size <= 0 || nr > INT64_MAX / size)
		return 0;
	return nr * size;
}

/*
 * A number of bytes that is no number of elements of the datatype, whole ones or basic ones: of few bytes one is, or one
 * of more elements than an int holds, or none of any size.
 */
static MPI_Count bytes_of_none(MPI_Datatype type, bool basic)
{
	MPI_Count most;
	MPI_Status st;

	memset(&st, 0, sizeof(st));
	for (MPI_Count bytes = 1; bytes < MOST_TRIED; bytes++) {
		MPI_Count elements = 0;
		int whole = 0;

		PMPI_Status_set_elements_x(&st, MPI_BYTE, bytes);
		if (basic && !PMPI_Get_elements_x(&st, type, &elements) &&
			elements == MPI_UNDEFINED)
			return bytes;
		if (!basic && !PMPI_Get_count(&st, type, &whole) && whole == MPI_UNDEFINED)
			return bytes;
	}
	most = bytes_of_whole(type, (MPI_Count)INT_MAX + 1);
	return most ? most : 1;
}

MPI_Status *rsd_play_asked_status(struct rsd_play *p)
{
	const struct rsd_arg *flag = rsd_play_named(p, "flag"), *count = rsd_play_named(p, "count");
	int place = rsd_play_place(p->f->func, "datatype");
	bool basic = strstr(rsd_funcs[p->f->func].name, "Get_elements") != NULL;
	MPI_Datatype type = MPI_BYTE;
	MPI_Count nr = 0;

	memset(&p->status, 0, sizeof(p->status));
	if (place >= 0)
		type = (MPI_Datatype)(intptr_t)rsd_play_handle(p, place, RSD_G_DATATYPE);
	if (!count)
		count = rsd_play_named(p, "elements");
	if (count && !rsd_is_const(count->head))
		nr = count->head;
	if (basic)
		PMPI_Status_set_elements_x(&p->status, MPI_BYTE, bytes_of(type, nr));
	else
		PMPI_Status_set_elements_x(&p->status, MPI_BYTE, bytes_of_whole(type, nr));
	if (count && rsd_is_const(count->head)) /* MPI_UNDEFINED */
		PMPI_Status_set_elements_x(&p->status, MPI_BYTE, bytes_of_none(type, basic));
	PMPI_Status_set_cancelled(&p->status, flag && flag->head == 1);
	return &p->status;
}
