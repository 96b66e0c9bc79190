/*
 * settings.h - the recording options that a program started here would have
 */
#ifndef RSD_SETTINGS_H
#define RSD_SETTINGS_H

#include "config.h"

/*
 * Reads record.in, or what RECORD_CONFIG names, and the environment into 'c', which the caller releases even
 * after an error. *name is what messages call the file (borrowed); what is malformed is a line each in
 * 'problems'. Returns the exit code, after a message where it is not 0.
 */
int rsd_tool_settings(struct rsd_config *c, const char **name, struct rsd_buf *problems);

#endif
