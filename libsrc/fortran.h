/*
 * fortran.h - what generated Fortran entry points need besides call.h: from Fortran's arguments to C's values
 *
 * Such an entry point is a wrapper around the library's own routine, which it calls with the program's
 * arguments as they are. For the event each argument becomes what C's function would have got:
 *
 *	handle		an INTEGER, in mpi_f08 inside a derived type
 *	status		TYPE(MPI_Status) and an array of INTEGERs alike: C's structure
 *	LOGICAL		0, or anything else
 *	CHARACTER	address here and length behind all arguments; blanks at its end do not count
 *	procedure	its address
 *	buffer		an address, or (MPICH's mpi_f08) the descriptor of an array, which may be a section with gaps
 *	constant	an object of the Fortran layer, known by its address: C's constant. Open MPI has one for all
 *			of Fortran (a common block mpi_fortran_*), MPICH one for mpi_f08, where it has no C name
 *	index		counts from 1
 */
#ifndef RSD_FORTRAN_H
#define RSD_FORTRAN_H

#include <limits.h>

#include "call.h"
#include "optab.h"

/*
 * rsd_f_comm(p)		the handle in p
 * rsd_f_comm_at(p, own, in)	where C finds, or will find, that handle: p itself where both languages have the
 *				same, else 'own'; 'in': there is one already
 * rsd_f_comm_back(p, h)	what the call has put into p is now there, too
 *
 * Requests are known by where the program keeps them, arrays may be long: these are read where they are (rsd_put_f_...).
 */
#define RSD_F_HANDLE(kind, type, f2c)                                                              \
	static inline type rsd_f_##kind(const void *p)                                             \
	{                                                                                          \
		return f2c(*(const MPI_Fint *)p);                                                  \
	}                                                                                          \
	static inline type *rsd_f_##kind##_at(void *p, type *own, bool in)                         \
	{                                                                                          \
		if (sizeof(type) == sizeof(MPI_Fint))                                              \
			return p;                                                                  \
		if (in)                                                                            \
			*own = f2c(*(const MPI_Fint *)p);                                          \
		return own;                                                                        \
	}                                                                                          \
	static inline void rsd_f_##kind##_back(const void *p, type *h)                             \
	{                                                                                          \
		if ((const void *)h != p)                                                          \
			*h = f2c(*(const MPI_Fint *)p);                                            \
	}

#if RSD_HAS_FORTRAN
RSD_F_HANDLE(comm, MPI_Comm, PMPI_Comm_f2c)
RSD_F_HANDLE(datatype, MPI_Datatype, PMPI_Type_f2c)
RSD_F_HANDLE(op, MPI_Op, PMPI_Op_f2c)
RSD_F_HANDLE(group, MPI_Group, PMPI_Group_f2c)
RSD_F_HANDLE(win, MPI_Win, PMPI_Win_f2c)
RSD_F_HANDLE(file, MPI_File, PMPI_File_f2c)
RSD_F_HANDLE(info, MPI_Info, PMPI_Info_f2c)
RSD_F_HANDLE(errhandler, MPI_Errhandler, PMPI_Errhandler_f2c)
RSD_F_HANDLE(message, MPI_Message, PMPI_Message_f2c)
#if MPI_VERSION >= 4
RSD_F_HANDLE(session, MPI_Session, PMPI_Session_f2c)
#endif
#else
typedef int MPI_Fint;
/* MPI 5 has these for any language. */
#define PMPI_Request_f2c PMPI_Request_fromint
#define PMPI_Request_c2f PMPI_Request_toint
#define PMPI_Type_f2c PMPI_Type_fromint
#define PMPI_Info_f2c PMPI_Info_fromint
#endif

static inline MPI_Request rsd_f_request(const void *p)
{
	return PMPI_Request_f2c(*(const MPI_Fint *)p);
}

