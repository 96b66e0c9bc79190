/*
 * arguments.h - @FILE among a command's arguments: the words in FILE stand in its place
 *
 * As GNU's tools have it: words are separated by white space; '...' and "..." keep it in a word, a
 * backslash takes what follows as it is. A file that can't be read leaves "@FILE" a word. Words of a file may
 * be such again.
 */
#ifndef RSD_ARGUMENTS_H
#define RSD_ARGUMENTS_H

#include <stddef.h>

struct rsd_arguments {
	char **word; /* owned, all of them; NULL behind the last */
	size_t nr, alloc;
};
#define RSD_ARGUMENTS_INIT ((struct rsd_arguments){ NULL, 0, 0 })

/* Appends the arguments, expanded. 0; RSD_ERR_NOMEM; RSD_ERR_RANGE: files name one another without end. */
int rsd_arguments_expand(struct rsd_arguments *a, int argc, char **argv);
void rsd_arguments_release(struct rsd_arguments *a);

#endif
