/* The engine's own memcpy and the like: they are not the functions that the program calls (string.c). */
#define SL_DEFINES_MEMORY_FUNCTIONS
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/under/own.h"
#include "engine/under/poison.h"

typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half_word __attribute__((aligned(1), may_alias));
typedef uint64_t words __attribute__((vector_size(16), aligned(1), may_alias));

/*
 * "rep movsb" is fast on every processor of the last ten years, but slow to start. Short texts are copied from
 * both ends, which overlap in the middle.
 */
void *
sl_memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if (n > 256) {
		__asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(n) : : "memory");
	} else if (n >= 16) {
		words last = *(words *)(f + n - 16);

		for (size_t i = 0; i + 16 < n; i += 16)
			*(words *)(t + i) = *(words *)(f + i);
		*(words *)(t + n - 16) = last;
	} else if (n >= 8) {
		word first = *(word *)f, last = *(word *)(f + n - 8);

		*(word *)t = first;
		*(word *)(t + n - 8) = last;
	} else if (n >= 4) {
		half_word first = *(half_word *)f, last = *(half_word *)(f + n - 4);

		*(half_word *)t = first;
		*(half_word *)(t + n - 4) = last;
	} else {
		for (size_t i = 0; i < n; i++)
			t[i] = f[i];
	}
	return to;
}

void *
sl_memset(void *to, int byte, size_t n)
{
	char *t = to;
	word value = (unsigned char)byte * 0x0101010101010101u;

	if (n > 256) {
		__asm__ volatile("rep stosb" : "+D"(t), "+c"(n) : "a"(byte) : "memory");
	} else if (n >= 16) {
		words both = {value, value};

		for (size_t i = 0; i + 16 < n; i += 16)
			*(words *)(t + i) = both;
		*(words *)(t + n - 16) = both;
	} else if (n >= 8) {
		*(word *)t = value;
		*(word *)(t + n - 8) = value;
	} else {
		for (size_t i = 0; i < n; i++)
			t[i] = (char)byte;
	}
	return to;
}

void *
sl_memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if ((uintptr_t)to - (uintptr_t)from >= n)
		return sl_memcpy(to, from, n);
	while (n-- > 0)
		t[n] = f[n];
	return to;
}

size_t
sl_strlen(const char *s)
{
	const char *p = s;

	while (*p)
		p++;
	return (size_t)(p - s);
}
