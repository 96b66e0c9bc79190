/*
 * late.h - an MPI library that came after the tracer
 *
 * Preloaded into a program that has no MPI of its own, an interpreter say, the tracer is there before MPI
 * is: a plugin brings that, and mostly out of sight of everything but the plugin (RTLD_LOCAL).
 * The plugin's calls come here all the same, and from here must go on to PMPI_*.
 */
#ifndef RSD_LATE_H
#define RSD_LATE_H

/*
 * Makes the MPI library that was loaded meanwhile visible, and binds what could not be bound when the tracer
 * was loaded. Nothing to do where MPI was there from the start. Before the first use of anything of MPI's.
 */
void rsd_late_bind(void);

#endif
