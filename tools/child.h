/*
 * child.h - a command that is run and waited for, as if it were in our place
 *
 * Signals that somebody sends to us reach the command; those of the terminal reach it by themselves.
 */
#ifndef RSD_CHILD_H
#define RSD_CHILD_H

/*
 * Runs 'command' (NULL-terminated, found in PATH) and waits. 0 with *status as waitpid gives it, or the errno
 * of what failed: it was not run.
 */
int rsd_child_run(char **command, int *status);
/* Ends as the command did: returns its exit code, or ends this process by the signal that it ended by. */
int rsd_child_code(int status);

#endif
