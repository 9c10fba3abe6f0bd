/*
 * Two threads append to a file in an order that is not determined.
 * Every execution begins without the file, also the replayed one.
 */
/* expect: strcmp */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;

static void *
append(void *arg)
{
	pthread_mutex_lock(&lock);
	fputs(arg, file);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	pthread_t a, b;
	char text[16] = "";

	file = fopen("appended", "w+");
	assert(file);
	unlink("appended");
	pthread_create(&a, NULL, append, "one");
	pthread_create(&b, NULL, append, "two");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	rewind(file);
	assert(fgets(text, sizeof(text), file));
	assert(strcmp(text, "onetwo") == 0);
	return 0;
}
