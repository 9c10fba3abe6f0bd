/* Thread-specific data: keys, and what their destructors see, and when. */
#include "conformance.h"

static int calls[8];
static char trace[64];
static pthread_key_t keys[4];
static int one = 1, two = 2;

static void
note(char c)
{
	size_t n = strlen(trace);

	if (n + 1 < sizeof(trace))
		trace[n] = c;
}

static void
clear(void)
{
	memset(calls, 0, sizeof(calls));
	memset(trace, 0, sizeof(trace));
}

static int
index_of(const void *p)
{
	return p == NULL ? 0 : p == &one ? 1 : p == &two ? 2 : 9;
}

/* What a thread leaves behind that has these values. */
static void
run(void *(*start)(void *), void *argument)
{
	pthread_t t;

	returns(pthread_create(&t, NULL, start, argument));
	returns(pthread_join(t, NULL));
}

CASE(set_and_get)
{
	pthread_key_t k;

	returns(pthread_key_create(&k, NULL));
	value(index_of(pthread_getspecific(k)));
	returns(pthread_setspecific(k, &one));
	value(index_of(pthread_getspecific(k)));
	returns(pthread_setspecific(k, &two));
	value(index_of(pthread_getspecific(k)));
	returns(pthread_setspecific(k, NULL));
	value(index_of(pthread_getspecific(k)));
	returns(pthread_key_delete(k));
}

CASE(deleted)
{
	pthread_key_t k;

	returns(pthread_key_create(&k, NULL));
	returns(pthread_setspecific(k, &one));
	returns(pthread_key_delete(k));
	returns(pthread_key_delete(k));
	returns(pthread_setspecific(k, &two));
}

CASE(out_of_range)
{
	returns(pthread_key_delete(PTHREAD_KEYS_MAX));
	returns(pthread_key_delete((pthread_key_t)-1));
	returns(pthread_setspecific(PTHREAD_KEYS_MAX, &one));
	returns(pthread_setspecific((pthread_key_t)-1, &one));
	value(pthread_getspecific(PTHREAD_KEYS_MAX) == NULL);
}

/* A key that is created again has no value, in any thread. */
CASE(made_again)
{
	pthread_key_t k, again;

	returns(pthread_key_create(&k, NULL));
	returns(pthread_setspecific(k, &one));
	returns(pthread_key_delete(k));
	returns(pthread_key_create(&again, NULL));
	value(k == again);
	value(index_of(pthread_getspecific(again)));
	returns(pthread_key_delete(again));
}

CASE(up_to_the_maximum)
{
	static pthread_key_t all[PTHREAD_KEYS_MAX + 1];
	int made = 0, result, failed = 0;

	while (made <= PTHREAD_KEYS_MAX && !(result = pthread_key_create(&all[made], NULL)))
		made++;
	returns(result);
	value(made > 900 && made <= PTHREAD_KEYS_MAX);
	/* beyond the first block of 32, which libc keeps in the thread itself */
	returns(pthread_setspecific(all[made - 1], &one));
	returns(pthread_setspecific(all[40], &two));
	value(index_of(pthread_getspecific(all[made - 1])));
	value(index_of(pthread_getspecific(all[40])));
	value(index_of(pthread_getspecific(all[41])));
	for (int i = 0; i < made; i++)
		failed |= pthread_key_delete(all[i]);
	returns(failed);
	returns(pthread_key_create(&all[0], NULL));
	returns(pthread_key_delete(all[0]));
}

static pthread_key_t shared_key;

static int
get_shared(void *unused)
{
	(void)unused;
	int before = index_of(pthread_getspecific(shared_key));
	pthread_setspecific(shared_key, &two);
	return before * 10 + index_of(pthread_getspecific(shared_key));
}

CASE(each_thread_its_own)
{
	returns(pthread_key_create(&shared_key, NULL));
	returns(pthread_setspecific(shared_key, &one));
	value(other(get_shared, NULL));
	value(other(get_shared, NULL));
	value(index_of(pthread_getspecific(shared_key)));
	returns(pthread_key_delete(shared_key));
}

/* ---- destructors ---- */

static void
dtor_counts(void *v)
{
	calls[index_of(v)]++;
}

static void *
set_first(void *v)
{
	pthread_setspecific(keys[0], v);
	return NULL;
}

static void *
set_first_and_exit(void *v)
{
	pthread_setspecific(keys[0], v);
	pthread_exit(NULL);
}

CASE(destructor_at_return)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_counts));
	run(set_first, &one);
	value(calls[0]);
	value(calls[1]);
	returns(pthread_key_delete(keys[0]));
}

CASE(destructor_at_exit)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_counts));
	run(set_first_and_exit, &two);
	value(calls[2]);
	returns(pthread_key_delete(keys[0]));
}

