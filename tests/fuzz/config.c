/*
 * config.c - record.in and the environment's options, of any bytes
 *
 * An input is record.in's text; after a zero byte lines VARIABLE=value.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The value of the last line that sets it; 'arg' is the text. */
static const char *get(const char *name, void *arg)
{
	static char value[4096];
	const char *found = NULL;
	size_t len = strlen(name);

	for (const char *line = arg; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == '=')
			found = line + len + 1;
	}
	if (!found)
		return NULL;
	len = strcspn(found, "\n");
	len = len < sizeof(value) ? len : sizeof(value) - 1;
	memcpy(value, found, len);
	value[len] = '\0';
	return value;
}

static const char *function_name(int i, void *arg)
{
	static const char *const name[] = { "MPI_Init", "MPI_Send", "MPI_Waitall" };

	(void)arg;
	return i < 3 ? name[i] : NULL;
}

/* What one process hands on to all, they must understand as it is. */
static void hand_on(const struct rsd_config *c)
{
	struct rsd_buf first = RSD_BUF_INIT, second = RSD_BUF_INIT;
	struct rsd_reader in;
	struct rsd_config other;

	rsd_config_encode(c, &first);
	rsd_reader_init(&in, first.data, first.len);
	if (rsd_config_init(&other) || rsd_config_decode(&other, &in))
		abort();
	rsd_config_encode(&other, &second);
	if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
		abort();
	rsd_config_release(&other);
	rsd_buf_release(&first);
	rsd_buf_release(&second);
}

static void ask(const struct rsd_config *c, struct rsd_buf *out)
{
	for (int o = 0; o < RSD_NR_OPTIONS; o++) {
		rsd_config_value(c, (enum rsd_option)o, out);
		rsd_config_origin(c, (enum rsd_option)o, "record.in", out);
	}
	rsd_config_path(c, 4, "20260101-000000", "job", out);
	rsd_config_wants(c, "MPI_Send", false);
	rsd_config_wants(c, "MPI_Comm_rank", true);
	rsd_config_check_calls(c, function_name, NULL, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = rsd_strndup((const char *)data, len), none[] = "", *environment;
	struct rsd_buf problems = RSD_BUF_INIT;
	struct rsd_config c;
	struct rsd_reader in;
	size_t split = strnlen((const char *)data, len);

	if (rsd_config_init(&c) || !text)
		abort();
	environment = split < len ? text + split + 1 : none;
	rsd_config_file(&c, "record.in", text, split, &problems);
	rsd_config_environment(&c, get, environment, &problems);
	ask(&c, &problems);
	hand_on(&c);
	rsd_config_release(&c);
	rsd_reader_init(&in, data, len);
	if (rsd_config_init(&c))
		abort();
	rsd_config_decode(&c, &in);
	rsd_config_release(&c);
	rsd_buf_release(&problems);
	free(text);
	return 0;
}
