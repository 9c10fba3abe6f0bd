/*
 * A new thread closes a descriptor that its creator writes to: the write may meet a closed one, or another file that has
 * got the number meanwhile.
 */
/* expect: ^data race on file descriptor [0-9]+: T1 closes changes it at .*descriptor_closed.c:[0-9]+, main uses it at .*descriptor_closed.c: */
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *
closes(void *unused)
{
	close(ends[1]);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	if (pipe(ends))
		return 1;
	pthread_create(&thread, NULL, closes, NULL);
	if (write(ends[1], "x", 1) < 0)
		ends[1] = -1;
	pthread_join(thread, NULL);
	return 0;
}
