/*
 * Threads write to a file of their own making, under a lock; main reads it back and removes it. Every execution
 * begins without the file. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;

static void *
append(void *arg)
{
	pthread_mutex_lock(&lock);
	fprintf(file, "%s\n", (const char *)arg);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	pthread_t a, b;
	char line[16];
	int lines = 0;

	assert(access("written", F_OK) != 0);
	file = fopen("written", "w+");
	assert(file);
	pthread_create(&a, NULL, append, "one");
	pthread_create(&b, NULL, append, "two");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	rewind(file);
	while (fgets(line, sizeof(line), file))
		lines++;
	assert(lines == 2);
	fclose(file);
	assert(unlink("written") == 0);
	return 0;
}
