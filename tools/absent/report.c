/* report.c - rsd report, where its libraries were not found */
#include "parts.h"
#include "tool.h"

int rsd_cmd_report(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return rsd_part_absent(RSD_PART_REPORT);
}
