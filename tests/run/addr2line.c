/*
 * addr2line.c - calls whose place is known: each AT(id) is a call, on a line that has "at id" in it
 *
 * mark() prints the call's address within the program.
 */
#include <stdio.h>

extern char __executable_start[];

#define AI static inline __attribute__((always_inline))
#define NI __attribute__((noinline))
#define AT(id)                                                                                     \
	do {                                                                                       \
		mark(id);                                                                          \
		__asm__ volatile("" ::: "memory");                                                 \
	} while (0)

NI void mark(int id);
NI void mark(int id)
{
	printf("%d %lx\n", id,
		(unsigned long)((char *)__builtin_return_address(0) - 1 - __executable_start));
}

AI void leaf(int id)
{
	AT(id); /* at leaf */
}

AI void middle(int id)
{
	volatile int deeper = id;

	if (deeper) {
		leaf(id); /* at middle */
	}
}

NI void outer(void)
{
	middle(1); /* at outer */
	leaf(2);   /* at direct */
	AT(3);	   /* at plain */
}

int main(void)
{
	outer();
	AT(4); /* at main */
	return 0;
}
