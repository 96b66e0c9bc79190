/* object_elf.c - ELF files as objects, through libelf; see object.h */
#include "object.h"

#include <gelf.h>
#include <stdlib.h>
#include "util.h"

bool rsd_elf_is(struct rsd_bytes file)
{
	return file.len >= EI_NIDENT && memcmp(file.data, ELFMAG, SELFMAG) == 0;
}

void rsd_elf_release(struct rsd_object *o)
{
	if (o->elf)
		elf_end(o->elf);
	o->elf = NULL;
}

/* ".zdebug_x" becomes ".debug_x": the 'z' is in the middle, so that takes memory of our own. */
static const char *plain_name(struct rsd_object *o, const char *name, size_t *used)
{
	char *out = o->names + *used;
	size_t len = strlen(name);

	out[0] = '.';
	memcpy(out + 1, name + 2, len - 1);
	*used += len;
	return out;
}

/* The note of type 'type' of owner GNU in a section of notes. */
static struct rsd_bytes gnu_note(const struct rsd_object *o, struct rsd_bytes notes, uint32_t type)
{
	struct rsd_cursor c = rsd_cursor_at(notes, 0, o->big);

	while (rsd_cursor_left(&c)) {
		uint64_t name_len = rsd_cursor_uint(&c, 4), len = rsd_cursor_uint(&c, 4);
		uint32_t is = (uint32_t)rsd_cursor_uint(&c, 4);
		struct rsd_bytes name = rsd_cursor_bytes(&c, name_len), desc;

		rsd_cursor_skip(&c, -name_len & 3);
		desc = rsd_cursor_bytes(&c, len);
		if (c.err)
			break;
		if (is == type && name.len == 4 && memcmp(name.data, "GNU", 4) == 0)
			return desc;
		rsd_cursor_skip(&c, -len & 3);
	}
	return (struct rsd_bytes){ NULL, 0 };
}

static int add_section(
	struct rsd_object *o, const GElf_Shdr *sh, const char *name, size_t *names_used)
{
	bool z = strncmp(name, ".zdebug_", 8) == 0;
	struct rsd_section *s =
		rsd_object_add_section(o, z ? plain_name(o, name, names_used) : name);

	if (!s)
		return RSD_ERR_NOMEM;
	s->addr = sh->sh_addr;
	if (sh->sh_type != SHT_NOBITS)
		s->raw = rsd_bytes_part(o->file, sh->sh_offset, sh->sh_size);
	if (sh->sh_flags & SHF_COMPRESSED)
		s->packed = RSD_PACKED_CHDR;
	else if (z)
		s->packed = RSD_PACKED_ZLIB_GNU;
	if (sh->sh_type == SHT_NOTE && !o->build_id.len)
		o->build_id = gnu_note(o, s->raw, NT_GNU_BUILD_ID);
	if (!(sh->sh_flags & SHF_ALLOC) || !(sh->sh_flags & SHF_EXECINSTR) ||
		sh->sh_addr > UINT64_MAX - sh->sh_size)
		return 0;
	return rsd_object_add_code(o, sh->sh_addr, sh->sh_addr + sh->sh_size);
}

/* Bytes for names of .zdebug_ sections, or 0. */
static size_t zdebug_names(Elf *elf, size_t strings)
{
	Elf_Scn *scn = NULL;
	size_t len = 0;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;

		if (name && strncmp(name, ".zdebug_", 8) == 0)
			len += strlen(name);
	}
	return len;
}

