/*
 * The canary: a program with a race and a deadlock, which is run before the tested one. If one of them is not
 * found, control does not work on this machine, or in this process (for example, another library's
 * pthread_mutex_lock precedes libsleave's), and "clean" would mean nothing.
 *
 * It calls functions as the program does: through the dynamic linker, not directly inside this library.
 */
#include <sched.h>
#include "engine/core/engine.h"
#include "engine/under/poison.h"

void __tsan_read4(void *address);
void __tsan_write4(void *address);

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile int data;

static void *
thread(void *argument)
{
	pthread_mutex_t *first = argument, *second = first == &locks[0] ? &locks[1] : &locks[0];

	sched_yield(); /* before this the thread has run on behalf of its creator; from here on every operation is a point */
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	__tsan_read4((void *)&data);
	int seen = data;

	__tsan_write4((void *)&data);
	data = seen + 1;
	return NULL;
}

void
sl_canary(void *unused)
{
	pthread_t threads[2];

	(void)unused;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread, &locks[i]))
			sl_execution_end();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	sl_execution_end();
}
