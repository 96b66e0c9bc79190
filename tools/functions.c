/* functions.c - see functions.h */
#include "functions.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool.h"
#include "util.h"

#define MAX_LIBRARY ((size_t)1 << 28)

static bool read_library(struct rsd_buf *out)
{
	struct rsd_buf path = RSD_BUF_INIT;
	unsigned char part[1 << 16];
	ssize_t n = -1;
	int fd = -1;

	if (rsd_tool_lib_dir(&path)) {
		path.len--; /* the 0 */
		rsd_buf_printf(&path, "/libglob.so");
		rsd_buf_put_byte(&path, 0);
		if (!path.err)
			fd = open((const char *)path.data, O_RDONLY | O_CLOEXEC);
	}
	rsd_buf_release(&path);
	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0 && out->len < MAX_LIBRARY)
		rsd_buf_put(out, part, (size_t)n);
	if (fd >= 0)
		close(fd);
	return n == 0 && !out->err;
}

/* Is it so long, and a part of the file that ends in it? */
static bool is_inside(const struct rsd_buf *file, uint64_t offset, uint64_t len)
{
	return offset <= file->len && len <= file->len - offset;
}

static bool section(const struct rsd_buf *file, const ElfW(Ehdr) * head, size_t i, ElfW(Shdr) * out)
{
	if (i >= head->e_shnum || !is_inside(file, head->e_shoff, (i + 1) * sizeof(*out)))
		return false;
	memcpy(out, file->data + head->e_shoff + i * sizeof(*out), sizeof(*out));
	return out->sh_type == SHT_NOBITS || is_inside(file, out->sh_offset, out->sh_size);
}

static bool read_head(const struct rsd_buf *file, ElfW(Ehdr) * head)
{
	if (file->len < sizeof(*head))
		return false;
	memcpy(head, file->data, sizeof(*head));
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	       head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       head->e_shentsize == sizeof(ElfW(Shdr));
}

/* Takes the defined functions MPI_... of a table of symbols. */
static void take_names(
	struct rsd_functions *f, const ElfW(Shdr) * symbols, const ElfW(Shdr) * names)
{
	const char *text = (const char *)f->file.data + names->sh_offset;
	ElfW(Sym) sym;

	if (!names->sh_size || text[names->sh_size - 1])
		return;
	for (size_t i = 0; i < symbols->sh_size / sizeof(sym); i++) {
		memcpy(&sym, f->file.data + symbols->sh_offset + i * sizeof(sym), sizeof(sym));
		if (sym.st_shndx == SHN_UNDEF || (sym.st_info & 15) != STT_FUNC ||
			sym.st_name >= names->sh_size || strncmp(text + sym.st_name, "MPI_", 4))
			continue;
		if (RSD_GROW(f->name, f->nr + 1, f->alloc))
			return;
		f->name[f->nr++] = text + sym.st_name;
	}
}

void rsd_functions_init(struct rsd_functions *f)
{
	ElfW(Shdr) symbols, names;
	ElfW(Ehdr) head;

	*f = (struct rsd_functions)RSD_FUNCTIONS_INIT;
	if (!read_library(&f->file) || !read_head(&f->file, &head))
		return;
	for (size_t i = 0; section(&f->file, &head, i, &symbols); i++) {
		if (symbols.sh_type == SHT_DYNSYM &&
			section(&f->file, &head, symbols.sh_link, &names) &&
			names.sh_type == SHT_STRTAB)
			take_names(f, &symbols, &names);
	}
}

void rsd_functions_release(struct rsd_functions *f)
{
	rsd_buf_release(&f->file);
	free(f->name);
}

const char *rsd_functions_name(int i, void *arg)
{
	const struct rsd_functions *f = arg;

	return (size_t)i < f->nr ? f->name[i] : NULL;
}
