/*
 * A system call of the program's own that takes the number of a process. The number is Sleave's, which the kernel does not know: it is
 * refused by name, and what the program does about the error is no finding.
 */
/* expect: raw system call pidfd_open */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	return syscall(SYS_pidfd_open, getpid(), 0) < 0;
}
