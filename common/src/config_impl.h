/*
 * config_impl.h - what the parts of config.h share: config_options.c has the table of options, config_calls.c the choice of functions
 */
#ifndef RSD_CONFIG_IMPL_H
#define RSD_CONFIG_IMPL_H

#include "config.h"

/* What the parsers of single values work on: a value without blanks around it. */
struct rsd_word {
	const char *s;
	size_t len;
};

bool rsd_word_is(struct rsd_word w, const char *s);
/* Quotes what was read, so that a message shows blanks and control characters for what they are. */
void rsd_word_put(struct rsd_buf *out, struct rsd_word w);

struct rsd_config_option {
	const char *variable;
	const char *what; /* in messages: "'x' is no <what>" */
	const char *allowed;
	int (*set)(struct rsd_config *c, struct rsd_word w); /* RSD_ERR_RANGE: not allowed */
	void (*put)(const struct rsd_config *c,
		struct rsd_buf *out); /* as 'set' takes it, but for the default of RECORD_CALLS */
	struct rsd_word (*fault)(struct rsd_word w); /* the part that is not; NULL: all of it */
};
extern const struct rsd_config_option rsd_config_options[RSD_NR_OPTIONS];

/* The first item of a choice of functions that is malformed; 's' is NULL where none is. */
struct rsd_word rsd_calls_malformed(struct rsd_word list);

#endif
