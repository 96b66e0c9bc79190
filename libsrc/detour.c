#include "detour.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Jumps to the address that stands behind it. */
#if defined(__x86_64__)
static const unsigned char jump[] = { 0xff, 0x25, 0, 0, 0, 0 }; /* jmp *0(%rip) */
#elif defined(__aarch64__)
static const unsigned char jump[] = { 0x50, 0, 0, 0x58, 0, 0x02, 0x1f,
	0xd6 }; /* ldr x16, .+8; br x16 */
#else
static const unsigned char jump[] = { 0 };
#endif

bool rsd_detour(void *from, size_t len, const void *to)
{
	unsigned char code[sizeof(jump) + sizeof(to)];
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)from / page * page,
		  end = ((uintptr_t)from + sizeof(code) + page - 1) / page * page;

	/* What runs here may be on the same page. */
	if (sizeof(jump) == 1 || len < sizeof(code) ||
		mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	memcpy(code, jump, sizeof(jump));
	memcpy(code + sizeof(jump), &to, sizeof(to));
	memcpy(from, code, sizeof(code));
	__builtin___clear_cache((char *)from, (char *)from + sizeof(code));
	mprotect((void *)begin, end - begin, PROT_READ | PROT_EXEC);
	return true;
}
