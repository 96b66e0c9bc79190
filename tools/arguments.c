#include "arguments.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "buf.h"
#include "util.h"

#define DEPTH_MAX 16

static int expand_word(struct rsd_arguments *a, const char *word, size_t len, int depth);

/* Takes a malloced word, also on failure. */
static int add(struct rsd_arguments *a, char *word)
{
	if (!word || RSD_GROW(a->word, a->nr + 2, a->alloc)) {
		free(word);
		return RSD_ERR_NOMEM;
	}
	a->word[a->nr++] = word;
	a->word[a->nr] = NULL;
	return 0;
}

/* Reads the word at *pos, which is not white space, and moves *pos behind it. */
static void read_word(const struct rsd_buf *text, size_t *pos, struct rsd_buf *word)
{
	unsigned char quote = 0;

	for (; *pos < text->len; ++*pos) {
		unsigned char c = text->data[*pos];

		if (c == '\\' && *pos + 1 < text->len) {
			rsd_buf_put_byte(word, text->data[++*pos]);
		} else if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
		} else if (!quote && isspace(c)) {
			break;
		} else {
			rsd_buf_put_byte(word, c);
		}
	}
}

static int expand_text(struct rsd_arguments *a, const struct rsd_buf *text, int depth)
{
	struct rsd_buf word = RSD_BUF_INIT;
	int err = text->err;

	for (size_t pos = 0; !err && pos < text->len;) {
		if (isspace(text->data[pos])) {
			pos++;
			continue;
		}
		rsd_buf_reset(&word);
		read_word(text, &pos, &word);
		err = word.err;
		if (!err)
			err = expand_word(a, word.len ? (char *)word.data : "", word.len, depth);
	}
	rsd_buf_release(&word);
	return err;
}

/* False where it can't be read. */
static bool read_file(const char *path, struct rsd_buf *out)
{
	char block[4096];
	FILE *in = fopen(path, "r");
	size_t n;
	bool ok;

	if (!in)
		return false;
	while ((n = fread(block, 1, sizeof(block), in)) > 0)
		rsd_buf_put(out, block, n);
	ok = !ferror(in);
	fclose(in);
	return ok;
}

static int expand_word(struct rsd_arguments *a, const char *word, size_t len, int depth)
{
	struct rsd_buf text = RSD_BUF_INIT;
	char *copy = rsd_strndup(word, len);
	int err;

	if (!copy || copy[0] != '@' || !read_file(copy + 1, &text)) {
		rsd_buf_release(&text);
		return add(a, copy);
	}
	free(copy);
	err = depth < DEPTH_MAX ? expand_text(a, &text, depth + 1) : RSD_ERR_RANGE;
	rsd_buf_release(&text);
	return err;
}

int rsd_arguments_expand(struct rsd_arguments *a, int argc, char **argv)
{
	int err = 0;

	for (int i = 0; i < argc && !err; i++)
		err = expand_word(a, argv[i], strlen(argv[i]), 0);
	return err;
}

void rsd_arguments_release(struct rsd_arguments *a)
{
	for (size_t i = 0; i < a->nr; i++)
		free(a->word[i]);
	free(a->word);
	*a = RSD_ARGUMENTS_INIT;
}
