/*
 * match.h - which send a receive got its message from
 *
 * MPI delivers the messages of one channel (communicator, sender, receiver, tag) in the order in which they
 * are sent, to receives in the order in which they are posted. So a receive takes a ticket when it is posted (one
 * with a wildcard, once it is known whose message it got), and ticket n is for the channel's n-th message.
 *
 * Memory: messages that are sent and not received, and channels with any such or with tickets that are out.
 */
#ifndef RSD_EXPORT_MATCH_H
#define RSD_EXPORT_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hash.h"

struct rsd_node;
struct rsd_channel_name {
	int comm;	  /* as comms.h numbers them */
	int source, dest; /* ranks of MPI_COMM_WORLD */
	int64_t tag;
};

struct rsd_message {
	uint64_t id; /* > 0, its own in the whole trace */
	int64_t ns;  /* when the send began */
	uint64_t bytes;
	const struct rsd_node *node; /* where it was sent from */
	int location;		     /* who sent it */
	uint64_t number;	     /* in its channel, as tickets are counted */
};

struct rsd_channel;
struct rsd_match {
	struct rsd_map by_hash; /* -> address of the first channel */
	uint64_t last_id;
};
#define RSD_MATCH_INIT ((struct rsd_match){ RSD_MAP_INIT, 0 })

void rsd_match_release(struct rsd_match *m);
/* A message is sent: sets its id and number. False where memory is out. */
bool rsd_match_send(
	struct rsd_match *m, const struct rsd_channel_name *c, struct rsd_message *message);
/* A receive is posted; its ticket, from 1 on, or 0 where memory is out. */
uint64_t rsd_match_ticket(struct rsd_match *m, const struct rsd_channel_name *c);
/* True with *out set, and the message gone from here, where it has been sent. */
bool rsd_match_take(struct rsd_match *m, const struct rsd_channel_name *c, uint64_t ticket,
	struct rsd_message *out);
/* The receive of that ticket will take none. */
void rsd_match_cancel(struct rsd_match *m, const struct rsd_channel_name *c, uint64_t ticket);
/* What a receiver that found nothing may wait for. */
uint64_t rsd_match_key(const struct rsd_channel_name *c);

#endif
