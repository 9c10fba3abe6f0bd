/*
 * Memory in bulk (src/engine/under/bulk.c), with and without AVX2: a single bit anywhere is seen, and nothing else is touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "engine/under/bulk.c"

#define SIZE (11 * SL_CHUNK) /* blocks, and a part of one */
#define MARGIN 64

static struct {
	unsigned char before[MARGIN], bytes[SIZE], after[MARGIN];
} memory, copy;

static void
fill(unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i * 2654435761u >> 13);
}

static void
one_bit(void **state)
{
	avx2 = *(int *)*state;
	for (size_t bit = 0; bit < SIZE * 8; bit += 37) {
		unsigned char mask = (unsigned char)(1u << bit % 8);

		fill((unsigned char *)&copy, sizeof(copy));
		memcpy(&memory, &copy, sizeof(memory));
		memory.bytes[bit / 8] ^= mask;
		sl_bulk_restore(memory.bytes, copy.bytes, SIZE);
		assert_memory_equal(&memory, &copy, sizeof(memory));

		memset(memory.bytes, 0, SIZE);
		memory.bytes[bit / 8] = mask;
		assert_false(sl_bulk_is_zero(memory.bytes, SIZE));
		sl_bulk_clear(memory.bytes, SIZE);
		assert_true(sl_bulk_is_zero(memory.bytes, SIZE));
		assert_memory_equal(memory.before, copy.before, MARGIN);
		assert_memory_equal(memory.after, copy.after, MARGIN);
	}
}

/* Memory that has its value already is only read. */
static void
nothing(void **state)
{
	char *same = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	avx2 = *(int *)*state;
	assert_true(same != MAP_FAILED);
	assert_int_equal(mprotect(same, SIZE, PROT_READ), 0);
	sl_bulk_clear(same, SIZE);
	memset(copy.bytes, 0, SIZE);
	sl_bulk_restore(same, copy.bytes, SIZE);
	munmap(same, SIZE);
}

static void
maximum(void **state)
{
	static const uint32_t values[] = {0, 1, 2, 1u << 31, (1u << 31) - 1, UINT32_MAX, 77};
	uint32_t a[41], b[41], to[41];

	avx2 = *(int *)*state;
	for (size_t count = 0; count <= 40; count++) {
		for (size_t i = 0; i < 41; i++) {
			a[i] = values[i * 5 % 7];
			b[i] = values[(i * 3 + count) % 7];
			to[i] = 99;
		}
		sl_bulk_maximum(to, a, b, count);
		for (size_t i = 0; i < 41; i++)
			assert_int_equal(to[i], i >= count ? 99 : a[i] > b[i] ? a[i] : b[i]);
	}
}

int
main(void)
{
	static int without, as_is;

	as_is = has_avx2();
	const struct CMUnitTest tests[] = {
		{"one bit, without AVX2", one_bit, NULL, NULL, &without},
		{"one bit", one_bit, NULL, NULL, &as_is},
		{"nothing, without AVX2", nothing, NULL, NULL, &without},
		{"nothing", nothing, NULL, NULL, &as_is},
		{"maximum, without AVX2", maximum, NULL, NULL, &without},
		{"maximum", maximum, NULL, NULL, &as_is},
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
