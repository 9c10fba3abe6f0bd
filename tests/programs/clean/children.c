/* Children out of control: one that answers through a pipe, one that is spawned; atfork handlers in their order. */
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int there[2], back[2], handlers, counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void before(void) { pthread_mutex_lock(&lock); handlers = handlers * 10 + 1; }
static void after(void) { handlers = handlers * 10 + 2; pthread_mutex_unlock(&lock); }
static void in_child(void) { pthread_mutex_unlock(&lock); }

static void *talk(void *unused)
{
	char c = 'a';

	assert(write(there[1], &c, 1) == 1);
	assert(read(back[0], &c, 1) == 1);
	assert(c == 'b');
	return unused;
}

static void *count(void *unused)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	char *arguments[] = {"sh", "-c", "exit 7", NULL}, *environment[] = {NULL};
	pthread_t threads[2];
	int status;
	pid_t child;

	assert(!pipe(there) && !pipe(back) && !pthread_atfork(before, after, in_child));
	pthread_create(&threads[0], NULL, count, NULL);
	child = fork();
	if (child == 0) {
		char c;

		if (read(there[0], &c, 1) != 1 || (c++, write(back[1], &c, 1) != 1))
			_exit(1);
		_exit(5);
	}
	assert(child > 0 && handlers == 12);
	pthread_create(&threads[1], NULL, talk, NULL);
	assert(waitpid(child, &status, 0) == child);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(!posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environment));
	assert(wait(&status) == child && WEXITSTATUS(status) == 7);
	assert(WEXITSTATUS(system("exit 3")) == 3);
	assert(counter == 1);
	return 0;
}
