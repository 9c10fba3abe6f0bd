/*
 * What a program asks its environment for: memory, the time, standard input and output, a file, thread-specific data,
 * names of threads. All of it decides what is done next, so a different answer makes another execution. No finding.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static unsigned sum;

static void
mix(uintptr_t value)
{
	pthread_mutex_lock(&lock);
	sum = sum * 31 + (unsigned)value;
	if (sum & 1) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
}

static void *
work(void *arg)
{
	char *block = malloc(100), line[64];
	struct timespec now;

	block = realloc(block, 5000);
	mix((uintptr_t)block >> 4);
	pthread_setspecific(key, block);
	clock_gettime(CLOCK_MONOTONIC, &now);
	mix((uintptr_t)now.tv_nsec + (uintptr_t)time(NULL));
	snprintf(line, sizeof(line), "%p %ld %d\n", (void *)line, (long)now.tv_sec, getchar());
	printf("%s", line);
	mix(strlen(line) + (uintptr_t)rand());
	mix((uintptr_t)pthread_self() >> 6);
	return arg;
}

int
main(void)
{
	pthread_t threads[2];
	FILE *file = tmpfile();

	pthread_key_create(&key, free);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	mix(file ? (uintptr_t)fileno(file) : 99);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