/* A file without section headers (sstrip) still says by its segments what is code, and its id. */
static int add_segments(struct rsd_object *o, Elf *elf)
{
	size_t nr = 0;
	int err = 0;

	if (elf_getphdrnum(elf, &nr) != 0)
		return 0;
	for (size_t i = 0; i < nr && !err; i++) {
		GElf_Phdr ph;

		if (i > INT32_MAX || !gelf_getphdr(elf, (int)i, &ph))
			break;
		if (ph.p_type == PT_NOTE && !o->build_id.len)
			o->build_id = gnu_note(o, rsd_bytes_part(o->file, ph.p_offset, ph.p_filesz),
				NT_GNU_BUILD_ID);
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X && !o->nr_sections &&
			ph.p_vaddr <= UINT64_MAX - ph.p_memsz)
			err = rsd_object_add_code(o, ph.p_vaddr, ph.p_vaddr + ph.p_memsz);
	}
	return err;
}

int rsd_elf_fill(struct rsd_object *o, struct rsd_buf *why)
{
	size_t strings = 0, used = 0, names_len;
	Elf_Scn *scn = NULL;
	Elf *elf;
	int err = 0;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return rsd_object_fail(o, why, RSD_ERR_FORMAT, "libelf: %s", elf_errmsg(-1));
	/* libelf writes into the image only where it is told to update. */
	elf = elf_memory((char *)(uintptr_t)o->file.data, o->file.len);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return rsd_object_fail(
			o, why, RSD_ERR_FORMAT, "not an ELF file: %s", elf_errmsg(-1));
	}
	o->elf = elf;
	o->big = o->file.data[EI_DATA] == ELFDATA2MSB;
	o->addr_size = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
	if (elf_getshdrstrndx(elf, &strings) != 0)
		return add_segments(o, elf);
	names_len = zdebug_names(elf, strings);
	o->names = rsd_malloc(names_len);
	if (!o->names)
		return RSD_ERR_NOMEM;
	while (!err && (scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;

		if (name)
			err = add_section(o, &sh, name, &used);
	}
	return err ? err : add_segments(o, elf);
}

static unsigned char rank_binding(unsigned char bind)
{
	return bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : bind == STB_LOCAL ? 2 : 0;
}

/* Local symbols stand behind the one of their file. Not all such name a file: "" and "<artificial>" do not. */
static const char *file_name(const char *name)
{
	return name && *name && *name != '<' ? name : NULL;
}

static int add_symbols(
	Elf *elf, Elf_Scn *scn, struct rsd_sym_entry **symbol, size_t *nr, size_t *alloc)
{
	GElf_Shdr sh;
	Elf_Data *data =
		gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	const char *file = NULL;

	for (size_t i = 1; data && size && i < data->d_size / size && i < INT32_MAX; i++) {
		GElf_Sym sym;
		unsigned int type;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		type = GELF_ST_TYPE(sym.st_info);
		if (type == STT_FILE)
			file = file_name(elf_strptr(elf, sh.sh_link, sym.st_name));
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF ||
			!sym.st_size || sym.st_value > UINT64_MAX - sym.st_size)
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		if (rsd_grow((void **)symbol, *nr + 1, alloc, sizeof(**symbol)))
			return RSD_ERR_NOMEM;
		(*symbol)[(*nr)++] = (struct rsd_sym_entry){ sym.st_value,
			sym.st_value + sym.st_size, name, rank_binding(GELF_ST_BIND(sym.st_info)),
			GELF_ST_BIND(sym.st_info) == STB_LOCAL ? file : NULL };
	}
	return 0;
}

int rsd_elf_symbols(
	const struct rsd_object *o, struct rsd_sym_entry **symbol, size_t *nr, size_t *alloc)
{
	static const unsigned int type[] = { SHT_SYMTAB, SHT_DYNSYM };
	size_t before = *nr;
	int err = 0;

	for (size_t k = 0; k < 2 && !err && *nr == before; k++) {
		Elf_Scn *scn = NULL;
		GElf_Shdr sh;

		while (!err && (scn = elf_nextscn(o->elf, scn)) != NULL) {
			if (gelf_getshdr(scn, &sh) && sh.sh_type == type[k])
				err = add_symbols(o->elf, scn, symbol, nr, alloc);
		}
	}
	return err;
}
