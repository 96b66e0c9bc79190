/*
 * memory.h - how much memory is in use: malloc and its kin, counted
 *
 * The linker leads the calls of all that is linked in here (--wrap). One thread. Small blocks go back to
 * lists by size: a million ranks make and free a thousand each, and with the library's malloc, asked for
 * the size of each, a third of the time is its. Blocks count with their heads, as the library's do.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

size_t memory_used(void);
/* The most since the last call of memory_mark(). */
size_t memory_peak(void);
void memory_mark(void);

#endif
