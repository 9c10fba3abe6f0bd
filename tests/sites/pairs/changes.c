/*
 * Functions that change from one version (NEW is 0) to the other (1), and functions that do not. changes.verdicts says which,
 * by hand.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include "changes.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total;

#if NEW
/* One more: those behind it get other numbers, from the compiler. */
static int
added(void)
{
	static int calls;
	static const char *const names[] = {"one", "two"};

	return printf("%s", names[calls++ % 2]);
}
#endif

int first(int);
int second(int);

/* ---- no change ---- */

int
formatted(int value)
{
#if NEW
	/* A comment, lines, and blanks. */
	if ( value   > 3 )

		return value
			+ 1;
	return 0;
#else
	if (value > 3)
		return value + 1;
	return 0;
#endif
}

#if NEW
int
renamed_locals(int count)
{
	int index, all = 0;

	for (index = 0; index < count; index++)
		all += index * total;
	return all;
}
#else
int
renamed_locals(int n)
{
	int sum = 0, i;

	for (i = 0; i < n; i++)
		sum += i * total;
	return sum;
}
#endif

#if !NEW
int
moved(int value)
{
	static int calls;

	assert(value > 0);
	pthread_mutex_lock(&lock);
	calls++;
	total += value;
	pthread_mutex_unlock(&lock);
	return printf("moved %d\n", calls);
}
#endif

int
of_grown(struct grown *g)
{
	return g->first + g->second;
}

int
calls_steady(int value)
{
	return steady(value);
}

int
uses_string(void)
{
	return printf("%s: %d\n", "a text", total);
}

#if NEW
int
moved(int value)
{
	static int calls;

	assert(value > 0);
	pthread_mutex_lock(&lock);
	calls++;
	total += value;
	pthread_mutex_unlock(&lock);
	return printf("moved %d\n", calls);
}
#endif

static void
not_inlined_callee(void)
{
#if NEW
	total = 4;
#else
	total = 3;
#endif
}

void
calls_changed(void)
{
	not_inlined_callee();
}

/* ---- changed ---- */

int
of_macro(int value)
{
	return value > LIMIT;
}

int
of_macro_code(int value)
{
	return STEP(value);
}

int
of_option(int value)
{
	return value + NEW;
}

int
of_inlined(int value)
{
	return scaled(value) + 1;
}

static inline int
through(int value)
{
	return scaled(value);
}

OUT int
of_attribute(int value)
{
	return value + 1;
}

int
of_packed(struct record *r)
{
	return r->value;
}

int
of_swapped(struct swapped *s)
{
	return s->a;
}

int
of_sign(number value)
{
	return value / 2 > 3;
}

size
of_width(size *value)
{
	return *value + 1;
}

int
of_enumerator(enum colour c)
{
	return c == GREEN;
}

int
of_operator(int a, int b)
{
#if NEW
	return a <= b;
#else
	return a < b;
#endif
}

int
of_constant(void)
{
#if NEW
	return total + 11;
#else
	return total + 10;
#endif
}

int
of_callee(int value)
{
#if NEW
	return second(value);
#else
	return first(value);
#endif
}

int
of_string(void)
{
#if NEW
	return printf("another %d", total);
#else
	return printf("one text %d", total);
#endif
}

int
of_order(void)
{
#if NEW
	int b = second(1), a = first(1);
#else
	int a = first(1), b = second(1);
#endif

	return a - b;
}

void
of_lock(int value)
{
#if NEW
	total += value;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_lock(&lock);
	total += value;
	pthread_mutex_unlock(&lock);
#endif
}

void
of_volatile(int *value)
{
#if NEW
	*(volatile int *)value = 1;
#else
	*value = 1;
#endif
}

void
of_order_of_memory(int *value)
{
#if NEW
	__atomic_store_n(value, 1, __ATOMIC_RELAXED);
#else
	__atomic_store_n(value, 1, __ATOMIC_RELEASE);
#endif
}

int
main(void)
{
#if NEW
	added();
#endif
	return through(1);
}
