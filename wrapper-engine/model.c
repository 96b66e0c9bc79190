#include "model.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

void rsd_fatal(const char *fmt, ...)
{
	va_list ap;

	fputs("wrapper-engine: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static void report(struct loc at, const char *kind, const char *fmt, va_list ap)
{
	if (at.file)
		fprintf(stderr, "%s:%d: ", at.file, at.line);
	else
		fputs("wrapper-engine: ", stderr);
	fputs(kind, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void rsd_error(struct model *m, struct loc at, const char *fmt, ...)
{
	va_list ap;

	m->errors++;
	va_start(ap, fmt);
	report(at, "error: ", fmt, ap);
	va_end(ap);
}

void rsd_warning(struct model *m, struct loc at, const char *fmt, ...)
{
	va_list ap;

	m->warnings++;
	if (m->quiet)
		return;
	va_start(ap, fmt);
	report(at, "warning: ", fmt, ap);
	va_end(ap);
}

void rsd_list_add(struct list *l, void *item)
{
	if (RSD_GROW(l->item, l->nr + 1, l->alloc))
		rsd_fatal("out of memory");
	l->item[l->nr++] = item;
}

void *rsd_model_alloc(struct model *m, size_t size)
{
	void *p = rsd_calloc(1, size ? size : 1);

	if (!p)
		rsd_fatal("out of memory");
	rsd_list_add(&m->blocks, p);
	return p;
}

/* Where 's' stands in the sorted strings, or where it is to be inserted. */
static size_t string_place(const struct list *l, const char *s, size_t len)
{
	size_t low = 0, high = l->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const char *t = l->item[mid];
		int cmp = strncmp(t, s, len);

		if (cmp < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *rsd_model_string(struct model *m, const char *s, size_t len)
{
	size_t at = string_place(&m->strings, s, len);
	char *copy;

	/* The first that starts with 's' is 's' itself, if it is there at all. */
	if (at < m->strings.nr) {
		const char *t = m->strings.item[at];

		if (!strncmp(t, s, len) && !t[len])
			return t;
	}
	copy = rsd_model_alloc(m, len + 1);
	memcpy(copy, s, len);
	rsd_list_add(&m->strings, NULL);
	memmove(&m->strings.item[at + 1], &m->strings.item[at],
		(m->strings.nr - 1 - at) * sizeof(*m->strings.item));
	m->strings.item[at] = copy;
	return copy;
}

const char *rsd_model_format(struct model *m, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = rsd_model_alloc(m, (size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return text;
}

void rsd_model_init(struct model *m)
{
	*m = (struct model){ 0 };
}

static void free_names(struct list *groups)
{
	for (size_t i = 0; i < groups->nr; i++)
		free(((struct group *)groups->item[i])->names.item);
	free(groups->item);
}

static void free_spec(struct spec *s)
{
	struct list *plain[] = { &s->handles, &s->numbers, &s->callbacks, &s->facts, &s->aliases,
		&s->suffixes, &s->fortran, &s->logicals, &s->prologue };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(plain); i++)
		free(plain[i]->item);
	free_names(&s->classes);
	free_names(&s->constants);
	for (size_t i = 0; i < s->rules.nr; i++)
		free(((struct rule *)s->rules.item[i])->names.item);
	for (size_t i = 0; i < s->guards.nr; i++)
		free(((struct guard *)s->guards.item[i])->names.item);
	for (size_t i = 0; i < s->names.nr; i++) {
		struct names *n = s->names.item[i];

		free(n->funcs.item);
		free(n->params.item);
	}
	for (size_t i = 0; i < s->lines.nr; i++) {
		struct line *l = s->lines.item[i];

		free(l->funcs.item);
		for (size_t k = 0; k < l->settings.nr; k++)
			free(((struct setting *)l->settings.item[k])->names.item);
		free(l->settings.item);
	}
	free(s->rules.item);
	free(s->guards.item);
	free(s->names.item);
	free(s->lines.item);
}

static void free_funcs(struct list *funcs)
{
	for (size_t i = 0; i < funcs->nr; i++) {
		struct func *f = funcs->item[i];

		free(f->params.item);
		free(f->pre.item);
		free(f->post.item);
	}
	free(funcs->item);
}

void rsd_model_release(struct model *m)
{
	free_funcs(&m->funcs);
	free_spec(&m->spec);
	free(m->twins.item);
	free(m->constants.item);
	free(m->macros.item);
	free(m->candidates.item);
	for (size_t i = 0; i < m->fortran.nr; i++)
		free(((struct list *)m->fortran.item[i])->item);
	free(m->fortran.item);
	free(m->strings.item);
	for (size_t i = 0; i < m->blocks.nr; i++)
		free(m->blocks.item[i]);
	free(m->blocks.item);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_strings(struct list *l)
{
	if (l->nr)
		qsort(l->item, l->nr, sizeof(*l->item), compare_strings);
}

static bool has_string(const struct list *l, const char *s)
{
	return l->nr && bsearch(&s, l->item, l->nr, sizeof(*l->item), compare_strings);
}

bool rsd_model_has_constant(const struct model *m, const char *name)
{
	return has_string(&m->constants, name);
}

bool rsd_model_has_fortran(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->fortran.nr; i++) {
		if (has_string(m->fortran.item[i], name))
			return true;
	}
	return false;
}

bool rsd_model_fortran_refers(const struct model *m, const char *routine, const char *name)
{
	for (size_t i = 0; i < m->fortran.nr; i++) {
		if (has_string(m->fortran.item[i], routine) && has_string(m->fortran.item[i], name))
			return true;
	}
	return false;
}

bool rsd_model_fortran_mentions(struct model *m, const char *name)
{
	return rsd_model_has_fortran(m, name) ||
	       rsd_model_has_fortran(m, rsd_model_format(m, "=%s", name));
}

void rsd_model_read_fortran(struct model *m, const char *path)
{
	static const char begins[] = "library ";
	FILE *in = fopen(path, "r");
	struct list *names = NULL;
	char line[512];

	if (!in)
		rsd_fatal("cannot open '%s': %s", path, strerror(errno));
	while (fgets(line, sizeof(line), in)) {
		size_t len = strcspn(line, "\n");

		if (!strncmp(line, begins, strlen(begins))) {
			names = rsd_model_alloc(m, sizeof(*names));
			rsd_list_add(&m->fortran, names);
		} else if (len && names) {
			rsd_list_add(names, (void *)rsd_model_string(m, line, len));
		}
	}
	fclose(in);
	for (size_t i = 0; i < m->fortran.nr; i++)
		sort_strings(m->fortran.item[i]);
}

bool rsd_model_has_macro(const struct model *m, const char *name)
{
	return has_string(&m->macros, name);
}

/* A header may declare a function twice; the first declaration with names counts. */
static bool has_func(const struct list *funcs, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(((struct func *)funcs->item[i])->name, name))
			return true;
	return false;
}

bool rsd_model_knows_fortran(const struct model *m)
{
	return has_func(&m->funcs, m->funcs.nr, "MPI_Comm_f2c") ||
	       rsd_model_has_macro(m, "MPI_Comm_f2c");
}

/* What looked like a prototype of a function that has a twin must have been understood. */
static void check_candidates(struct model *m)
{
	for (size_t i = 0; i < m->candidates.nr; i++) {
		struct pattern *c = m->candidates.item[i];

		if (has_string(&m->twins, c->text) && !has_func(&m->funcs, m->funcs.nr, c->text))
			rsd_error(m, c->loc, "the prototype of %s is not understood", c->text);
	}
}

void rsd_model_settle(struct model *m)
{
	size_t nr = 0;

	sort_strings(&m->twins);
	sort_strings(&m->constants);
	sort_strings(&m->macros);
	check_candidates(m);
	for (size_t i = 0; i < m->funcs.nr; i++) {
		struct func *f = m->funcs.item[i];

		if (has_string(&m->twins, f->name) && !has_func(&m->funcs, nr, f->name)) {
			m->funcs.item[nr++] = f;
			continue;
		}
		free(f->params.item);
	}
	m->funcs.nr = nr;
}

bool rsd_glob(const char *pattern, const char *s)
{
	for (; *pattern; pattern++, s++) {
		if (*pattern == '*') {
			while (*s && !rsd_glob(pattern + 1, s))
				s++;
			if (*s)
				return true;
			return !pattern[strspn(pattern, "*")];
		}
		if (!*s || (*pattern != '?' && *pattern != *s))
			return false;
	}
	return !*s;
}

bool rsd_glob_func(const struct spec *s, const char *pattern, const char *name)
{
	size_t len = strlen(name);
	char stem[256];

	if (rsd_glob(pattern, name))
		return true;
	for (size_t i = 0; i < s->suffixes.nr; i++) {
		size_t cut = strlen(s->suffixes.item[i]);

		if (cut >= len || len - cut >= sizeof(stem) ||
			strcmp(name + len - cut, s->suffixes.item[i]))
			continue;
		memcpy(stem, name, len - cut);
		stem[len - cut] = '\0';
		if (rsd_glob(pattern, stem))
			return true;
	}
	return false;
}

const struct param *rsd_func_param(const struct func *f, const char *name)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

const char *rsd_words_find(const struct list *words, const char *from)
{
	for (size_t i = 0; i < words->nr; i++) {
		struct word *w = words->item[i];

		if (!strcmp(w->from, from)) {
			w->used = true;
			return w->to;
		}
	}
	return NULL;
}
