/*
 * For the test `seen`: a list of things that touch the shared memory, each with a name, whether it reads or writes.
 * SEEN(NAME, WRITES, STATEMENT) is one of them; the statement uses `shared`, which is 64 bytes of text. With 2 in the
 * place of WRITES it does without, and brings both threads itself.
 *
 *	./program list		the names
 *	./program NAME		two threads: one does it, the other does the opposite, unordered: a race
 *	./program NAME lock	the same under a mutex: clean
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct action {
	const char *name;
	int writes;
	void (*act)(void);
};
extern const struct action actions[];
extern char shared[64];
extern volatile long sink;

static const struct action *chosen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int locked;
static char *volatile other = shared; /* nobody knows what it points to */

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

int
main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	for (const struct action *a = actions; a->name; a++) {
		if (strcmp(argv[1], "list") == 0)
			puts(a->name);
		if (strcmp(argv[1], a->name) == 0)
			chosen = a;
	}
	if (!chosen)
		return strcmp(argv[1], "list") ? 2 : 0;
	locked = argc > 2;
	pthread_create(&thread, NULL, worker, NULL);
	if (locked)
		pthread_mutex_lock(&lock);
	if (chosen->writes == 2)
		;
	else if (chosen->writes)
		sink = *other;
	else
		*other = 'x';
	if (locked)
		pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
