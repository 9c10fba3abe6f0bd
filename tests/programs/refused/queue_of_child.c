/*
 * A forked child sends a message to a queue that its parent waits for. The child's queue is the kernel's, the parent's is
 * modelled: that the parent would wait for ever is no deadlock: it is refused by name as soon as the child has used the queue.
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
	char message[8];
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
	mq_receive(queue, message, sizeof(message), NULL);
	wait(NULL);
	return 0;
}
