#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static inline void *bump(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}
static inline void *lots(void *arg)
{
	for (int i = 0; i < 6; i++)
		bump(arg);
	return arg;
}
static inline void two(void *(*start)(void *))
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, start, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}
