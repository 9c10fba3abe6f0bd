/*
 * Atomic operations in assembly: as many interleavings, and the same outcomes,
 * as those of C11 (atomics.c). Nothing here races unless its comment says so.
 */
#include "outcome.h"

static int r1 ALONE, r2 ALONE;
static unsigned int word ALONE, other ALONE;
static unsigned long pair[2] __attribute__((aligned(64)));
static int data ALONE;

static inline unsigned int
load(const unsigned int *p)
{
	unsigned int v;

	__asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
	return v;
}

static inline void
store(unsigned int *p, unsigned int v)
{
	__asm__ volatile("movl %1, %0" : "=m"(*p) : "ir"(v) : "memory");
}

static inline unsigned int
add(unsigned int *p, unsigned int v)
{
	__asm__ volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
	return v;
}

static inline unsigned int
exchange(unsigned int *p, unsigned int v)
{
	__asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
}

static inline unsigned int
swap(unsigned int *p, unsigned int old, unsigned int v)
{
	__asm__ volatile("lock cmpxchgl %2, %1" : "+a"(old), "+m"(*p) : "r"(v) : "memory", "cc");
	return old;
}

THREAD(add_1) { r1 = (int)add(&word, 10); }
THREAD(add_2) { r2 = (int)add(&word, 6); }
static void adds(void)
{
	word = 12;
	RUN(add_1, add_2);
	OUTCOME("%d %d %u", r1, r2, word);
}

THREAD(exchange_1) { r1 = (int)exchange(&word, 10); }
THREAD(exchange_2) { r2 = (int)exchange(&word, 6); }
static void exchanges(void)
{
	word = 12;
	RUN(exchange_1, exchange_2);
	OUTCOME("%d %d %u", r1, r2, word);
}

THREAD(swap_1) { r1 = (int)swap(&word, 12, 10); }
THREAD(swap_2) { r2 = (int)swap(&word, 10, 6); }
static void swaps(void)
{
	word = 12;
	RUN(swap_1, swap_2);
	OUTCOME("%d %d %u", r1, r2, word);
}

THREAD(lose_1) { store(&word, load(&word) + 1); }
static void lost_update(void)
{
	word = 0;
	RUN(lose_1, lose_1);
	OUTCOME("%u", word);
}

THREAD(buffer_1)
{
	store(&word, 1);
	__asm__ volatile("mfence" : : : "memory");
	r1 = (int)load(&other);
}
THREAD(buffer_2)
{
	store(&other, 1);
	__asm__ volatile("lock; addl $0, (%%rsp)" : : : "memory", "cc");
	r2 = (int)load(&word);
}
static void store_buffer(void)
{
	word = other = 0;
	RUN(buffer_1, buffer_2);
	OUTCOME("%d%d", r1, r2);
}

THREAD(publish)
{
	data = 7;
	store(&word, 1);
}
THREAD(receive) { r1 = load(&word) ? data : -1; }
static void publication(void)
{
	word = 0;
	RUN(publish, receive);
	OUTCOME("%d", r1);
}

THREAD(publish_plainly)
{
	data = 7;
	__asm__ volatile("movl $1, %0" : "=m"(word));
}
static void publication_without_clobber(void)
{
	word = 0;
	RUN(publish_plainly, receive);
	OUTCOME("%d", r1);
}

/* A loop that spins: it yields until the lock is free. */
THREAD(under_lock)
{
	while (exchange(&word, 1))
		__asm__ volatile("pause" : : : "memory");
	data++;
	store(&word, 0);
}
static void spin_lock(void)
{
	word = 0;
	data = 0;
	RUN(under_lock, under_lock);
	OUTCOME("%d", data);
}

/* other: the next ticket */
THREAD(under_ticket)
{
	unsigned int mine = add(&other, 1);

	while (load(&word) != mine)
		__asm__ volatile("rep; nop" : : : "memory");
	data++;
	store(&word, mine + 1);
}
static void ticket_lock(void)
{
	word = other = 0;
	data = 0;
	RUN(under_ticket, under_ticket);
	OUTCOME("%d", data);
}

THREAD(swap_until)
{
	unsigned int seen;

	do
		seen = load(&word);
	while (swap(&word, seen, seen + 1) != seen);
}
static void swap_loop(void)
{
	word = 0;
	RUN(swap_until, swap_until);
	OUTCOME("%u", word);
}

/* 16 bytes; the address is in a register. */
THREAD(wide_set)
{
	unsigned long low = 0, high = 0;

	__asm__ volatile("lock; cmpxchg16b (%2)"
			 : "+a"(low), "+d"(high)
			 : "r"(pair), "b"(1ul), "c"(1ul)
			 : "memory", "cc");
}
THREAD(wide_get)
{
	unsigned long low = 0, high = 0;

	__asm__ volatile("lock; cmpxchg16b %2" : "+a"(low), "+d"(high) : "m"(pair[0]), "b"(0ul), "c"(0ul) : "memory", "cc");
	r1 = (int)low;
	r2 = (int)high;
}
static void wide(void)
{
	pair[0] = pair[1] = 0;
	RUN(wide_set, wide_get);
	OUTCOME("%d %d", r1, r2);
}

/* Two places in one statement: no other thread comes in between. */
THREAD(both_at_once)
{
	unsigned int v = 5;

	__asm__ volatile("xchgl %0, %1; movl %0, %2" : "+r"(v), "+m"(word), "=m"(other) : : "memory");
}
THREAD(look_at_both)
{
	r1 = (int)load(&word);
	r2 = (int)load(&other);
}
static void two_places(void)
{
	word = 1;
	other = 0;
	RUN(both_at_once, look_at_both);
	OUTCOME("%d %d", r1, r2);
}

int
main(void)
{
	EXPECT_N(adds, 2, "12 22 28", "18 12 28");
	EXPECT_N(exchanges, 2, "12 10 6", "6 12 10");
	EXPECT_N(swaps, 2, "12 10 6", "12 12 10");
	EXPECT_N(lost_update, 6, "1", "2");
	EXPECT_N(store_buffer, 6, "01", "10", "11");
	EXPECT_N(publication, 2, "-1", "7");
	EXPECT_WITH(publication_without_clobber, 0, "race", OPTIONS(.keep_going = 1), "-1", "7");
	EXPECT(spin_lock, "2");
	EXPECT(ticket_lock, "2");
	EXPECT(swap_loop, "2");
	EXPECT_N(wide, 2, "0 0", "1 1");
	EXPECT_N(two_places, 3, "1 0", "1 1", "5 1");
	return done();
}
