/* A program that has no MPI, nor knows of it: like an interpreter, it runs what the plugin that it is given does. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;

	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	return work();
}