CASE(no_destructor_for_null)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_counts));
	run(set_first, NULL);
	value(calls[0] + calls[1] + calls[2]);
	returns(pthread_key_delete(keys[0]));
}

static void *
set_and_delete(void *v)
{
	pthread_setspecific(keys[0], v);
	pthread_key_delete(keys[0]);
	return NULL;
}

CASE(no_destructor_of_deleted)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_counts));
	run(set_and_delete, &one);
	value(calls[1]);
	returns(pthread_key_delete(keys[0]));
}

static void
dtor_looks(void *v)
{
	(void)v;
	calls[0] += pthread_getspecific(keys[0]) == NULL;
	calls[1]++;
}

CASE(destructor_sees_null)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_looks));
	run(set_first, &one);
	value(calls[0]);
	value(calls[1]);
	returns(pthread_key_delete(keys[0]));
}

static void
dtor_again(void *v)
{
	calls[1]++;
	pthread_setspecific(keys[0], v);
}

CASE(iterations)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_again));
	run(set_first, &one);
	value(calls[1] == PTHREAD_DESTRUCTOR_ITERATIONS);
	value(calls[1]);
	returns(pthread_key_delete(keys[0]));
}

static void
dtor_twice(void *v)
{
	calls[1]++;
	if (v == &one)
		pthread_setspecific(keys[0], &two);
}

CASE(one_more_round)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_twice));
	run(set_first, &one);
	value(calls[1]);
	returns(pthread_key_delete(keys[0]));
}

static void dtor_a(void *v) { (void)v; note('a'); }
static void dtor_b(void *v) { (void)v; note('b'); }
static void dtor_c(void *v) { (void)v; note('c'); }

static void *
set_three(void *v)
{
	pthread_setspecific(keys[2], v);
	pthread_setspecific(keys[0], v);
	pthread_setspecific(keys[1], v);
	return NULL;
}

CASE(order_is_that_of_keys)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_a));
	returns(pthread_key_create(&keys[1], dtor_b));
	returns(pthread_key_create(&keys[2], dtor_c));
	run(set_three, &one);
	word(trace);
	for (int i = 0; i < 3; i++)
		returns(pthread_key_delete(keys[i]));
}

/* Setting a key in a destructor: one that comes later in this round, one that came before in the next. */
static void
dtor_sets_lower(void *v)
{
	note('l');
	pthread_setspecific(keys[0], v);
}

static void
dtor_sets_higher(void *v)
{
	note('h');
	pthread_setspecific(keys[2], v);
}

static void *
set_second(void *v)
{
	pthread_setspecific(keys[1], v);
	return NULL;
}

static void
chain(void (*middle)(void *))
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_a));
	returns(pthread_key_create(&keys[1], middle));
	returns(pthread_key_create(&keys[2], dtor_c));
	run(set_second, &one);
	word(trace);
	for (int i = 0; i < 3; i++)
		returns(pthread_key_delete(keys[i]));
}

CASE(destructor_sets_lower) { chain(dtor_sets_lower); }
CASE(destructor_sets_higher) { chain(dtor_sets_higher); }

static void
dtor_deletes_next(void *v)
{
	(void)v;
	note('d');
	calls[1] = pthread_key_delete(keys[1]);
}

static void *
set_two(void *v)
{
	pthread_setspecific(keys[0], v);
	pthread_setspecific(keys[1], v);
	return NULL;
}

CASE(destructor_deletes_other)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_deletes_next));
	returns(pthread_key_create(&keys[1], dtor_b));
	run(set_two, &one);
	word(trace);
	returns(calls[1]);
	returns(pthread_key_delete(keys[1]));
	returns(pthread_key_delete(keys[0]));
}

static pthread_mutex_t dtor_mutex = PTHREAD_MUTEX_INITIALIZER;
static int dtor_counter;

static void
dtor_locks(void *v)
{
	(void)v;
	pthread_mutex_lock(&dtor_mutex);
	dtor_counter++;
	pthread_mutex_unlock(&dtor_mutex);
}

CASE(destructors_of_many_threads)
{
	pthread_t t[4];

	returns(pthread_key_create(&keys[0], dtor_locks));
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, set_first, &one);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	value(dtor_counter);
	returns(pthread_key_delete(keys[0]));
}

static void
cleanup_notes(void *v)
{
	(void)v;
	note('x');
}

static void *
set_with_cleanup(void *v)
{
	pthread_setspecific(keys[0], v);
	pthread_cleanup_push(cleanup_notes, NULL);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
}

CASE(cleanup_before_destructors)
{
	clear();
	returns(pthread_key_create(&keys[0], dtor_a));
	run(set_with_cleanup, &one);
	word(trace);
	returns(pthread_key_delete(keys[0]));
}
