/*
 * rust.h - names of Rust's newer form ("v0"), demangled
 *
 *	_RNvNtC5crate6module4name		crate::module::name
 *
 * As rustc's RFC 2603 has it: paths, generic arguments, types, constants, references back into the name. Hashes of
 * crates are left out, and what follows a '.' (the compiler's suffixes).
 */
#ifndef RSD_SYMBOLIZE_RUST_H
#define RSD_SYMBOLIZE_RUST_H

/* The text, which the caller frees; NULL: no such name, one that unfolds without bound, or no memory. */
char *rsd_rust_demangle(const char *mangled);

#endif
