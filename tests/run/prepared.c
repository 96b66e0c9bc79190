/*
 * prepared.c - looks addresses up in the prepared way: extra files are loaded here, each on a thread of its
 * own, not by the library
 *
 *	prepared MODULE [-n] ADDRESS...	-n: says that no extra file is there
 *
 * Prints functions and lines as addr2line -f -i -s does, "wanted: N" first: how many files were, and
 * "missing: WHY" before what is less than could be known.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize.h"

#define FILES_MAX 100

struct load { /* an extra file, and what came of it */
	char *path[8];
	size_t nr_paths, id;
	pthread_t thread;
	unsigned char *data;
	size_t len;
};

static struct load load[FILES_MAX];
static size_t nr_loads;

/* All of the file's bytes, kept to the end; NULL: it is not there. */
static unsigned char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	unsigned char *p = NULL;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	p = malloc(*len + 1);
	if (p && fread(p, 1, *len, f) != *len)
		exit(1);
	fclose(f);
	return p;
}

static void *run_load(void *arg)
{
	struct load *l = arg;

	for (size_t i = 0; i < l->nr_paths && !l->data; i++)
		l->data = read_file(l->path[i], &l->len);
	return NULL;
}

/* One round is enough: what is wanted is noted before anything is provided. */
static size_t prepare(struct rsd_symbolizer *s, uint64_t offset, bool none)
{
	const struct rsd_sym_extra *extra;
	size_t nr = rsd_symbolizer_units_for(s, offset, &extra), first = nr_loads;

	for (size_t i = 0; i < nr && nr_loads < FILES_MAX; i++) {
		struct load *l = &load[nr_loads++];

		l->id = extra[i].id;
		l->nr_paths = none ? 0 : extra[i].nr_paths;
		for (size_t k = 0; k < l->nr_paths; k++)
			l->path[k] = strdup(extra[i].path[k]);
		if (pthread_create(&l->thread, NULL, run_load, l))
			exit(1);
	}
	for (size_t i = first; i < nr_loads; i++)
		pthread_join(load[i].thread, NULL);
	for (size_t i = first; i < nr_loads; i++) {
		if (rsd_symbolizer_provide(s, load[i].id, load[i].data, load[i].len))
			exit(1);
	}
	if (rsd_symbolizer_units_for(s, offset, &extra))
		exit(1);
	return nr;
}

int main(int argc, char **argv)
{
	struct rsd_sym_options o = { .prepared = true };
	struct rsd_symbolizer *s;
	struct rsd_sym_result r;
	bool none = argc > 2 && strcmp(argv[2], "-n") == 0;
	size_t wanted = 0;

	if (argc < 3 || rsd_symbolizer_open(&s, argv[1], &o, NULL))
		return 1;
	for (int i = 2 + none; i < argc; i++)
		wanted += prepare(s, strtoull(argv[i], NULL, 16), none);
	printf("wanted: %zu\n", wanted);
	for (int i = 2 + none; i < argc; i++) {
		if (rsd_symbolizer_lookup(s, strtoull(argv[i], NULL, 16), &r))
			return 1;
		if (r.missing)
			printf("missing: %s\n", r.missing);
		for (size_t k = 0; k < r.nr; k++) {
			const char *file = r.frame[k].file ? r.frame[k].file : "??";
			const char *slash = strrchr(file, '/');

			printf("%s\n%s:%u\n", r.frame[k].function, slash ? slash + 1 : file,
				(unsigned int)r.frame[k].line);
		}
	}
	rsd_symbolizer_free(s);
	for (size_t i = 0; i < nr_loads; i++) {
		free(load[i].data);
		for (size_t k = 0; k < load[i].nr_paths; k++)
			free(load[i].path[k]);
	}
	return 0;
}
