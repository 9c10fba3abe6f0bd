/*
 * For the test `seen`: a list of things that touch the shared memory, each with a name, whether it reads or writes.
 * SEEN(NAME, WRITES, STATEMENT) is one of them; the statement uses `shared`, which is 64 bytes of text. With 2 in the
 * place of WRITES it does without, and brings both threads itself.
 *
 *	./program list		the names
 *	./program NAME		two threads: one does it, the other does the opposite, unordered: a race
 *	./program NAME lock	the same under a mutex: clean
 *	./program all [lock]	explores that of each, and says which of them did not end so; nothing is wrong with not_…
 */
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>
#include <string.h>

struct action {
	const char *name;
	int writes;
	void (*act)(void);
};
extern const struct action actions[];
#ifndef SHARED
#define SHARED 64
#endif
extern char shared[SHARED];
extern volatile long sink;

static const struct action *chosen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int locked;
static volatile long taken; /* not what the statement writes its result to: that would race by itself */
static char *volatile other = shared; /* the compiler does not know what it points to */

static void *
worker(void *arg)
{
	if (locked)
		pthread_mutex_lock(&lock);
	chosen->act();
	if (locked)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void
both(void *arg)
{
	pthread_t thread;

	(void)arg;
	pthread_create(&thread, NULL, worker, NULL);
	if (locked)
		pthread_mutex_lock(&lock);
	if (chosen->writes == 2)
		;
	else if (chosen->writes)
		taken = *other;
	else
		*other = 'x';
	if (locked)
		pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
}

static int
all(void)
{
	static struct sleave_result result;
	static struct sleave_options options;
	int wrong = 0;

	options.seconds = 50; /* none takes long, but the machine may be busy */
	options.quiet = 1;
	options.result = &result;
	for (chosen = actions; chosen->name; chosen++) {
		enum sleave_verdict wanted =
			locked || strncmp(chosen->name, "not_", 4) == 0 ? SLEAVE_CLEAN : SLEAVE_FINDING;

		if (sleave_explore(both, NULL, &options) != wanted) {
			printf("%s: verdict %d instead of %d: %s\n", chosen->name, (int)result.verdict, (int)wanted,
			       result.message);
			wrong = 1;
		}
	}
	return wrong;
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	locked = argc > 2;
	if (strcmp(argv[1], "all") == 0)
		return all();
	for (const struct action *a = actions; a->name; a++) {
		if (strcmp(argv[1], "list") == 0)
			puts(a->name);
		if (strcmp(argv[1], a->name) == 0)
			chosen = a;
	}
	if (!chosen)
		return strcmp(argv[1], "list") ? 2 : 0;
	both(NULL);
	return 0;
}
