/* One of the threads opens a file: from then on the state is not in memory alone, and no two states are equal. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

_Atomic int flag; /* not static: the compiler would see that it is not read */

static void *
run(void *opens)
{
	int fd = opens ? open("/dev/null", O_WRONLY) : -1;

	for (int i = 0; i < 3; i++)
		atomic_store(&flag, 1);
	if (opens)
		close(fd);
	return 0;
}

int
main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], 0, run, 0);
	pthread_create(&threads[1], 0, run, &flag);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
