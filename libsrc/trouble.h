/*
 * trouble.h - what the tracer says to the user: lines on stderr, each in one piece, whatever has become of stderr
 *
 * errno stays as it is, and no signal that writing may send reaches the program (shield.h).
 */
#ifndef RSD_TROUBLE_H
#define RSD_TROUBLE_H

/* "record: rank 3: ...". */
void rsd_report(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same without the rank. */
void rsd_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* As rsd_report, but once in a process; the trace is incomplete from now on. */
void rsd_trouble(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
