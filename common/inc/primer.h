/*
 * primer.h - what a coder knows before it sees the first byte of a trace
 *
 * A small trace has hardly ended when a model has learnt what traces are like. So a coder
 * of traces has coded one before, whose bytes nobody keeps: doc/primer.rsd, which has common functions,
 * constants and patterns. It is part of the format: another primer would be another version of it.
 */
#ifndef RSD_PRIMER_H
#define RSD_PRIMER_H

#include "coder.h"

/* To be called before coding begins. 0 or RSD_ERR_NOMEM. */
int rsd_coder_prime(struct rsd_coder *c);

#endif
