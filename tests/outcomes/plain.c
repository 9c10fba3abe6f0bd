/*
 * Plain and volatile accesses, and ranges: each is one operation, and the interleavings of n and m of them are
 * (n+m)!/(n!m!). Accesses of memory that does not race are no points of choice.
 */
#include "outcome.h"

static int x ALONE, y ALONE;
static volatile int vx ALONE, vy ALONE;
static int r1 ALONE, r2 ALONE, r3 ALONE, r4 ALONE;

/* Store buffering under sequential consistency: both zero is impossible. 4!/(2!2!) = 6 interleavings. */
THREAD(sb1) { x = 1; BARRIER(); r1 = y; }
THREAD(sb2) { y = 1; BARRIER(); r2 = x; }
static void store_buffering(void)
{
	RUN(sb1, sb2);
	OUTCOME("r1=%d r2=%d", r1, r2);
}

THREAD(vsb1) { vx = 1; r1 = vy; }
THREAD(vsb2) { vy = 1; r2 = vx; }
static void store_buffering_volatile(void)
{
	RUN(vsb1, vsb2);
	OUTCOME("r1=%d r2=%d", r1, r2);
}

/* Load buffering: both one is impossible. */
THREAD(lb1) { r1 = x; BARRIER(); y = 1; }
THREAD(lb2) { r2 = y; BARRIER(); x = 1; }
static void load_buffering(void)
{
	RUN(lb1, lb2);
	OUTCOME("r1=%d r2=%d", r1, r2);
}

/* Message passing: a set flag without the data is impossible. */
THREAD(mp1) { x = 1; BARRIER(); y = 1; }
THREAD(mp2) { r1 = y; BARRIER(); r2 = x; }
static void message_passing(void)
{
	RUN(mp1, mp2);
	OUTCOME("flag=%d data=%d", r1, r2);
}

/* r w | r w: 6 interleavings, 2 of them keep both. */
THREAD(increment) { int v = x; BARRIER(); x = v + 1; }
static void lost_update(void)
{
	RUN(increment, increment);
	OUTCOME("%d", x);
}

THREAD(increment_at_once) { x++; }
static void lost_update_compound(void)
{
	RUN(increment_at_once, increment_at_once);
	OUTCOME("%d", x);
}

THREAD(vincrement) { vx++; }
static void lost_update_volatile(void)
{
	RUN(vincrement, vincrement);
	OUTCOME("%d", vx);
}

/* 6!/(2!2!2!) = 90; any of 1, 2, 3 can come out. */
static void lost_update_of_three(void)
{
	RUN(increment, increment, increment);
	OUTCOME("%d", x);
}

/* Two increments each, 4 operations each: 8!/(4!4!) = 70. Even 2 of 4 can be left, but not 1: the last write
 * follows a read of a value that at least its own thread's first increment made. (With plain loads: 2, 3, 4.) */
THREAD(twice) { vx++; vx++; }
static void lost_updates_twice(void)
{
	RUN(twice, twice);
	OUTCOME("%d", vx);
}

/* Reads of one location do not go back. 4!/(2!2!) = 6, each with another outcome. */
THREAD(writes_12) { vx = 1; vx = 2; }
THREAD(reads_two) { r1 = vx; r2 = vx; }
static void coherence(void)
{
	RUN(writes_12, reads_two);
	OUTCOME("%d%d", r1, r2);
}

/* Independent reads of independent writes: the readers agree about the order. 6!/(1!1!2!2!) = 180. */
THREAD(iriw1) { vx = 1; }
THREAD(iriw2) { vy = 1; }
THREAD(iriw3) { r1 = vx; r2 = vy; }
THREAD(iriw4) { r3 = vy; r4 = vx; }
static void independent_reads(void)
{
	RUN(iriw1, iriw2, iriw3, iriw4);
	OUTCOME("%d%d%d%d", r1, r2, r3, r4);
}

/* Neighbouring bytes are different objects: no race, nothing lost, nothing to choose. */
static struct { char a, b; short c; } bytes ALONE;
THREAD(byte1) { bytes.a++; }
THREAD(byte2) { bytes.b++; }
THREAD(byte3) { bytes.c++; }
static void neighbouring_bytes(void)
{
	RUN(byte1, byte2, byte3);
	OUTCOME("%d%d%d", bytes.a, bytes.b, bytes.c);
}

/* The halves of a word that is also written as a whole: 3!/(2!1!) = 3. */
static union { volatile uint32_t whole; volatile uint16_t half[2]; } word ALONE;
THREAD(whole1) { word.whole = 0x22221111; }
THREAD(halves) { word.half[0] = 3; word.half[1] = 4; }
static void mixed_sizes(void)
{
	RUN(whole1, halves);
	OUTCOME("%x %x", word.half[0], word.half[1]);
}

/* A struct copy is one operation: it is never seen half done. */
struct big { int at[16]; };
static struct big shared_struct ALONE;
THREAD(struct1)
{
	struct big mine;

	for (int i = 0; i < 16; i++)
		mine.at[i] = 1;
	__asm__ volatile("" ::"r"(&mine) : "memory");
	shared_struct = mine;
}
THREAD(struct2)
{
	struct big mine;

	mine = shared_struct;
	__asm__ volatile("" ::"r"(&mine) : "memory"); /* all of it is used: the compiler must not copy a part */
	r1 = mine.at[0], r2 = mine.at[15];
}
static void struct_copies(void)
{
	RUN(struct1, struct2);
	OUTCOME("%d %d", r1, r2);
}

