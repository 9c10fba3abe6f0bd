/* A child that waits for its own child is not stuck while that one works: no deadlock. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *
other(void *unused)
{
	return unused;
}

int
main(void)
{
	char line[16] = "";
	pthread_t thread;
	FILE *child;

	pthread_create(&thread, NULL, other, NULL);
	child = popen("sleep 0.05; echo hi", "r");
	assert(child);
	assert(fgets(line, sizeof(line), child));
	assert(!strcmp(line, "hi\n"));
	pclose(child);
	pthread_join(thread, NULL);
	return 0;
}
