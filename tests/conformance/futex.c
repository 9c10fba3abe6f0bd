/* Raw futexes, by syscall(). */
#include <linux/futex.h>
#include <sys/syscall.h>
#include "conformance.h"

static uint32_t word_at;

static long
futex(uint32_t *at_word, int op, uint32_t value_3, const struct timespec *limit, uint32_t *second, uint32_t bits)
{
	return syscall(SYS_futex, at_word, op, value_3, limit, second, bits);
}

static const struct {
	const char *name;
	int flag;
} flags[] = {{"shared", 0}, {"private", FUTEX_PRIVATE_FLAG}};

CASE(values)
{
	for (int i = 0; i < 2; i++) {
		int f = flags[i].flag;
		struct timespec none = {0, 0}, bad = {0, 1000000000}, negative = {-1, 0};

		word_at = 5;
		begin("wait.%s.other_value", flags[i].name);
		errno_of(futex(&word_at, FUTEX_WAIT | f, 4, NULL, NULL, 0));
		errno_of(futex(&word_at, FUTEX_WAIT | f, 4, &none, NULL, 0));
		begin("wait.%s.expired", flags[i].name);
		errno_of(futex(&word_at, FUTEX_WAIT | f, 5, &none, NULL, 0));
		begin("wait.%s.bad_limit", flags[i].name);
		errno_of(futex(&word_at, FUTEX_WAIT | f, 5, &bad, NULL, 0));
		errno_of(futex(&word_at, FUTEX_WAIT | f, 4, &bad, NULL, 0));
		errno_of(futex(&word_at, FUTEX_WAIT | f, 5, &negative, NULL, 0));
		begin("wait.%s.misaligned", flags[i].name);
		errno_of(futex((uint32_t *)((char *)&word_at + 1), FUTEX_WAIT | f, 5, &none, NULL, 0));
		begin("wake.%s.nobody", flags[i].name);
		value(futex(&word_at, FUTEX_WAKE | f, 1, NULL, NULL, 0));
		value(futex(&word_at, FUTEX_WAKE | f, INT_MAX, NULL, NULL, 0));
		value(futex(&word_at, FUTEX_WAKE | f, 0, NULL, NULL, 0));
	}
}

CASE(bit_sets)
{
	struct timespec past = {1, 0};

	word_at = 5;
	errno_of(futex(&word_at, FUTEX_WAIT_BITSET, 5, &past, NULL, FUTEX_BITSET_MATCH_ANY));
	errno_of(futex(&word_at, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 5, &past, NULL, 1));
	errno_of(futex(&word_at, FUTEX_WAIT_BITSET, 5, &past, NULL, 0));
	errno_of(futex(&word_at, FUTEX_WAIT_BITSET, 4, &past, NULL, 1));
	value(futex(&word_at, FUTEX_WAKE_BITSET, 1, NULL, NULL, 1));
	errno_of(futex(&word_at, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0));
}

CASE(unknown_operation)
{
	errno_of(futex(&word_at, 99, 0, NULL, NULL, 0));
}

CASE(requeue_nobody)
{
	uint32_t second = 0;

	word_at = 5;
	value(futex(&word_at, FUTEX_REQUEUE, 1, (const struct timespec *)1, &second, 0));
	value(futex(&word_at, FUTEX_CMP_REQUEUE, 1, (const struct timespec *)1, &second, 5));
	errno_of(futex(&word_at, FUTEX_CMP_REQUEUE, 1, (const struct timespec *)1, &second, 4));
}

CASE(wake_op)
{
	uint32_t second = 10;
	static const struct {
		const char *name;
		int op, operand, cmp, with;
	} rows[] = {
		{"set", FUTEX_OP_SET, 3, FUTEX_OP_CMP_EQ, 10},  {"add", FUTEX_OP_ADD, 3, FUTEX_OP_CMP_LT, 11},
		{"or", FUTEX_OP_OR, 5, FUTEX_OP_CMP_NE, 0},     {"andn", FUTEX_OP_ANDN, 2, FUTEX_OP_CMP_GT, 1},
		{"xor", FUTEX_OP_XOR, 15, FUTEX_OP_CMP_GE, 10},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin("wake_op.%s", rows[i].name);
		second = 10;
		value(futex(&word_at, FUTEX_WAKE_OP, 1, (const struct timespec *)1, &second,
			    (uint32_t)FUTEX_OP(rows[i].op, rows[i].operand, rows[i].cmp, rows[i].with)));
		value(second);
	}
}

/* ---- waking ---- */

static uint32_t gate, arrived;

static void *
waits(void *unused)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&gate, __ATOMIC_SEQ_CST))
		futex(&gate, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return unused;
}

