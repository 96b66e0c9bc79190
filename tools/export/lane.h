/*
 * lane.h - what timeline.c, actions.c and actions_requests.c share: one thread of one rank on its way
 */
#ifndef RSD_EXPORT_LANE_H
#define RSD_EXPORT_LANE_H

#include "clocks.h"
#include "live.h"
#include "match.h"
#include "timeline.h"
#include "volume.h"
#include "walk.h"

struct rsd_need { /* a receive that is to be given its message before the call is over */
	size_t action;
	struct rsd_channel_name channel;
	uint64_t ticket;
};

/* Who waits for whom in a collective; of those with a root, whether this is it. */
enum rsd_meets { RSD_MEETS_ALL, RSD_MEETS_ROOT, RSD_MEETS_AS_ROOT, RSD_MEETS_NOBODY };

struct rsd_lane {
	struct rsd_location where;
	struct rsd_walk *walk;
	struct rsd_event event;
	struct rsd_values values;
	const struct rsd_node *node;  /* of the event; NULL in a flat log */
	int place;		      /* the node's, or -1 */
	int64_t begin, end, last_end; /* of the present call; of the one before */
	int64_t lag;		      /* kept times: how far it was moved behind what it got */
	bool begun;		      /* its actions are there */
	bool forced;		      /* goes on without what it waits for */
	bool late;		      /* waited for another thread before it began */
	bool over;
	struct rsd_action *action;
	size_t nr_actions, alloc_actions;
	struct rsd_need *need;
	size_t nr_needs, alloc_needs, met;
	struct rsd_forming *forming;
	int64_t formed_value;
	size_t formed_action;
	int meets_in; /* communicator of a collective in which some wait for others; -1 */
	enum rsd_meets meets;
	bool is_root;
	uint64_t meeting;	 /* its number there; 0: not there yet */
	struct rsd_map meetings; /* by communicator: how many there were */
	struct rsd_live_table live, messages;
	uint64_t last_request;
	unsigned char *seen; /* by place: it was called */
	struct rsd_lane *next_waiting;
};

struct rsd_timeline {
	const struct rsd_trace *t;
	struct rsd_calls calls;
	struct rsd_comms comms;
	struct rsd_match match;
	enum rsd_times times;
	struct rsd_location *location;
	struct rsd_lane *lane;
	size_t nr_lanes;
	struct rsd_lane **ready; /* a heap: the earliest first */
	size_t nr_ready;
	size_t nr_over;
	struct rsd_map waiting;	     /* by what they wait for: the first lane */
	struct rsd_map meeting;	     /* communicator and number -> struct meeting */
	struct rsd_map lane_of_rank; /* the first one's index */
	uint64_t unmatched;
	bool measuring;		   /* kept times stay as they are, whatever arrives when */
	struct rsd_clocks *clocks; /* kept times of all on one; NULL: each thread has its own */
	struct rsd_buf text;	   /* what is said of times */
	int64_t *shift;		   /* by lane: of kept times (align.h); NULL: none */
	int64_t now;		   /* when the last communicator was made */
};

/* actions.c: fills action, need, forming and meets_in from the lane's event; sends go out. 0 or RSD_ERR_NOMEM. */
int rsd_lane_act(struct rsd_timeline *tl, struct rsd_lane *l);
/*
 * Between actions.c and actions_requests.c. An action more, the last one, valid until the next is added (NULL: no memory); who
 * is meant by a peer of a communicator; a message goes out; the last action is to be given its message, by its ticket or
 * (0) the next one.
 */
struct rsd_action *rsd_lane_add(struct rsd_lane *l, enum rsd_action_kind kind);
void rsd_lane_set_peer(struct rsd_timeline *tl, const struct rsd_lane *l, struct rsd_action *a,
	int64_t comm, int64_t peer, int64_t tag);
int rsd_lane_send_out(struct rsd_timeline *tl, struct rsd_lane *l, struct rsd_action *a);
int rsd_lane_need(struct rsd_timeline *tl, struct rsd_lane *l, uint64_t ticket);
/* A sending call; what a status says of source and tag. */
int rsd_lane_send(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v);
void rsd_lane_see_status(const int64_t *status, int64_t *source, int64_t *tag);
bool rsd_lane_is_proc_null(const struct rsd_timeline *tl, int64_t peer);
uint64_t rsd_lane_bytes(double bytes);
/* Calls that make a request; complete some; start some; cancel one. */
int rsd_lane_request(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v);
int rsd_lane_complete(struct rsd_timeline *tl, struct rsd_lane *l);
int rsd_lane_start(struct rsd_timeline *tl, struct rsd_lane *l);
void rsd_lane_cancel(struct rsd_timeline *tl, struct rsd_lane *l);
void rsd_lane_free_request(struct rsd_timeline *tl, struct rsd_lane *l);
/* timeline.c: kept times are shifted; takes 'shift', by lane. */
void rsd_timeline_shift(struct rsd_timeline *tl, int64_t *shift);
/* timeline.c: those that wait for it may look again. */
void rsd_timeline_wake(struct rsd_timeline *tl, uint64_t key);

#endif
