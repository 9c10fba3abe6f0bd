/*
 * A reordering seen by a checker: n setters store to a, then to b; a checker that sees the first store without the
 * second has caught a setter in between. Only the first setter counts: once any of them has stored to b, the window
 * is closed. So the checker must go when at least one setter has done its first store and none has done its second.
 *
 * usage: reorder [setters] [repaired|visible]   (repaired: both stores under a lock, which the checker takes too;
 * visible: see event())
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

static atomic_int a, b, bound;
static bool repaired, visible;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
enter(void)
{
	if (repaired)
		pthread_mutex_lock(&lock);
}

static void
leave(void)
{
	if (repaired)
		pthread_mutex_unlock(&lock);
}

/*
 * Where the literature counts schedules of this program, creating and joining a thread are events of main, and
 * so are its reads of the loop's bound and of the handle: any thread may go after each of them. Sleave does not
 * preempt main there, because no thread could see it: all threads exist when the first choice is made. With
 * "visible" these three are atomic loads of something that the checker reads too, so they are points of choice.
 */
static void
event(void)
{
	if (visible)
		atomic_load(&bound);
}

static void *
setter(void *unused)
{
	enter();
	atomic_store(&a, 1);
	atomic_store(&b, -1);
	leave();
	return unused;
}

static void *
checker(void *unused)
{
	enter();
	bool nothing = atomic_load(&a) == 0 && atomic_load(&b) == 0;

	if (!nothing)
		assert(atomic_load(&a) == 1 && atomic_load(&b) == -1);
	leave();
	event();
	return unused;
}

int
main(int argc, char **argv)
{
	static pthread_t threads[MOST + 1];
	int n = argc > 1 ? atoi(argv[1]) : 5;

	repaired = argc > 2 && strcmp(argv[2], "repaired") == 0;
	visible = argc > 2 && strcmp(argv[2], "visible") == 0;
	if (n < 1 || n > MOST)
		return 2;
	for (int i = 0; i <= n; i++) {
		event();
		pthread_create(&threads[i], NULL, i < n ? setter : checker, NULL);
		event();
		event();
	}
	for (int i = 0; i <= n; i++) {
		event();
		pthread_join(threads[i], NULL);
		event();
		event();
	}
	return 0;
}
