/*
 * A standard descriptor is replaced by another file, while another thread may write to it: that is how output is redirected.
 */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *
redirect(void *unused)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDERR_FILENO);
	close(null);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, redirect, NULL);
	if (write(STDERR_FILENO, "", 0) < 0)
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
