/*
 * The heap and stdio from several threads, and the program's own choices.
 * Other threads cannot see an allocation, only the contents of the memory.
 */
#include "outcome.h"
#include <malloc.h>
#include <stdatomic.h>

static atomic_int x ALONE;
static _Atomic(int *) box ALONE;
static int r1 ALONE, r2 ALONE, r3 ALONE;

/* Each thread has its own blocks: there is no choice. */
THREAD(allocates)
{
	int *p = malloc(100 * sizeof(int)), *q = calloc(50, sizeof(int)), bad = 0;

	for (int i = 0; i < 50; i++)
		bad |= q[i];
	for (int i = 0; i < 100; i++)
		p[i] = self * 1000 + i;
	free(q);
	p = realloc(p, 10000 * sizeof(int));
	for (int i = 0; i < 100; i++)
		bad |= p[i] != self * 1000 + i;
	free(p);
	*(self == 1 ? &r1 : self == 2 ? &r2 : &r3) = bad;
}
static void own_blocks(void)
{
	RUN(allocates, allocates, allocates);
	OUTCOME("%d%d%d", r1, r2, r3);
}

/* With switches in between: live blocks never overlap. a f a f with one shared operation each: 2!·… = 6 orders. */
THREAD(allocates_and_meets)
{
	char *p = malloc(32);

	memset(p, self, 32);
	atomic_fetch_add(&x, 1);
	for (int i = 0; i < 32; i++)
		if (p[i] != self)
			r1 = 1;
	free(p);
}
static void blocks_and_switches(void)
{
	RUN(allocates_and_meets, allocates_and_meets, allocates_and_meets);
	OUTCOME("%d %d", atomic_load(&x), r1);
}

/* Allocated here, freed there. */
THREAD(sends)
{
	int *p = malloc(sizeof(int));

	*p = 7;
	atomic_store_explicit(&box, p, memory_order_release);
}
THREAD(receives)
{
	int *p = atomic_load_explicit(&box, memory_order_acquire);

	r1 = p ? *p : -1;
	free(p);
}
static void freed_elsewhere(void) { RUN(sends, receives); OUTCOME("%d", r1); }

/* A block that was freed is used again: the accesses of its last owner do not race with those of the next. */
THREAD(reuses)
{
	for (int i = 0; i < 3; i++) {
		volatile int *p = malloc(64);

		*p = self;
		atomic_fetch_add(&x, *p);
		free((void *)p);
	}
}
static void reused_blocks(void) { RUN(reuses, reuses); OUTCOME("%d", atomic_load(&x)); }

/* Alignment, sizes, and what callers rely on. */
THREAD(aligned)
{
	volatile size_t size = SIZE_MAX / 2;
	void *volatile huge;
	void *p = NULL, *q = aligned_alloc(64, 128), *z = malloc(0), *n = realloc(NULL, 10);

	r1 = posix_memalign(&p, 4096, 10) == 0 && ((uintptr_t)p & 4095) == 0 && ((uintptr_t)q & 63) == 0;
	r2 = malloc_usable_size(n) >= 10 && ((uintptr_t)n & 15) == 0;
	r3 = !(huge = malloc(size)) && !(huge = calloc(size, 4));
	free(p);
	free(q);
	free(z);
	free(n);
	free(NULL);
}
static void alignment(void) { RUN(aligned); OUTCOME("%d%d%d", r1, r2, r3); }

/* Memory from before the exploration may be freed; it is restored afterwards. */
static char *before;
THREAD(frees_before) { before[0] = 'x'; free(before); before = NULL; }
static void freed_from_before(void) { char c = before[0]; RUN(frees_before); OUTCOME("%c %d", c, before == NULL); }

/* The same addresses in every execution: a program that orders by address does the same each time. */
static void *where[3] ALONE;
THREAD(tells_where) { where[self] = malloc(24); atomic_fetch_add(&x, 1); }
static void addresses(void)
{
	RUN(tells_where, tells_where);
	OUTCOME("%d %d", where[1] != where[2], where[1] && where[2]);
}

/* ---- stdio ---- */

static char texts[3][64];
THREAD(prints)
{
	snprintf(texts[self], sizeof(texts[self]), "%d %s %.2f %lx", self, "text", self / 3.0, self * 1000000007l);
	atomic_fetch_add(&x, 1);
	snprintf(texts[self] + strlen(texts[self]), 10, "!%d", self);
}
static void formatted(void) { RUN(prints, prints); OUTCOME("%s/%s", texts[1], texts[2]); }

/* Lines of two threads in a buffer: whole, in both orders. */
static FILE *file;
THREAD(prints_line) { atomic_fetch_add(&x, 1); fprintf(file, "line %d;", self); }
static void into_memory(void)
{
	char *text = NULL;
	size_t size = 0;

	file = open_memstream(&text, &size);
	RUN(prints_line, prints_line);
	fclose(file);
	OUTCOME("%s %d", text, (int)size);
	free(text);
}

/* To a file, closed and read again. */
THREAD(writes_file)
{
	FILE *f = tmpfile();
	char line[32] = "";

	if (!f)
		return;
	fprintf(f, "thread %d\n", self);
	atomic_fetch_add(&x, 1);
	rewind(f);
	if (fgets(line, sizeof(line), f))
		sscanf(line, "thread %d", self == 1 ? &r1 : &r2);
	fclose(f);
}
static void files(void) { RUN(writes_file, writes_file); OUTCOME("%d %d", r1, r2); }

/* ---- choices ---- */

THREAD(nothing) { (void)self; }
static void choose_one(void)
{
	unsigned n = sleave_choose(4);

	RUN(nothing);
	OUTCOME("%u", n);
}
/* 2 times 3, then 1, which is no choice. */
static void choose_two(void)
{
	unsigned a = sleave_choose(2), b = sleave_choose(3), c = sleave_choose(1);

	RUN(nothing);
	OUTCOME("%u%u%u", a, b, c);
}
/* In a thread, with others: choices and interleavings multiply: 2 orders times 2. */
THREAD(chooses) { r1 = (int)sleave_choose(2); atomic_store(&x, 1 + r1); }
THREAD(looks) { r2 = atomic_load(&x); }
static void choose_and_interleave(void) { RUN(chooses, looks); OUTCOME("%d %d", r1, r2); }
static void active(void) { RUN(nothing); OUTCOME("%d", sleave_active()); }

int main(void)
{
	before = malloc(100);
	before[0] = 'b';
	EXPECT_N(own_blocks, 1, "000");
	EXPECT_N(blocks_and_switches, 6, "3 0");
	EXPECT_N(freed_elsewhere, 2, "-1", "7");
	EXPECT_N(reused_blocks, 20, "9");
	EXPECT_N(alignment, 1, "111");
	EXPECT_N(freed_from_before, 1, "b 1");
	check(before && before[0] == 'b', "main", "a block that the body freed is not back");
	free(before);
	EXPECT_N(addresses, 2, "1 1");
	EXPECT(formatted, "1 text 0.33 3b9aca07!1/2 text 0.67 7735940e!2");
	EXPECT(into_memory, "line 1;line 2; 14", "line 2;line 1; 14");
	EXPECT_N(files, 2, "1 2");
	EXPECT_N(choose_one, 4, "0", "1", "2", "3");
	EXPECT_N(choose_two, 6, "000", "010", "020", "100", "110", "120");
	EXPECT_N(choose_and_interleave, 4, "0 0", "0 1", "1 0", "1 2");
	EXPECT_N(active, 1, "1");
	check(!sleave_active() && sleave_choose(5) == 0, "main", "outside there is nothing to choose");
	return done();
}
