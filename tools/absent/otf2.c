/* otf2.c - rsd convert --to=otf2, where the library was not found */
#include "export/export.h"
#include "parts.h"

int rsd_export_otf2(const struct rsd_export *x)
{
	(void)x;
	return rsd_part_absent(RSD_PART_OTF2);
}
