/*
 * comms.h - which processes are in a communicator
 *
 * A trace has, of a communicator, each rank's number for it, the own rank in it and its size. Whose numbers
 * mean the same one follows from the calls that make it: those of one group make it together. Each arrives with its rank in
 * the new communicator; the first that lacks that rank, and was asked for in the same way (parent, function, colour, size), takes it;
 * when all are there, it is known. Several groups that MPI_Comm_create or MPI_Comm_split_type make in one call
 * from one parent, of one size, are told apart by the order of arrival only.
 *
 * Communicators of the same processes in the same order that the first of them gives the same number are one: that is how
 * one that is made and freed in a loop is not a new one each time.
 */
#ifndef RSD_EXPORT_COMMS_H
#define RSD_EXPORT_COMMS_H

#include "calls.h"
#include "hash.h"

struct rsd_comm {
	bool inter;
	int size[2];
	int *member
		[2]; /* ranks of MPI_COMM_WORLD, -1 unknown; NULL: 0, 1, 2 ...; of an intercommunicator two groups */
	int parent;  /* -1: none */
	int nr_dims; /* of a Cartesian one */
	int *dims;
	uint64_t hash;
};

enum { RSD_COMM_WORLD, RSD_COMM_SELF }; /* the first two */

struct rsd_forming;
struct rsd_comms {
	const struct rsd_trace *t;
	struct rsd_comm *comm;
	size_t nr, alloc;
	struct rsd_map by_slot; /* rank, slot -> communicator and side */
	struct rsd_map by_hash;
	struct rsd_forming *forming; /* a list */
};

int rsd_comms_init(struct rsd_comms *c, const struct rsd_trace *t);
void rsd_comms_release(struct rsd_comms *c);
/* What a rank's value stands for, with the own side of it; -1: not known. */
int rsd_comms_find(const struct rsd_comms *c, int rank, int64_t value, int *side);
/* The process that 'rank' calls 'peer' there; -1: not known. */
int rsd_comms_peer(const struct rsd_comms *c, int comm, int side, int rank, int64_t peer);

/* 'rank' makes a communicator. NULL: it gets none, or (*err) memory is out. */
struct rsd_forming *rsd_comms_arrive(
	struct rsd_comms *c, int rank, const char *function, const struct rsd_values *v, int *err);
/* Are all there? */
bool rsd_comms_is_formed(const struct rsd_forming *f);
/* Goes on without those that are not there. */
int rsd_comms_form(struct rsd_comms *c, struct rsd_forming *f);
/* Takes it: the rank's number stands for it from now on. Its number here, or an error. Once for each that arrived. */
int rsd_comms_take(struct rsd_comms *c, struct rsd_forming *f, int rank, int64_t value);

#endif
