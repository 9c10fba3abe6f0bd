#include "engine/under/bulk.h"
#include "engine/under/own.h"
#include "engine/under/poison.h"

typedef uint64_t words __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint32_t entries __attribute__((vector_size(32), aligned(4), may_alias));

#define BLOCK (4 * SL_CHUNK) /* in most blocks nothing differs, so one comparison is enough */

_Static_assert(SL_CHUNK % (4 * sizeof(words)) == 0, "no rest");

static const char zeroes[SL_CHUNK];

/* 1: the processor has it, 0: it has not, -1: not known yet */
static int avx2 = -1;

static bool
has_avx2(void)
{
	if (unlikely(avx2 < 0)) {
		__builtin_cpu_init();
		avx2 = !!__builtin_cpu_supports("avx2");
	}
	return avx2;
}

/*
 * Both variants of each function, as the attributes say: without AVX2 the compiler makes two instructions of each.
 */
#define FUNCTIONS(suffix, attributes)                                                                             \
	attributes static inline bool differs_##suffix(const char *at, const char *from, size_t size)             \
	{                                                                                                         \
		const words *a = (const words *)at, *b = (const words *)from;                                     \
		words x = {0}, y = {0};                                                                           \
                                                                                                                  \
		for (size_t i = 0; i < size / sizeof(words); i += 4) {                                            \
			x |= (a[i] ^ b[i]) | (a[i + 1] ^ b[i + 1]);                                               \
			y |= (a[i + 2] ^ b[i + 2]) | (a[i + 3] ^ b[i + 3]);                                       \
		}                                                                                                 \
		x |= y;                                                                                           \
		return x[0] | x[1] | x[2] | x[3];                                                                 \
	}                                                                                                         \
	attributes static inline bool zero_##suffix(const char *at, size_t size)                                  \
	{                                                                                                         \
		const words *a = (const words *)at;                                                               \
		words x = {0}, y = {0};                                                                           \
                                                                                                                  \
		for (size_t i = 0; i < size / sizeof(words); i += 4) {                                            \
			x |= a[i] | a[i + 1];                                                                     \
			y |= a[i + 2] | a[i + 3];                                                                 \
		}                                                                                                 \
		x |= y;                                                                                           \
		return !(x[0] | x[1] | x[2] | x[3]);                                                              \
	}                                                                                                         \
	attributes static inline void put_##suffix(char *to, const char *from)                                    \
	{                                                                                                         \
		for (size_t i = 0; i < SL_CHUNK / sizeof(words); i++)                                             \
			((words *)to)[i] = ((const words *)from)[i];                                              \
	}                                                                                                         \
	attributes static void restore_##suffix(char *to, const char *from, size_t size)                          \
	{                                                                                                         \
		for (size_t n, i = 0; i < size; i += n) {                                                         \
			n = size - i < BLOCK ? size - i : BLOCK;                                                  \
			if (likely(!differs_##suffix(to + i, from + i, n)))                                       \
				continue;                                                                         \
			for (size_t j = i; j < i + n; j += SL_CHUNK)                                              \
				if (differs_##suffix(to + j, from + j, SL_CHUNK))                                 \
					put_##suffix(to + j, from + j);                                           \
		}                                                                                                 \
	}                                                                                                         \
	attributes static void clear_##suffix(char *at, size_t size)                                              \
	{                                                                                                         \
		for (size_t n, i = 0; i < size; i += n) {                                                         \
			n = size - i < BLOCK ? size - i : BLOCK;                                                  \
			if (likely(zero_##suffix(at + i, n)))                                                     \
				continue;                                                                         \
			for (size_t j = i; j < i + n; j += SL_CHUNK)                                              \
				if (!zero_##suffix(at + j, SL_CHUNK))                                             \
					put_##suffix(at + j, zeroes);                                             \
		}                                                                                                 \
	}                                                                                                         \
	attributes static bool is_different_##suffix(const char *at, const char *from, size_t size)               \
	{                                                                                                         \
		return differs_##suffix(at, from, size);                                                          \
	}                                                                                                         \
	attributes static bool is_zero_##suffix(const char *at, size_t size)                                      \
	{                                                                                                         \
		return zero_##suffix(at, size);                                                                   \
	}                                                                                                         \
	attributes static void maximum_##suffix(uint32_t *restrict to, const uint32_t *a, const uint32_t *b,      \
						size_t count)                                                     \
	{                                                                                                         \
		size_t i = 0;                                                                                     \
                                                                                                                  \
		for (; i + 8 <= count; i += 8) {                                                                  \
			entries x = *(const entries *)(a + i), y = *(const entries *)(b + i);                     \
			entries first = x > y;                                                                    \
                                                                                                                  \
			*(entries *)(to + i) = (x & first) | (y & ~first);                                        \
		}                                                                                                 \
		for (; i < count; i++)                                                                            \
			to[i] = a[i] > b[i] ? a[i] : b[i];                                                        \
	}

/* clang-format off */
FUNCTIONS(plain, )
FUNCTIONS(avx2, __attribute__((target("avx2"))))
/* clang-format on */

void
sl_bulk_restore(void *to, const void *from, size_t size)
{
	if (has_avx2())
		restore_avx2(to, from, size);
	else
		restore_plain(to, from, size);
}

void
sl_bulk_clear(void *at, size_t size)
{
	if (has_avx2())
		clear_avx2(at, size);
	else
		clear_plain(at, size);
}

bool
sl_bulk_differs(const void *a, const void *b, size_t size)
{
	return has_avx2() ? is_different_avx2(a, b, size) : is_different_plain(a, b, size);
}

bool
sl_bulk_is_zero(const void *at, size_t size)
{
	return has_avx2() ? is_zero_avx2(at, size) : is_zero_plain(at, size);
}

void
sl_bulk_maximum(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count)
{
	if (has_avx2())
		maximum_avx2(to, a, b, count);
	else
		maximum_plain(to, a, b, count);
}

/*
 * The next user of a stack must not see what the last one has left: equal schedules need equal garbage. Callbacks
 * tell how deep the stack was used; library code may have gone deeper, as far as pages are not zero.
 */
void
sl_bulk_clear_stack(uintptr_t low, uintptr_t top, uintptr_t lowest)
{
	uintptr_t from = (lowest - SL_PAGE) & ~(SL_PAGE - 1);
	uintptr_t end = (top + SL_PAGE - 1) & ~(SL_PAGE - 1);

	if (lowest < low || lowest > top)
		from = end - SL_PAGE;
	if (from < low)
		from = low;
	sl_bulk_clear((void *)from, end - from);
	while (from > low && !sl_bulk_is_zero((void *)(from - SL_PAGE), SL_PAGE)) {
		from -= SL_PAGE;
		sl_bulk_clear((void *)from, SL_PAGE);
	}
}
