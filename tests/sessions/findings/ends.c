#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *arg)
{
	int n;

	write(STDOUT_FILENO, "adds\n", 5);
	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = n + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	pthread_t t[2];

	printf("not flushed yet\n");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	fprintf(stderr, "count is %d\n", count);
	if (count == 2)
		return 0;
	fprintf(stderr, "\033[1mwrong\033[0m\n");
	if (!strcmp(how, "closed")) {
		close(STDERR_FILENO);
		close(STDOUT_FILENO);
		_exit(1);
	}
	assert(strcmp(how, "assert"));
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "crash"))
		raise(SIGSEGV);
	exit(1);
}
