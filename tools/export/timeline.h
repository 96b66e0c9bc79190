/*
 * timeline.h - the events of all ranks in the order of time, with their messages matched
 *
 *	walk of rank 0 --\                            /-- OTF2
 *	walk of rank 1 ---> the earliest that can go --- Chrome JSON
 *	walk of rank 2 --/   on: what it sends, gets     \-- SimGrid, dependences
 *
 * All threads are walked side by side, the one whose next call begins first goes first. A call that receives waits until
 * the message has been sent, one that makes a communicator until all who make it have come. Where nothing can go on (an incomplete
 * trace), the earliest does without. So memory is that of the walks and of the messages that are under way; the trace is never expanded.
 *
 * Time. Where every call's time was kept it is taken as it is. Elsewhere it is estimated: a call takes the mean of
 * its place (the first one there: the mean of the first ones), and so does the computation before it; and who waits, for a message, or in a collective
 * for those without whom it can't be done, waits until then. Where not even that was kept, a call takes a microsecond.
 */
#ifndef RSD_EXPORT_TIMELINE_H
#define RSD_EXPORT_TIMELINE_H

#include "calls.h"
#include "comms.h"

/* Threads of all ranks, at most: each takes some kilobytes while it is gone through. */
#define RSD_TIMELINE_MOST (1 << 17)

enum rsd_times { RSD_TIMES_KEPT, RSD_TIMES_ESTIMATED, RSD_TIMES_NONE };

/* What a call does, in the order in which it does it. */
enum rsd_action_kind {
	RSD_X_SEND,  /* blocking */
	RSD_X_ISEND, /* posted, with a request */
	RSD_X_ISEND_DONE,
	RSD_X_RECV,
	RSD_X_IRECV, /* posted: where a wildcard is used it is not known yet from whom */
	RSD_X_IRECV_DONE,
	RSD_X_UNFINISHED, /* a test of this request said no */
	RSD_X_CANCELLED,
	RSD_X_COLL,
	RSD_X_ICOLL,
	RSD_X_ICOLL_DONE,
	RSD_X_COMM_MADE,
	RSD_X_COMM_FREED,
};

struct rsd_action {
	enum rsd_action_kind kind;
	uint64_t
		request; /* of those that have one: unique in the thread, a persistent one's anew with each start */
	int comm;     /* comms.h; -1: not known */
	int64_t peer; /* rank in the communicator */
	int world;    /* the same in MPI_COMM_WORLD; -1: not known */
	int64_t tag;
	uint64_t bytes;	   /* of the message; of a collective: sent */
	uint64_t received; /* of a collective */
	uint64_t
		message; /* the same number where it is sent and where it is received; 0: no such */
	uint64_t
		number; /* of the message: in its channel (match.h), 0 not known; also when a receive is posted */
	int64_t sent_ns; /* of received ones: when the send began */
	const struct rsd_node *
		node; /* where it was posted: of a nonblocking one, not where it is completed; NULL in a flat log */
	const struct rsd_node *sender; /* of received ones: where it was sent from, likewise */
	int sender_location;
	enum rsd_coll coll;
	int64_t root; /* rank, a constant, or RSD_ABSENT */
};

struct rsd_moment {
	int location; /* index into rsd_timeline's */
	const struct rsd_event *event;
	const struct rsd_values *values;
	const struct rsd_node *node; /* NULL in a flat log */
	int64_t begin_ns, end_ns;    /* since the start; never before the location's last */
	int64_t compute_ns;	     /* what the thread did before it */
	const struct rsd_action *action;
	size_t nr_actions;
};

struct rsd_location {
	int rank, thread;
};

struct rsd_timeline;
/* NULL after a message. */
struct rsd_timeline *rsd_timeline_new(const struct rsd_trace *t);
void rsd_timeline_free(struct rsd_timeline *tl);
enum rsd_times rsd_timeline_times(const struct rsd_timeline *tl);
/* The same in words: "times as recorded", ... */
const char *rsd_timeline_times_text(const struct rsd_timeline *tl);
/* By rank, then thread. */
const struct rsd_location *rsd_timeline_locations(const struct rsd_timeline *tl, size_t *nr);
const struct rsd_comms *rsd_timeline_comms(const struct rsd_timeline *tl);
/*
 * Goes through the trace, once. 'see' gets every call; what it returns but 0 ends it. 0 or an error; of RSD_ERR_FORMAT a
 * message has been printed.
 */
int rsd_timeline_run(
	struct rsd_timeline *tl, int (*see)(const struct rsd_moment *m, void *arg), void *arg);
/* Receives without a message that was sent: of an incomplete trace, or cancelled. */
uint64_t rsd_timeline_unmatched(const struct rsd_timeline *tl);

#endif
