/*
 * How a program ends while its threads go on: handlers of exit, of quick_exit and of keys, in their order, with what other
 * threads have done by then. Each body also runs on real threads, which must show nothing else.
 */
#include "outcome.h"
#include <stdatomic.h>

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))
static atomic_int x ALONE, y ALONE;
static char order[16] ALONE;
static unsigned length ALONE;
static pthread_key_t key ALONE;
static pthread_t made ALONE;

static void *adds(void *a) { atomic_fetch_add(&x, 1); return a; }
static void begin(void *(*function)(void *)) { x = y = 0; length = 0; MUST(!pthread_create(&made, NULL, function, NULL)); }
static void tells(void) { OUTCOME("%d", atomic_load(&x)); }

static void beside_thread(void) { atexit(tells); begin(adds); exit(0); }
static void after_join(void) { atexit(tells); begin(adds); MUST(!pthread_join(made, NULL)); exit(0); }

static void notes_a(void) { order[length++] = 'a'; order[length] = 0; }
static void notes_b(void) { order[length++] = 'b'; order[length] = 0; }
static void tells_order(void) { OUTCOME("%s", order); }
static void last_first(void) { atexit(tells_order); atexit(notes_a); atexit(notes_b); begin(adds); exit(0); }
static void *registers(void *a) { atexit(notes_b); return a; }
static void registered_by_two(void)
{
	order[0] = 0;
	atexit(tells_order);
	begin(registers);
	atexit(notes_a);
	MUST(!pthread_join(made, NULL));
	exit(0);
}
static void registered_too_late(void) { order[0] = 0; atexit(tells_order); begin(registers); exit(0); }

static void with_status(int status, void *argument) { OUTCOME("%d %s", status, (const char *)argument); }
static void told_status(void) { on_exit(with_status, "told"); begin(adds); MUST(!pthread_join(made, NULL)); exit(0); }

static void makes_another(void) { begin(adds); MUST(!pthread_join(made, NULL)); OUTCOME("%d", atomic_load(&x)); }
static void threads_in_handler(void) { begin(adds); MUST(!pthread_join(made, NULL)); atexit(makes_another); exit(0); }

static void *exits(void *a) { exit(0); return a; }
static void tells_both(void) { OUTCOME("%d", atomic_load(&y)); }
static void by_other(void) { atexit(tells_both); begin(exits); atomic_store(&y, 1); pthread_join(made, NULL); }
static void *leaves(void *a) { _exit(0); return a; }
static void without_handlers(void) { atexit(tells_both); OUTCOME("begun"); begin(leaves); MUST(!pthread_join(made, NULL)); exit(0); }

static void tells_quickly(void) { OUTCOME("quick %d", atomic_load(&x)); }
static void quickly(void) { atexit(tells); at_quick_exit(tells_quickly); begin(adds); quick_exit(0); }

/* ---- keys and the end of threads ---- */

static void sets_y(void *a) { (void)a; atomic_store(&y, 1); }
static void *has_value(void *a) { pthread_setspecific(key, &key); atomic_store(&x, 1); return a; }
static void destructor_beside(void)
{
	MUST(!pthread_key_create(&key, sets_y));
	begin(has_value);
	int a = x, b = y;
	MUST(!pthread_join(made, NULL));
	OUTCOME("%d%d %d", a, b, atomic_load(&y));
	pthread_key_delete(key);
}
static void deleted_beside(void)
{
	MUST(!pthread_key_create(&key, sets_y));
	begin(has_value);
	while (!x)
		sched_yield();
	pthread_key_delete(key);
	MUST(!pthread_join(made, NULL));
	OUTCOME("%d", atomic_load(&y));
}
static void *waits_and_adds(void *a) { while (!y) sched_yield(); atomic_fetch_add(&x, 1); return a; }
static void main_ends_first(void) /* the last thread to end runs the handlers */
{
	atexit(tells);
	begin(waits_and_adds);
	atomic_store(&y, 1);
	pthread_exit(NULL);
}
static void not_of_first_thread(void) /* exit() runs no destructors of keys */
{
	atexit(tells_both);
	begin(adds);
	MUST(!pthread_join(made, NULL));
	MUST(!pthread_key_create(&key, sets_y));
	pthread_setspecific(key, &key);
	exit(0);
}

int main(void)
{
	EXPECT_NATIVE(beside_thread, "0", "1");
	EXPECT_NATIVE(after_join, "1");
	EXPECT_NATIVE(last_first, "ba");
	EXPECT_NATIVE(registered_by_two, "ab", "ba");
	EXPECT_NATIVE(registered_too_late, "", "b");
	EXPECT_NATIVE(told_status, "0 told");
	EXPECT_NATIVE(threads_in_handler, "1");
	EXPECT_NATIVE(by_other, "0", "1");
	EXPECT_NATIVE(without_handlers, "begun");
	EXPECT_NATIVE(quickly, "quick 0", "quick 1");
	EXPECT_NATIVE(destructor_beside, "00 1", "01 1", "10 1", "11 1");
	EXPECT_WITH(deleted_beside, 0, NULL, OPTIONS(.races = SLEAVE_RACES_OFF, .misuse = SLEAVE_RACES_OFF), "0", "1");
	EXPECT_NATIVE(main_ends_first, "1");
	EXPECT_NATIVE(not_of_first_thread, "0");
	return done();
}
