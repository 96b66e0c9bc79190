/*
 * run_note.h - what `rsd run` is told of the processes that it started
 *
 * It names an empty file in the variable RSD_RUN_NOTE; each process that gets that far adds a letter. Where the
 * file can't be reached (on another host), nothing is said.
 */
#ifndef RSD_RUN_NOTE_H
#define RSD_RUN_NOTE_H

#define RSD_NOTE_MPI 'm'      /* the program has begun to use MPI */
#define RSD_NOTE_WRITTEN 'w'  /* a trace is where it was to be */
#define RSD_NOTE_STRANGER 's' /* its MPI is not of the tracer's kind; nothing is recorded */

void rsd_run_note(char letter);

#endif
