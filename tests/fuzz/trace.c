/*
 * trace.c - the readers of traces, and the tools, on any bytes
 *
 * An input is a trace file, or "body" and a trace's bytes as transfer.h has them, without compression. Checksums
 * are put right first, or hardly an input would get further. What can be read must come out the same
 * when it is written and read again; the commands may say what they like, but must come to an end.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scan.h"
#include "tool.h"
#include "trace_binary.h"
#include "trace_file.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

#define BODY "body"
#define BODY_LEN 4
#define SUM_LEN 8
/* Commands that show every event are asked for traces of at most so many. */
#define MOST_EVENTS 2000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define FILE_HERE "/proc/self/fd/99"
static const int file = 99;

static const struct {
	int (*run)(int argc, char **argv);
	bool each; /* goes through all events */
	const char *arg[8];
} command[] = {
	{ rsd_cmd_print, false, { "print", FILE_HERE } },
	{ rsd_cmd_print, false, { "print", "--json", FILE_HERE } },
	{ rsd_cmd_print, false, { "print", "--stack", "--rank=0", FILE_HERE } },
	{ rsd_cmd_print, true, { "print", "--expand", FILE_HERE } },
	{ rsd_cmd_check, false, { "check", FILE_HERE } },
	{ rsd_cmd_stats, false, { "stats", FILE_HERE } },
	{ rsd_cmd_stats, false, { "stats", "--by=size", "--format=json", FILE_HERE } },
	{ rsd_cmd_stats, false, { "stats", "--by=rank", FILE_HERE } },
	{ rsd_cmd_stats, false, { "stats", "--by=message", FILE_HERE } },
	{ rsd_cmd_diff, false, { "diff", FILE_HERE, FILE_HERE } },
	{ rsd_cmd_diff, false, { "diff", "--stats", FILE_HERE, FILE_HERE } },
	{ rsd_cmd_report, false, { "report", "-o", "/dev/null", FILE_HERE } },
	{ rsd_cmd_codegen, false, { "codegen", "-o", "/dev/null", FILE_HERE } },
	{ rsd_cmd_convert, false, { "convert", "--to=binary", "-o", "/dev/null", FILE_HERE } },
	{ rsd_cmd_convert, true, { "convert", "--to=ascii", "-o", "/dev/null", FILE_HERE } },
	{ rsd_cmd_convert, true, { "convert", "--to=csv", "-o", "/dev/null", FILE_HERE } },
	{ rsd_cmd_convert, true, { "convert", "--to=perfetto", "-o", "/dev/null", FILE_HERE } },
	{ rsd_cmd_convert, true, { "convert", "--to=dot", "-o", "/dev/null", FILE_HERE } },
};

/* ---- checksums -------------------------------------------------------------------- */

static void seal_text(uint8_t *p, size_t len)
{
	static const char end[] = "\nend ";
	uint8_t *start = p, *stop = p + len, *at;
	char digits[17];

	while ((at = memmem(start, (size_t)(stop - start), end, sizeof(end) - 1)) != NULL) {
		uint64_t sum = rsd_sum(RSD_SUM_INIT, start, (size_t)(at + 1 - start));

		at += sizeof(end) - 1;
		if (stop - at < 17)
			return;
		snprintf(digits, sizeof(digits), "%016llx", (unsigned long long)sum);
		memcpy(at, digits, 16);
		start = at + 17;
	}
}

static void seal_binary(uint8_t *p, size_t len)
{
	struct rsd_reader in;

	rsd_reader_init(&in, p, len);
	while (!in.err && in.pos < len) {
		size_t start = in.pos;
		uint64_t stored, sum;

		if (len - start >= RSD_BINARY_MAGIC_LEN &&
			!memcmp(p + start, RSD_BINARY_MAGIC, RSD_BINARY_MAGIC_LEN)) {
			rsd_reader_bytes(&in, RSD_BINARY_MAGIC_LEN);
			continue;
		}
		rsd_reader_byte(&in);
		rsd_reader_uint(&in);
		stored = rsd_reader_uint(&in);
		if (in.err || stored > len || !rsd_reader_bytes(&in, (size_t)stored) ||
			!rsd_reader_bytes(&in, SUM_LEN))
			return;
		sum = rsd_sum(RSD_SUM_INIT, p + start, in.pos - SUM_LEN - start);
		for (size_t i = 0; i < SUM_LEN; i++)
			p[in.pos - SUM_LEN + i] = (uint8_t)(sum >> 8 * i);
	}
}

