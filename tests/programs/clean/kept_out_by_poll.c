/* A thread polls a pipe with a limit of a millisecond; the one that writes to it has slept for longer. */
/* options: --strategy surw --schedules 50 */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static long rounds;

static void *waits(void *p)
{
	struct pollfd end = {ends[0], POLLIN, 0};
	char byte;

	while (poll(&end, 1, 1) == 0)
		rounds++;
	return read(ends[0], &byte, 1) == 1 ? p : NULL;
}
static void *writes(void *p)
{
	usleep(100000);
	return write(ends[1], "x", 1) == 1 ? p : NULL;
}

int main(void)
{
	pthread_t t, u;

	if (pipe(ends))
		return 1;
	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, writes, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
