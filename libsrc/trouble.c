#include "trouble.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "runtime.h"
#include "shield.h"
#include "util.h"

static void say(bool with_rank, const char *fmt, va_list args)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int saved_errno = errno, len;
	struct rsd_signals s;
	char line[1024];
	size_t done = 0;

	rsd_buf_printf(&text, "record: ");
	if (with_rank && !rsd_is_shut(RSD_SHUT_OUTSIDE))
		rsd_buf_printf(&text, "rank %d: ", rsd_rt.rank);
	len = vsnprintf(line, sizeof(line), fmt, args);
	if (len > 0)
		rsd_buf_put(
			&text, line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
	rsd_buf_put_byte(&text, '\n');
	rsd_signals_off(&s);
	while (done < text.len) {
		ssize_t n = write(STDERR_FILENO, text.data + done, text.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	rsd_signals_on(&s);
	rsd_buf_release(&text);
	errno = saved_errno;
}

void rsd_report(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(true, fmt, args);
	va_end(args);
}

void rsd_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(false, fmt, args);
	va_end(args);
}

void rsd_trouble(const char *fmt, ...)
{
	static char first_why[512]; /* no memory may be the trouble */
	char why[sizeof(first_why)];
	int saved_errno = errno;
	bool locked, first;
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	locked = rsd_lock();
	first = !rsd_rt.incomplete;
	if (first) {
		memcpy(first_why, why, sizeof(why));
		rsd_rt.incomplete = first_why;
	}
	rsd_unlock(locked);
	if (first)
		rsd_report("%s; the trace will be incomplete", why);
	errno = saved_errno;
}
