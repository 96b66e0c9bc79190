/*
 * engine.c - the wrapper engine on any header and spec
 *
 * An input is a header, a line "====", and a spec. What the engine writes is not looked at.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE "====\n"
#define LINE_LEN 5

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int engine_main(int argc, char **argv); /* main.c's main */
_Noreturn void engine_exit(int code);	/* what model.c ends with */

static char folder[] = "engine-out"; /* where the fuzzer runs */
static jmp_buf ended;
static int header, spec; /* files */

void engine_exit(int code)
{
	(void)code;
	longjmp(ended, 1);
}

static int new_file(const char *name, int as)
{
	int fd = memfd_create(name, 0);

	if (fd < 0 || dup2(fd, as) != as)
		abort();
	return as;
}

static void put(int file, const uint8_t *p, size_t len)
{
	if (ftruncate(file, 0) || pwrite(file, p, len, 0) != (ssize_t)len)
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (mkdir(folder, 0777) && errno != EEXIST)
		abort();
	header = new_file("mpi.h", 98);
	spec = new_file("spec", 99);
	stderr = fopen("/dev/null", "w"); /* the engine's messages; sanitizers write to 2 */
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *argv[] = { (char[]){ "wrapper-engine" }, (char[]){ "-o" }, folder,
		(char[]){ "/proc/self/fd/98" }, (char[]){ "/proc/self/fd/99" }, NULL };
	const uint8_t *line = memmem(data, len, LINE, LINE_LEN);
	size_t head = line ? (size_t)(line - data) : len;

	put(header, data, head);
	put(spec, line ? line + LINE_LEN : data, line ? len - head - LINE_LEN : 0);
	if (!setjmp(ended))
		engine_main(5, argv);
	return 0;
}