/* What call.h has without the f_. */
void rsd_made_f_request(struct rsd_call *c, const MPI_Fint *h, int kind, int source, int tag);
void rsd_pre_f_requests(struct rsd_call *c, const MPI_Fint *p, int64_t n);
void rsd_put_f_requests(struct rsd_call *c, const MPI_Fint *p, int64_t n);
void rsd_put_f_request(struct rsd_call *c, const MPI_Fint *p);
void rsd_put_f_datatypes(struct rsd_call *c, const MPI_Fint *p, int64_t n);
void rsd_put_f_infos(struct rsd_call *c, const MPI_Fint *p, int64_t n);
void rsd_made_f_datatypes(struct rsd_call *c, const MPI_Fint *p, int64_t n);

/* Stands where there are entry points: numbers are read where they are. */
#define RSD_F_NUMBERS_FIT                                                                          \
	_Static_assert(sizeof(int) == sizeof(MPI_Fint), "Fortran's integers are no int")

/*
 * The library's routine of a name: 'known', or, where that is null, what the Fortran library has, which is loaded
 * now. A program that calls only what we have an entry point for is linked without that library.
 */
void (*rsd_f_routine(void (*known)(void), const char *name))(void);

extern const char rsd_f_bottom[] __asm__("mpi_fortran_bottom_") __attribute__((weak));
extern const char rsd_f_in_place[] __asm__("mpi_fortran_in_place_") __attribute__((weak));
extern const char rsd_f08_bottom[] __asm__("MPIR_F08_MPI_BOTTOM") __attribute__((weak));
extern const char rsd_f08_in_place[] __asm__("MPIR_F08_MPI_IN_PLACE") __attribute__((weak));

/* A buffer, or C's MPI_BOTTOM, MPI_IN_PLACE. */
static inline void *rsd_f_buffer(void *p)
{
	if (p && (p == rsd_f_in_place || p == rsd_f08_in_place))
		return MPI_IN_PLACE;
	return p && (p == rsd_f_bottom || p == rsd_f08_bottom) ? MPI_BOTTOM : p;
}
/*
 * What a descriptor describes begins at an address that all compilers have first in it, as the standard wants it for
 * C's. How the rest of it lies in memory is between the program and the library; count and datatype are the program's.
 */
static inline void *rsd_f_described(const void *p)
{
	return *(void *const *)p;
}
/* A status or an array of them, or C's MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE. */
MPI_Status *rsd_f_status(void *p);
/* An array, or C's MPI_UNWEIGHTED and the like. */
void *rsd_f_array(void *p);
/* A predefined keyval may be C's one and 1 (MPICH): in Fortran its attribute is an integer, in C a pointer. */
int rsd_f_keyval(const void *p);
/*
 * A function, or C's where it is a predefined one of Fortran's. Such a one also gets to C's functions, by
 * way of mpif.h.
 */
void (*rsd_f_function(void (*fn)(void)))(void);
/* How long a string may be, as C has it, with room for the 0 at the end; 0 asks how long it is. */
static inline int rsd_f_room(const void *p)
{
	int len = *(const MPI_Fint *)p;

	return len > 0 && len < INT_MAX ? len + 1 : len;
}
/* How long one is, with the 0: there may be nothing else. */
static inline int rsd_f_length(const void *p)
{
	int len = *(const MPI_Fint *)p;

	return len < INT_MAX ? len + 1 : len;
}
/* n results (n < 0: none) are brought to C's form, where they are, and back. */
void rsd_f_from_1(int *p, int64_t n);
void rsd_f_to_1(int *p, int64_t n);
/* The same for one that may be MPI_UNDEFINED; returns what it was. */
int rsd_f_from_1_kept(int *p);

/* 'leading': blanks at its beginning count, too, as in what MPI itself has put there. */
void rsd_put_f_string(struct rsd_call *c, const char *s, size_t chars, bool leading);
/* An array; n < 0: until a blank one. Blanks at the beginnings count. */
void rsd_put_f_strings(struct rsd_call *c, const void *p, size_t chars, int64_t n);
/* n lists, the first strings of all before the second ones. */
void rsd_put_f_argvs(struct rsd_call *c, const void *p, size_t chars, int64_t n);

#endif
