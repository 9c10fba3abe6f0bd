/*
 * A forked child sends a message, and its parent asks how many there are: no answer of the model would be right.
 */
/* expect: message queues that a child process uses, too */
/* flags: -lrt */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
	pthread_t thread;
	mqd_t queue;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	queue = mq_open("/sleave_queue_of_child", O_CREAT | O_RDWR, 0600, &attributes);
	mq_unlink("/sleave_queue_of_child");
	if (!fork()) {
		mq_send(queue, "x", 1, 0);
		_exit(0);
	}
	wait(NULL);
	mq_getattr(queue, &attributes);
	return attributes.mq_curmsgs != 1;
}
