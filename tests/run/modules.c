/*
 * modules.c - calls from code that comes and goes; the program of modules.sh
 *
 *	modules FIRST SECOND	shared libraries with a function work(), at the place of the first one by and by
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void call_work(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	void (*work)(void) = lib ? (void (*)(void))dlsym(lib, "work") : NULL;

	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	work();
	dlclose(lib);
}

/*
 * Machine code of its own: push %rbp; mov %rdi, %rax; mov %rsi, %rdi; call *%rax; pop %rbp; ret
 * A communicator is an integer with one MPI, a pointer with another.
 */
static void call_generated(void)
{
#ifdef __x86_64__
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0,
		0x5d, 0xc3 };
	void *page = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, code, sizeof(code));
	((void (*)(int (*)(MPI_Comm), MPI_Comm))page)(MPI_Barrier, MPI_COMM_SELF);
	munmap(page, 4096);
#endif
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	call_work(argv[1]);
	/* Another library under its name. */
	if (rename(argv[2], argv[1]))
		return 1;
	call_work(argv[1]);
	/* And none. */
	unlink(argv[1]);
	call_generated();
	MPI_Finalize();
	return 0;
}
