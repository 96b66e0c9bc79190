/*
 * align.h - clocks of threads that do not agree, shifted so that no message arrives before it was sent
 *
 * For traces that do not tell how their clocks are to each other (clocks.h). Kept times begin at 0 in each thread,
 * whenever that was. Each pair of threads that exchange messages says how far one clock is behind the other at
 * least: from the message that took the least time. The shifts are the smallest that satisfy all of them.
 */
#ifndef RSD_EXPORT_ALIGN_H
#define RSD_EXPORT_ALIGN_H

#include "timeline.h"

/*
 * Goes through its trace, and sets 'tl' to shift its threads, where that is needed. Where clocks also run at different
 * speeds some messages still arrive too early; the timeline moves those. 0 or an error as of rsd_timeline_run.
 */
int rsd_align(struct rsd_timeline *tl);

#endif