/* ---- one input ---------------------------------------------------------------------- */

static struct rsd_trace *read_body(const uint8_t *data, size_t len)
{
	struct rsd_trace *t = NULL;
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_reader in;

	rsd_reader_init(&in, data, len);
	if (rsd_trace_decode(&t, &in, &why))
		t = NULL;
	rsd_buf_release(&why);
	return t;
}

/* As text, read again. */
static struct rsd_trace *copy_of(const struct rsd_trace *t, struct rsd_buf *text)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *copy;
	size_t pos = 0;

	rsd_text_print(t, text);
	if (text->err || rsd_text_parse(&copy, (char *)text->data, text->len, &pos, &why)) {
		dprintf(STDERR_FILENO, "%.*s\n", (int)why.len, (char *)why.data);
		abort();
	}
	rsd_buf_release(&why);
	return copy;
}

/*
 * What a reader has taken, a writer must be able to write, and the reader to take again. The first text may have in pieces
 * what is in one piece once it is read.
 */
static void write_and_read(const struct rsd_trace *t)
{
	struct rsd_buf text[3] = { RSD_BUF_INIT, RSD_BUF_INIT, RSD_BUF_INIT };
	struct rsd_trace *first = copy_of(t, &text[0]), *second = copy_of(first, &text[1]);

	rsd_text_print(second, &text[2]);
	if (text[1].len != text[2].len || memcmp(text[1].data, text[2].data, text[1].len) != 0)
		abort();
	rsd_trace_free(first);
	rsd_trace_free(second);
	for (int i = 0; i < 3; i++)
		rsd_buf_release(&text[i]);
}

static bool has_few_events(const struct rsd_trace *t)
{
	uint64_t *calls = rsd_calloc(t->nr_places + 1, sizeof(*calls)), sum = 0;
	bool few = calls && !rsd_trace_count_calls(t, calls);

	for (size_t i = 0; few && i < t->nr_places; i++) {
		sum += calls[i] <= MOST_EVENTS ? calls[i] : MOST_EVENTS;
		few = sum < MOST_EVENTS;
	}
	free(calls);
	return few;
}

static void run_command(size_t i)
{
	char *argv[9];
	int argc = 0;

	while (argc < 8 && command[i].arg[argc]) {
		argv[argc] = (char *)(uintptr_t)command[i].arg[argc];
		argc++;
	}
	argv[argc] = NULL;
	optind = 0;
	rsd_tool_set_name("rsd");
	command[i].run(argc, argv);
}

static void put_file(const void *p, size_t len)
{
	if (ftruncate(file, 0) || pwrite(file, p, len, 0) != (ssize_t)len)
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int fd = memfd_create("trace", 0);

	(void)argc;
	(void)argv;
	if (fd < 0 || dup2(fd, file) != file || !freopen("/dev/null", "w", stdout))
		abort();
	stderr = fopen("/dev/null", "w"); /* messages of the tools; sanitizers write to 2 */
	opterr = 0;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	bool body = len >= BODY_LEN && !memcmp(data, BODY, BODY_LEN);
	size_t which = (size_t)rsd_sum(RSD_SUM_INIT, data, len) % RSD_ARRAY_SIZE(command);
	uint8_t *copy = malloc(len + 1);
	struct rsd_trace *t;
	struct rsd_buf why = RSD_BUF_INIT, text = RSD_BUF_INIT;

	memcpy(copy, data, len);
	if (body) {
		t = read_body(copy + BODY_LEN, len - BODY_LEN);
	} else {
		if (len && copy[0] == (uint8_t)RSD_BINARY_MAGIC[0])
			seal_binary(copy, len);
		else
			seal_text(copy, len);
		if (rsd_trace_read_bytes(&t, copy, len, &why))
			t = NULL;
	}
	if (t && body)
		rsd_text_print(t, &text);
	if (t) {
		write_and_read(t);
		put_file(body ? text.data : copy, body ? text.len : len);
		if (!command[which].each || has_few_events(t))
			run_command(which);
	}
	rsd_trace_free(t);
	rsd_buf_release(&text);
	rsd_buf_release(&why);
	free(copy);
	return 0;
}
