/*
 * stack_sig.h - modules, frames and interned stack signatures
 *
 * A module is a loaded object: path as loaded, build id (hex, may be ""). A
 * frame is (module, offset of the call from the module's load address: the
 * return address minus one). A signature is a list of frames, innermost (the
 * call site) first. All three are interned: equal content, equal id, so that a
 * signature is one integer in an event and is compared as such.
 *
 * Recursion is folded when a signature is interned: a block of frames that
 * repeats immediately is kept once (rsd_sigs_intern does it), so that depth
 * does not make new signatures.
 *
 * Module -1 is "no module": JIT pages and the like; the offset is then the address.
 */
#ifndef RSD_STACK_SIG_H
#define RSD_STACK_SIG_H

#include <stddef.h>
#include <stdint.h>
#include "buf.h"
#include "hash.h"

struct rsd_module {
	char *path;
	char *build_id;
};

struct rsd_frame {
	int module;
	uint64_t offset;
};

struct rsd_sig {
	size_t first, nr; /* frames [first, first + nr) of the table's frame array; nr 0: none */
};

struct rsd_sigs {
	struct rsd_module *module;
	size_t nr_modules, alloc_modules;
	struct rsd_frame *frame; /* frames of all signatures, one behind the other */
	size_t nr_frames, alloc_frames;
	struct rsd_sig *sig;
	size_t nr_sigs, alloc_sigs;
	struct rsd_map module_by_hash, sig_by_hash;
};

void rsd_sigs_init(struct rsd_sigs *t);
void rsd_sigs_release(struct rsd_sigs *t);
/* Returns the module's id (>= 0) or RSD_ERR_NOMEM. */
int rsd_sigs_module(struct rsd_sigs *t, const char *path, const char *build_id);
/* Returns the signature's id (>= 0) or RSD_ERR_NOMEM; folds recursion first. */
int rsd_sigs_intern(struct rsd_sigs *t, const struct rsd_frame *frame, size_t nr);
/* The id in 'dst' of signature 'id' of 'src' (modules are matched by content), or an error. */
int rsd_sigs_import(struct rsd_sigs *dst, const struct rsd_sigs *src, int id);
void rsd_sigs_encode(const struct rsd_sigs *t, struct rsd_buf *out);
int rsd_sigs_decode(struct rsd_sigs *t, struct rsd_reader *in);
/* What versions 1 to 3 of the format wrote. */
int rsd_sigs_decode_3(struct rsd_sigs *t, struct rsd_reader *in);

#endif
