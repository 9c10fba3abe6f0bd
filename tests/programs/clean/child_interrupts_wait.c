/*
 * A child sleeps, and then sends a signal to its parent, which waits for a message meanwhile: the wait is interrupted. That the
 * child has slept follows from what it reports, not from watching it, so a busy machine makes no difference. One interleaving.
 */
/* options: --races=off */
/* flags: -lrt */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void
handler(int number)
{
	(void)number;
}

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
	struct sigaction action = {.sa_handler = handler};
	char message[8];
	pthread_t thread;
	mqd_t queue;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	queue = mq_open("/sleave_child_interrupts", O_CREAT | O_RDWR, 0600, &attributes);
	mq_unlink("/sleave_child_interrupts");
	sigaction(SIGUSR1, &action, NULL);
	if (!fork()) {
		usleep(1000);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	if (mq_receive(queue, message, sizeof(message), NULL) != -1 || errno != EINTR)
		abort();
	wait(NULL);
	return 0;
}
