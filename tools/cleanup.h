/*
 * cleanup.h - a signal that ends the program leaves no unfinished file behind
 */
#ifndef RSD_CLEANUP_H
#define RSD_CLEANUP_H

/*
 * From now on SIGHUP, SIGINT, SIGQUIT and SIGTERM remove 'file' before they end the program (but for those that
 * are ignored). 'file' need not be there; it is borrowed until rsd_cleanup_end.
 */
void rsd_cleanup_begin(const char *file);
void rsd_cleanup_end(void);

#endif
