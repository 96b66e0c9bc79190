/* Preloaded: files without a name have room for 200,000 bytes, as on a disk that is full. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

ssize_t pwrite(int fd, const void *p, size_t len, off_t at)
{
	ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");

	if (at + (off_t)len > 200000 && at < 200000)
		len = (size_t)(200000 - at);
	if (at >= 200000) {
		errno = ENOSPC;
		return -1;
	}
	return real(fd, p, len, at);
}

ssize_t pwrite64(int fd, const void *p, size_t len, off_t at)
{
	return pwrite(fd, p, len, at);
}
