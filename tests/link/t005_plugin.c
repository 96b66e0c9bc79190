/* Plugins that are loaded, call MPI and are unloaded, one after the other, perhaps to the same address. */
#define _GNU_SOURCE
#include "t.h"
#include <dlfcn.h>

static int call(const char *file, int n)
{
	void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	int (*fn)(int) = lib ? (int (*)(int))dlsym(lib, "shared_part") : NULL;
	int got;

	if (!fn)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(fn);
	got = fn(n);
	CHECK(dlclose(lib) == 0);
	return got;
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	/* From one place: but for what is loaded, the stack is the same each time. */
	for (int i = 0; i < 12; i++)
		CHECK(call(i % 2 ? "../plugin_b.so" : "../plugin_a.so", i) == i);
	return t_fini();
}
