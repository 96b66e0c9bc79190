/*
 * primer.h - what a coder knows before it sees the first byte of a trace
 *
 * A small trace has hardly ended when a model has learnt what traces are like. So a coder
 * of traces has coded one before, whose bytes nobody keeps: doc/primer.rsd, which has common functions,
 * constants and patterns. It is part of the format: another primer would be another version of it.
 */
#ifndef RSD_PRIMER_H
#define RSD_PRIMER_H

#include <stdbool.h>
#include "coder.h"

/*
 * A coder for about 'len' bytes that has been primed: what rsd_coder_new(len) is meant for. 'keep': one more like it is
 * going to be wanted, for which what it has learnt is kept, as long as the process lives. NULL: no memory.
 */
struct rsd_coder *rsd_coder_new_primed(size_t len, bool keep);

#endif
