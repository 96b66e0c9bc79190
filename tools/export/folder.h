/*
 * folder.h - a folder of files that is there as a whole or not at all
 *
 * It is filled under a name of its own beside the place where it is to be, and renamed in the end.
 */
#ifndef RSD_FOLDER_H
#define RSD_FOLDER_H

#include <stdbool.h>

struct rsd_folder {
	const char *path; /* borrowed */
	char *side;	  /* where it is now */
	bool replaces;	  /* one of the same kind is there, and goes when this one comes */
};

/*
 * False after a message. A folder that is there is refused, but for an empty one, or where it has a file 'marker' in it
 * (NULL: never): that is one of the same kind, and is replaced.
 */
bool rsd_folder_begin(struct rsd_folder *f, const char *path, const char *marker);
/* The path of a file in it; the caller frees. NULL: no memory. */
char *rsd_folder_file(const struct rsd_folder *f, const char *name);
/* Puts it in its place, or (keep false) removes it. False after a message. */
bool rsd_folder_end(struct rsd_folder *f, bool keep);

#endif
