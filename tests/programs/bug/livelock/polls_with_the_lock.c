/* A thread polls a flag and holds the lock that the other needs before it sets the flag. */
/* expect: ^livelock: T1 poll waits at [a-z]+/polls_with_the_lock.c:13 for done, which T2 set sets at [a-z]+/polls_with_the_lock.c:22; T2 set waits at [a-z]+/polls_with_the_lock.c:20 for lock, which T1 poll holds$ */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
static void *
poll(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!atomic_load(&done)) usleep(10);
	pthread_mutex_unlock(&lock);
	return arg;
}
static void *
set(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	atomic_store(&done, 1);
	return arg;
}
int
main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, poll, NULL);
	pthread_create(&t[1], NULL, set, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
