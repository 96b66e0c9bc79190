/*
 * merge_reasons.h - the reasons for which two traces are incomplete, as one text
 *
 * "rank 0: killed; rank 1: killed; rank 2: ended by ..., in MPI_Recv": of those that say the same the ranks are put together, so
 * that one rank that is elsewhere than a thousand others is seen: "ranks 0,1: killed; rank 2: ended ...". A text that is not of that
 * form stays as it is.
 */
#ifndef RSD_MERGE_REASONS_H
#define RSD_MERGE_REASONS_H

/* '*out' is freed with free(). Of reasons beyond 1,000 bytes it says no more than that there are some. 0 or RSD_ERR_NOMEM. */
int rsd_merge_reasons(const char *a, const char *b, char **out);

#endif
