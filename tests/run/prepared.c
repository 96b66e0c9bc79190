/*
 * prepared.c - looks addresses up in the prepared way: extra files are loaded here, not by the library
 *
 *	prepared MODULE [-n] ADDRESS...	-n: says that no extra file is there
 *
 * Prints functions and lines as addr2line -f -i -s does, and "wanted: N" first: how many files were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize.h"

#define FILES_MAX 100

static unsigned char *kept[FILES_MAX];
static int nr_kept;

/* All of the file's bytes, kept to the end; NULL: it is not there. */
static unsigned char *load(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	unsigned char *p = NULL;

	if (!f || nr_kept == FILES_MAX)
		return NULL;
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	p = malloc(*len + 1);
	if (p && fread(p, 1, *len, f) == *len)
		kept[nr_kept++] = p;
	fclose(f);
	return p;
}

static void provide(struct rsd_symbolizer *s, size_t id, const char *const *path, size_t nr)
{
	unsigned char *p = NULL;
	size_t len = 0;

	for (size_t i = 0; i < nr && !p; i++)
		p = load(path[i], &len);
	if (rsd_symbolizer_provide(s, id, p, len))
		exit(1);
}

/* One round is enough: ids are noted before anything is provided. */
static size_t prepare(struct rsd_symbolizer *s, uint64_t offset, bool none)
{
	const struct rsd_sym_extra *extra;
	size_t nr = rsd_symbolizer_units_for(s, offset, &extra);

	for (size_t i = 0; i < nr; i++)
		provide(s, extra[i].id, extra[i].path, none ? 0 : extra[i].nr_paths);
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
		for (size_t k = 0; k < r.nr; k++) {
			const char *file = r.frame[k].file ? r.frame[k].file : "??";
			const char *slash = strrchr(file, '/');

			printf("%s\n%s:%u\n", r.frame[k].function, slash ? slash + 1 : file,
				(unsigned int)r.frame[k].line);
		}
	}
	rsd_symbolizer_free(s);
	for (int i = 0; i < nr_kept; i++)
		free(kept[i]);
	return 0;
}
