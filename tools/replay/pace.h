/*
 * pace.h - the computation between calls, as long as it took in the traced run
 */
#ifndef RSD_PACE_H
#define RSD_PACE_H

struct rsd_play;

/*
 * Before the present call: passes the time that the program computed before it, times the
 * option's scale, counted from the end of the previous call. Of a trace with statistics that is the
 * place's mean; where every call's time was kept, this call's own.
 */
void rsd_pace(struct rsd_play *p);

#endif
