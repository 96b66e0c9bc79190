/*
 * unpack.h - zlib, zstd and xz, into memory that grows with what comes out
 *
 * A hostile file must not make us allocate what it merely claims: output is limited to some
 * multiple of the input that no debug information reaches, and memory is taken as output comes.
 */
#ifndef RSD_SYMBOLIZE_UNPACK_H
#define RSD_SYMBOLIZE_UNPACK_H

#include "cursor.h"

enum rsd_unpack_kind { RSD_UNPACK_ZLIB, RSD_UNPACK_ZSTD, RSD_UNPACK_XZ };

/*
 * Unpacks 'in'; 'size' is how much there should be, or 0 where that is not known. Returns 0 with
 * *out malloced (caller frees), or RSD_ERR_FORMAT, RSD_ERR_NOMEM.
 */
int rsd_unpack(enum rsd_unpack_kind kind, struct rsd_bytes in, uint64_t size, unsigned char **out,
	size_t *len);

#endif
