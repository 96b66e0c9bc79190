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

/*
 * Could a run that is started here write its trace file? 0: it could, or only the run knows the folder's name; an error with 'why'.
 * Makes and removes a file there.
 */
int rsd_tool_try_file(const struct rsd_config *c, struct rsd_buf *why);

#endif
