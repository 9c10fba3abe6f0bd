/*
 * A reordering seen by a checker: n setters store to a, then to b; whoever sees the first store without the second has
 * caught one of them in between. Only the first setter counts: once somebody has stored to b, the window is closed.
 * So the checker must go when one or more setters have done half their work and none has done all of it.
 *
 * usage: reorder [setters] [repaired|visible]   (repaired: both stores under a lock, and the checker takes it too; visible:
 * see event())
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
 * Where the literature counts schedules of this program, creating and joining a thread are events of main's, and so are its
 * looks at the bound of its loop and at the handle: after each of them anybody may go. Under Sleave main is not
 * interrupted there, because nobody could tell: all threads are there when the first choice is made. With "visible" these
 * three are atomic loads of something that the checker looks at too, so they are points of choice.
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
