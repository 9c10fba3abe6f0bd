/*
 * A futex on which a child waits: its queue is the kernel's, and the
 * program's wake-up would not reach it. That is reported, and no deadlock.
 */
/* expect: not modelled: a futex in memory that a child shares */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
other(void *arg)
{
	return arg;
}

int
main(void)
{
	atomic_int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, other, NULL);
	child = fork();
	if (!child) {
		while (!*word)
			syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
		_exit(0);
	}
	*word = 1;
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
