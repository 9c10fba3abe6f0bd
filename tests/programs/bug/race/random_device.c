/*
 * One thread reads from the device of random numbers into a buffer, the other writes to it. read() writes the buffer, whatever it
 * reads from.
 */
/* expect: data race on buffer */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fd;
char buffer[4];

static void *
reader(void *arg)
{
	return read(fd, buffer, sizeof(buffer)) < 0 ? arg : NULL;
}

static void *
writer(void *arg)
{
	buffer[1] = 1;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	fd = open("/dev/urandom", O_RDONLY);
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
