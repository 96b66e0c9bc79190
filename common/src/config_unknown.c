#include <string.h>

#include "config.h"
#include "util.h"

#define LONGEST 24 /* of a name that is compared with ours, which are shorter */

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters must be left out, put in, changed or swapped with the next to make one of the other (Damerau). */
static size_t distance(const char *a, size_t len_a, const char *b, size_t len_b)
{
	size_t d[LONGEST + 1][LONGEST + 1];

	for (size_t i = 0; i <= len_a; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= len_b; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		for (size_t j = 1; j <= len_b; j++) {
			d[i][j] = min(min(d[i - 1][j], d[i][j - 1]) + 1,
				d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[len_a][len_b];
}

/* The i-th name that is ours. */
static const char *ours(int i)
{
	return i < RSD_NR_OPTIONS ? rsd_config_variable((enum rsd_option)i) : "RECORD_CONFIG";
}

/* The name of ours that is nearest, at most 2 letters away; NULL: there is none. */
static const char *nearest(const char *name, size_t len)
{
	const char *best = NULL;
	size_t least = 3;

	for (int i = 0; len <= LONGEST && i <= RSD_NR_OPTIONS; i++) {
		size_t far = distance(name, len, ours(i), strlen(ours(i)));

		if (far < least) {
			least = far;
			best = ours(i);
		}
	}
	return best;
}

static void put_unknown(const char *name, size_t len, struct rsd_buf *out)
{
	const char *meant = nearest(name, len);

	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)name[i];

		if (ch < ' ' || ch == 127)
			rsd_buf_printf(out, "\\x%02x", ch);
		else
			rsd_buf_put_byte(out, ch);
	}
	rsd_buf_printf(out, ": no such option");
	if (meant)
		rsd_buf_printf(out, "; did you mean %s?", meant);
	rsd_buf_put_byte(out, '\n');
}

int rsd_config_unknown(char *const *environment, struct rsd_buf *problems)
{
	static const char prefix[] = "RECORD_";
	int nr = 0;

	for (; environment && *environment; environment++) {
		size_t len = strcspn(*environment, "=");
		int i = 0;

		if (strncmp(*environment, prefix, strlen(prefix)))
			continue;
		while (i <= RSD_NR_OPTIONS &&
			(strlen(ours(i)) != len || memcmp(ours(i), *environment, len)))
			i++;
		if (i <= RSD_NR_OPTIONS)
			continue;
		put_unknown(*environment, len, problems);
		nr++;
	}
	return problems->err ? problems->err : nr;
}
