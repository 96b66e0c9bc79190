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
	for (int i = 0; i < 6; i++) {
		CHECK(call("../plugin_a.so", i) == i);
		CHECK(call("../plugin_b.so", i) == i);
	}
	return t_fini();
}
