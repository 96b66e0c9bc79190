/* page.h - the page of rsd report as a file */
#ifndef RSD_REPORT_PAGE_H
#define RSD_REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>

/* Could it be written there? False after a message. */
bool report_page_try(const char *path);
/* Writes the page with the document in it; a signal leaves no unfinished file. The exit code. */
int report_page_write(json_t *document, const char *path);

#endif
