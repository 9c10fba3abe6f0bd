#include "loop.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_WATCHES 16

struct task {
	void (*call)(void *arg);
	void *arg;
	struct task *next;
};

struct loop {
	pthread_mutex_t lock;
	struct task *tasks, **end;
	bool stopped;
	int wake[2];
	unsigned watches;
	struct pollfd fds[1 + MOST_WATCHES]; /* the first one is the pipe */
	struct {
		void (*call)(void *arg, int fd);
		void *arg;
	} calls[1 + MOST_WATCHES];
};

struct loop *
loop_new(void)
{
	struct loop *loop = calloc(1, sizeof *loop);

	if (!loop)
		return NULL;
	if (pipe(loop->wake)) {
		free(loop);
		return NULL;
	}
	/* A full pipe is enough of a sign, and an empty one is no reason to wait. */
	fcntl(loop->wake[0], F_SETFL, O_NONBLOCK);
	fcntl(loop->wake[1], F_SETFL, O_NONBLOCK);
	pthread_mutex_init(&loop->lock, NULL);
	loop->end = &loop->tasks;
	loop->fds[0] = (struct pollfd){.fd = loop->wake[0], .events = POLLIN};
	return loop;
}

void
loop_free(struct loop *loop)
{
	for (struct task *task = loop->tasks, *next; task; task = next) {
		next = task->next;
		free(task);
	}
	close(loop->wake[0]);
	close(loop->wake[1]);
	pthread_mutex_destroy(&loop->lock);
	free(loop);
}

static void
wake(struct loop *loop)
{
	ssize_t written = write(loop->wake[1], "", 1);

	(void)written;
}

static void
drain(struct loop *loop)
{
	char bytes[64];

	while (read(loop->wake[0], bytes, sizeof bytes) > 0)
		;
}

static unsigned
run_tasks(struct loop *loop)
{
	unsigned called = 0;

	pthread_mutex_lock(&loop->lock);
	struct task *task = loop->tasks;
	loop->tasks = NULL;
	loop->end = &loop->tasks;
	pthread_mutex_unlock(&loop->lock);
	for (struct task *next; task; task = next, called++) {
		next = task->next;
		task->call(task->arg);
		free(task);
	}
	return called;
}

static bool
goes_on(struct loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	bool on = !loop->stopped || loop->tasks;
	pthread_mutex_unlock(&loop->lock);
	return on;
}

unsigned
loop_run(struct loop *loop)
{
	unsigned called = 0;

	while (goes_on(loop)) {
		poll(loop->fds, 1 + loop->watches, -1);
#ifdef BUG
		/* The sign of what is posted while the tasks run is thrown away with the old ones, and the loop sleeps. */
		called += run_tasks(loop);
		drain(loop);
#else
		drain(loop);
		called += run_tasks(loop);
#endif
		for (unsigned i = 1; i <= loop->watches; i++)
			if (loop->fds[i].revents)
				loop->calls[i].call(loop->calls[i].arg, loop->fds[i].fd);
	}
	return called;
}

void
loop_stop(struct loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	loop->stopped = true;
	pthread_mutex_unlock(&loop->lock);
	wake(loop);
}

bool
loop_post(struct loop *loop, void (*call)(void *), void *arg)
{
	struct task *task = malloc(sizeof *task);

	if (!task)
		return false;
	*task = (struct task){call, arg, NULL};
	pthread_mutex_lock(&loop->lock);
	*loop->end = task;
	loop->end = &task->next;
	pthread_mutex_unlock(&loop->lock);
	wake(loop);
	return true;
}

bool
loop_watch(struct loop *loop, int fd, void (*call)(void *, int), void *arg)
{
	if (loop->watches == MOST_WATCHES)
		return false;
	loop->watches++;
	loop->fds[loop->watches] = (struct pollfd){.fd = fd, .events = POLLIN};
	loop->calls[loop->watches].call = call;
	loop->calls[loop->watches].arg = arg;
	return true;
}
