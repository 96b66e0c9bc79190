/* parts.c - see parts.h */
#include "parts.h"

#include "parts_found.h"
#include "tool.h"
#include "util.h"

static const struct {
	const char *what;
	const char *lacks; /* "" where the part is here */
	const char *from;
} part[RSD_NR_PARTS] = {
	[RSD_PART_OTF2] = { "rsd convert --to=otf2", RSD_LACKS_OTF2,
		"libopen-trace-format2-dev, or from www.score-p.org" },
	[RSD_PART_REPORT] = { "rsd report", RSD_LACKS_REPORT,
		"libjansson-dev and libjs-chart.js, or any Chart.js 3 that CHART_JS=FILE names" },
	[RSD_PART_SOURCE] = { "source lines, rsd addr2line", RSD_LACKS_SOURCE,
		"libelf-dev, liblzma-dev, zlib1g-dev and g++" },
};

static void put(int i, const char *before, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%s%s, for lack of %s (Debian's %s; then make)", before, part[i].what,
		part[i].lacks, part[i].from);
}

int rsd_part_absent(enum rsd_part i)
{
	struct rsd_buf text = RSD_BUF_INIT;

	put((int)i, "this rsd is built without ", &text);
	rsd_tool_error("%.*s. An rsd on another machine reads the same traces", (int)text.len,
		text.data ? (const char *)text.data : "");
	rsd_buf_release(&text);
	return RSD_EXIT_ERROR;
}

void rsd_part_put_lack(enum rsd_part i, struct rsd_buf *out)
{
	rsd_buf_printf(out, "this rsd is built without %s (rsd --version)", part[i].lacks);
}

void rsd_parts_put_absent(struct rsd_buf *out)
{
	for (int i = 0; i < RSD_NR_PARTS; i++) {
		if (!*part[i].lacks)
			continue;
		put(i, "without ", out);
		rsd_buf_put_byte(out, '\n');
	}
}
