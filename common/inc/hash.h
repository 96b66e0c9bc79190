/*
 * hash.h - 64-bit hashing, and an open-addressing map from 64-bit keys to 64-bit values
 *
 * Not for hostile keys: collisions cost time, never correctness. Whoever
 * stores hashes of contents as keys confirms equality by comparing contents.
 */
#ifndef RSD_HASH_H
#define RSD_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t rsd_hash_bytes(const void *p, size_t len, uint64_t seed);

/* Finaliser of a good mixer (splitmix64): spreads a small integer over 64 bits. */
static inline uint64_t rsd_hash_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* The same for a table of 2^bits places, bits > 0, in which neighbours are to be apart: cheaper, and not as good. */
static inline size_t rsd_hash_index(uint64_t x, int bits)
{
	return (size_t)(x * 0x9e3779b97f4a7c15u >> (64 - bits));
}

struct rsd_map_entry {
	uint64_t key, value;
	bool used;
};

struct rsd_map {
	struct rsd_map_entry *slot;
	size_t nr, alloc; /* alloc is 0 or a power of two */
};
#define RSD_MAP_INIT ((struct rsd_map){ NULL, 0, 0 })

void rsd_map_release(struct rsd_map *m);
/* Returns the value's place, or NULL where the key is absent. Valid until the next set or delete. */
uint64_t *rsd_map_find(const struct rsd_map *m, uint64_t key);
/* Adds or replaces. 0 or RSD_ERR_NOMEM. */
int rsd_map_set(struct rsd_map *m, uint64_t key, uint64_t value);
/* Deletes if present (backward shift, no tombstones: a table that breathes stays fast). */
bool rsd_map_delete(struct rsd_map *m, uint64_t key);

#endif
