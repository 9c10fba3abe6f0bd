/*
 * How a program ends while its threads go on: handlers of exit and of quick_exit, in their order, with what other threads have
 * done by then. The argument names the body; the outcomes of each are listed by hand (tests/program_end.sh):
 *
 * outcomes: beside_thread: =0 =1
 * outcomes: after_join: =1
 * outcomes: last_first: =ba
 * outcomes: registered_by_two: =ab =ba
 * outcomes: registered_too_late: = =b
 * outcomes: told_status: =0_told
 * outcomes: threads_in_handler: =1
 * outcomes: by_other: =0 =1
 * outcomes: without_handlers: =begun
 * outcomes: quickly: =quick_0 =quick_1
 * outcomes: main_ends_first: =1
 * outcomes: not_of_first_thread: =0
 */
#include "bodies.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define ALONE __attribute__((aligned(64)))
#define MUST(condition) ((condition) ? (void)0 : (abort()))
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

static void *waits_and_adds(void *a) { while (!y) sched_yield(); atomic_fetch_add(&x, 1); return a; }
static void main_ends_first(void) /* the last thread to end runs the handlers */
{
	atexit(tells);
	begin(waits_and_adds);
	atomic_store(&y, 1);
	pthread_exit(NULL);
}
static void sets_y(void *a) { (void)a; atomic_store(&y, 1); }
static void not_of_first_thread(void) /* exit() runs no destructors of keys */
{
	atexit(tells_both);
	begin(adds);
	MUST(!pthread_join(made, NULL));
	MUST(!pthread_key_create(&key, sets_y));
	pthread_setspecific(key, &key);
	exit(0);
}

#define BODY(name) {#name, name}
static const struct {
	const char *name;
	void (*body)(void);
} bodies[] = {BODY(beside_thread), BODY(after_join), BODY(last_first), BODY(registered_by_two), BODY(registered_too_late), BODY(told_status), BODY(threads_in_handler), BODY(by_other), BODY(without_handlers), BODY(quickly), BODY(main_ends_first), BODY(not_of_first_thread)};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	open_notes(argv[2]);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		if (!strcmp(bodies[i].name, argv[1]))
			bodies[i].body();
	return 0;
}
