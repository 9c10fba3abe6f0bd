/*
 * A catch (...) that does not throw again stops the unwinding of a cancelled thread: glibc aborts.
 */
/* expect: ^abort */
#include <pthread.h>
#include <unistd.h>

static void *
work(void *arg)
{
	try {
		sleep(1);
	} catch (...) {
	}
	return arg;
}

int
main()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, work, nullptr);
	pthread_cancel(thread);
	pthread_join(thread, nullptr);
	return 0;
}