/* Functions of <string.h>: each range is one operation. */
static char text[32] ALONE;
static size_t (*volatile length_of)(const char *) = strlen;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile move)(void *, const void *, size_t) = memmove;
static void *(*volatile set)(void *, int, size_t) = memset;
static char *(*volatile string_copy)(char *, const char *) = strcpy;
static int (*volatile compare)(const char *, const char *) = strcmp;
static char seen[32] ALONE;

/* But field by field it is seen at every stage. w w | copy: 3 interleavings. */
static volatile struct { int a, b; } fields ALONE;
THREAD(fields1) { fields.a = 1; fields.b = 1; }
THREAD(fields2) { int mine[2]; copy(mine, (void *)&fields, sizeof(mine)); r1 = mine[0]; r2 = mine[1]; }
static void fields_and_copy(void)
{
	RUN(fields1, fields2);
	OUTCOME("%d %d", r1, r2);
}

THREAD(write_strcpy) { string_copy(text, "a long enough text"); }
THREAD(read_strlen) { r1 = (int)length_of(text); }
static void strcpy_strlen(void)
{
	RUN(write_strcpy, read_strlen);
	OUTCOME("%d", r1);
}

THREAD(write_memset) { set(text, 'x', 20); }
THREAD(read_memcpy) { copy(seen, text, 24); }
static void memset_memcpy(void)
{
	RUN(write_memset, read_memcpy);
	OUTCOME("%s", seen);
}

THREAD(write_memmove) { move(text, "abcdefghijklmnop", 17); }
THREAD(read_strcmp) { r1 = compare(text, "abcdefghijklmnop") == 0; }
static void memmove_strcmp(void)
{
	RUN(write_memmove, read_strcmp);
	OUTCOME("%d", r1);
}

/* Two writers of ranges that overlap: the later one wins, whole. */
THREAD(write_first) { copy(text, "1111111111111111", 16); }
THREAD(write_second) { copy(text + 8, "2222222222222222", 16); }
static void overlapping_ranges(void)
{
	RUN(write_first, write_second);
	OUTCOME("%s", text);
}

/* A local variable whose address another thread has is memory like any other. */
static void *add_through(void *p)
{
	volatile int *v = p;

	(*v)++;
	return NULL;
}
static void local_variable(void)
{
	volatile int local = 0;
	pthread_t t;

	pthread_create(&t, NULL, add_through, (void *)&local);
	local++;
	pthread_join(t, NULL);
	OUTCOME("%d", local);
}

/* A copy is a read and a write: what comes between the two is too late for what was read. */
static char from[24] ALONE, to[24] ALONE;
THREAD(copies) { memcpy(to, from, 16); }
THREAD(copies_string) { strcpy(to, from); }
THREAD(meddles) { from[0] = 9; BARRIER(); r1 = to[0]; }
static void copied(void)
{
	memcpy(from, "\7------------------", 20);
	RUN(copies, meddles);
	OUTCOME("%d %d", to[0], r1);
}
static void copied_string(void)
{
	memcpy(from, "\7------------------", 20);
	RUN(copies_string, meddles);
	OUTCOME("%d %d", to[0], r1);
}

/* Two reads: the first is older. */
THREAD(compares) { int v = memcmp(from, to, 16); r1 = (v > 0) - (v < 0); }
THREAD(compares_strings) { int v = strcmp(from, to); r1 = (v > 0) - (v < 0); }
THREAD(raises) { from[0] = 2; BARRIER(); to[0] = 2; }
static void compared(void)
{
	from[0] = to[0] = 1;
	RUN(compares, raises);
	OUTCOME("%d", r1);
}
static void compared_strings(void)
{
	from[0] = to[0] = 1;
	RUN(compares_strings, raises);
	OUTCOME("%d", r1);
}

int main(void)
{
	RACY_N(store_buffering, 6, "r1=0 r2=1", "r1=1 r2=0", "r1=1 r2=1");
	RACY_N(store_buffering_volatile, 6, "r1=0 r2=1", "r1=1 r2=0", "r1=1 r2=1");
	RACY_N(load_buffering, 6, "r1=0 r2=0", "r1=0 r2=1", "r1=1 r2=0");
	RACY_N(message_passing, 6, "flag=0 data=0", "flag=0 data=1", "flag=1 data=1");
	RACY_N(lost_update, 6, "1", "2");
	RACY_N(lost_update_compound, 6, "1", "2");
	RACY_N(lost_update_volatile, 6, "1", "2");
	RACY_N(lost_update_of_three, 90, "1", "2", "3");
	RACY_N(lost_updates_twice, 70, "2", "3", "4");
	RACY_N(coherence, 6, "00", "01", "02", "11", "12", "22");
	RACY_N(independent_reads, 180, "0000", "0001", "0010", "0011", "0100", "0101", "0110", "0111", "1000", "1001",
	       "1011", "1100", "1101", "1110", "1111");
	EXPECT_N(neighbouring_bytes, 1, "111");
	RACY_N(mixed_sizes, 3, "3 4", "1111 4", "1111 2222");
	RACY_N(struct_copies, 2, "0 0", "1 1");
	RACY_N(fields_and_copy, 3, "0 0", "1 0", "1 1");
	RACY_N(strcpy_strlen, 2, "0", "18");
	RACY_N(memset_memcpy, 2, "", "xxxxxxxxxxxxxxxxxxxx");
	RACY_N(memmove_strcmp, 2, "0", "1");
	RACY_N(overlapping_ranges, 2, "111111112222222222222222", "111111111111111122222222");
	RACY_N(copied, 6, "7 7", "7 0", "9 9", "9 0");
	RACY_N(copied_string, 6, "7 7", "7 0", "9 9", "9 0");
	RACY_N(compared, 6, "-1", "0", "1");
	RACY_N(compared_strings, 6, "-1", "0", "1");
	RACY_N(local_variable, 6, "1", "2");
	return done();
}
