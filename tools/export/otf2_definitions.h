/*
 * otf2_definitions.h - what the events of otf2.c refer to: functions, call sites, processes, communicators
 */
#ifndef RSD_OTF2_DEFINITIONS_H
#define RSD_OTF2_DEFINITIONS_H

#include <otf2/otf2.h>
#include "export.h"
#include "timeline.h"

#define RSD_OTF2_NAME "traces" /* of the anchor file, as Score-P has it: traces.otf2 */
#define RSD_OTF2_SITE 0	       /* the attribute with the call site */

static inline uint64_t rsd_otf2_location(int rank, int thread)
{
	return (uint64_t)(rsd_thread_number(thread)) << 32 | (uint32_t)rank;
}

/* 'events': how many each location of the timeline has. False after a message. */
bool rsd_otf2_write_definitions(const struct rsd_export *x, const struct rsd_timeline *tl,
	OTF2_GlobalDefWriter *w, const uint64_t *events, int64_t end_ns);

#endif