CASE(gate_opens)
{
	for (int count = 1; count <= 3; count++) {
		pthread_t t[3];
		long woken;

		begin("gate.%d", count);
		gate = arrived = 0;
		for (int i = 0; i < count; i++)
			returns(pthread_create(&t[i], NULL, waits, NULL));
		__atomic_store_n(&gate, 1, __ATOMIC_SEQ_CST);
		woken = futex(&gate, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
		value(woken >= 0 && woken <= count);
		for (int i = 0; i < count; i++)
			returns(pthread_join(t[i], NULL));
		value(arrived);
	}
}

/* Waiters are moved to another word, and woken there. */
static uint32_t first, second_word;

static void *
waits_at_first(void *unused)
{
	while (!__atomic_load_n(&second_word, __ATOMIC_SEQ_CST))
		futex(&first, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return unused;
}

CASE(requeued)
{
	pthread_t t[2];
	long moved;

	first = second_word = 0;
	for (int i = 0; i < 2; i++)
		returns(pthread_create(&t[i], NULL, waits_at_first, NULL));
	moved = futex(&first, FUTEX_CMP_REQUEUE_PRIVATE, 0, (const struct timespec *)INT_MAX, &second_word, 0);
	value(moved >= 0 && moved <= 2);
	__atomic_store_n(&first, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&second_word, 1, __ATOMIC_SEQ_CST);
	value(futex(&first, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0) +
		      futex(&second_word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0) <=
	      2);
	for (int i = 0; i < 2; i++)
		returns(pthread_join(t[i], NULL));
}

/* A lock by hand. */
static uint32_t lock;
static int counter;

static void
lock_it(void)
{
	uint32_t c = 0;

	if (__atomic_compare_exchange_n(&lock, &c, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE))
		futex(&lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void
unlock_it(void)
{
	if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2)
		futex(&lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *
counts(void *unused)
{
	for (int i = 0; i < 3; i++) {
		lock_it();
		counter++;
		unlock_it();
	}
	return unused;
}

CASE(lock_by_hand)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, counts, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	value(counter);
	value(lock);
}

/* ---- with priority inheritance ---- */

static uint32_t inherits, inherits_too;
static sem_t taken, go_on;
static int in_it;

static uint32_t
own_number(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

CASE(pi_alone)
{
	struct timespec bad = {0, 1000000000};

	for (int i = 0; i < 2; i++) {
		int f = flags[i].flag;

		begin("pi.%s.alone", flags[i].name);
		inherits = 0;
		errno_of(futex(&inherits, FUTEX_UNLOCK_PI | f, 0, NULL, NULL, 0));
		errno_of(futex(&inherits, FUTEX_LOCK_PI | f, 0, NULL, NULL, 0));
		value(inherits == own_number());
		errno_of(futex(&inherits, FUTEX_LOCK_PI | f, 0, NULL, NULL, 0));
		errno_of(futex(&inherits, FUTEX_TRYLOCK_PI | f, 0, NULL, NULL, 0));
		errno_of(futex(&inherits, FUTEX_UNLOCK_PI | f, 0, NULL, NULL, 0));
		value(inherits);
		errno_of(futex(&inherits, FUTEX_TRYLOCK_PI | f, 0, NULL, NULL, 0));
		errno_of(futex(&inherits, FUTEX_UNLOCK_PI | f, 0, NULL, NULL, 0));
		begin("pi.%s.wrong", flags[i].name);
		errno_of(futex((uint32_t *)((char *)&inherits + 1), FUTEX_LOCK_PI | f, 0, NULL, NULL, 0));
		errno_of(futex((uint32_t *)((char *)&inherits + 1), FUTEX_UNLOCK_PI | f, 0, NULL, NULL, 0));
		errno_of(futex(&inherits, FUTEX_LOCK_PI | f, 0, &bad, NULL, 0));
		value(inherits);
	}
}

static void *
holds(void *unused)
{
	futex(&inherits, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	sem_post(&taken);
	sem_wait(&go_on);
	futex(&inherits, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	return unused;
}

CASE(pi_held_by_another)
{
	struct timespec past = {1, 0};
	pthread_t t;

	inherits = 0;
	sem_init(&taken, 0, 0);
	sem_init(&go_on, 0, 0);
	pthread_create(&t, NULL, holds, NULL);
	sem_wait(&taken);
	errno_of(futex(&inherits, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0));
	value((inherits & FUTEX_WAITERS) != 0);
	errno_of(futex(&inherits, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0));
	errno_of(futex(&inherits, FUTEX_LOCK_PI_PRIVATE, 0, &past, NULL, 0));
	sem_post(&go_on);
	errno_of(futex(&inherits, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0));
	value((inherits & FUTEX_TID_MASK) == own_number());
	errno_of(futex(&inherits, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0));
	pthread_join(t, NULL);
	value(inherits);
}

static void *
counts_in_it(void *unused)
{
	for (int i = 0; i < 2; i++) {
		futex(&inherits, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
		in_it++;
		futex(&inherits, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	}
	return unused;
}

CASE(pi_excludes)
{
	pthread_t t[3];

	inherits = 0;
	in_it = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, counts_in_it, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	value(in_it);
	value(inherits);
}

/* Each thread has one lock and wants the other: the kernel refuses the second request. */
static int refused;

static void
wants(uint32_t *other)
{
	if (futex(other, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0)
		futex(other, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	else if (errno == EDEADLK)
		__atomic_fetch_add(&refused, 1, __ATOMIC_SEQ_CST);
}

static void *
wants_the_other(void *unused)
{
	futex(&inherits_too, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	sem_post(&taken);
	wants(&inherits);
	futex(&inherits_too, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	return unused;
}

CASE(pi_cycle)
{
	pthread_t t;

	inherits = inherits_too = 0;
	refused = 0;
	sem_init(&taken, 0, 0);
	futex(&inherits, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	pthread_create(&t, NULL, wants_the_other, NULL);
	sem_wait(&taken);
	wants(&inherits_too);
	errno_of(futex(&inherits, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0));
	pthread_join(t, NULL);
	value(refused);
	value(inherits_too);
	value(inherits);
}
