/*
 * A new thread puts another file in the place of a descriptor that its creator reads from.
 */
/* expect: ^data race on file descriptor [0-9]+: .*descriptor_replaced.c:.*descriptor_replaced.c: */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int zero, null;

static void *
replaces(void *unused)
{
	dup2(null, zero);
	return unused;
}

int
main(void)
{
	pthread_t thread;
	char byte;

	zero = open("/dev/zero", O_RDONLY);
	null = open("/dev/null", O_RDONLY);
	pthread_create(&thread, NULL, replaces, NULL);
	if (read(zero, &byte, 1) < 0)
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
