/*
 * cleanup.h - a signal that ends the program leaves no unfinished file or folder behind
 */
#ifndef RSD_CLEANUP_H
#define RSD_CLEANUP_H

#include <signal.h>

/*
 * From now on SIGHUP, SIGINT, SIGQUIT and SIGTERM remove 'path', a file or a folder with what is in it, before they end the
 * program (but for those that are ignored). 'path' need not be there; it is borrowed until rsd_cleanup_end. What is begun before
 * that, up to an end of its own, is a file in that folder, which goes with it.
 */
void rsd_cleanup_begin(const char *path);
void rsd_cleanup_end(void);

/*
 * For steps that belong together, between begin and end: the signals wait from hold on to go_on, from which on it is 'path' that they
 * remove.
 */
struct rsd_cleanup_held {
	sigset_t before;
};
void rsd_cleanup_hold(struct rsd_cleanup_held *held);
void rsd_cleanup_go_on(const struct rsd_cleanup_held *held, const char *path);

#endif
