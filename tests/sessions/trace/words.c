#include <pthread.h>
#include <setjmp.h>
#include <sleave.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ok, g;
static __thread int local;
static jmp_buf back;

static void deep(int n)
{
	g++;
	if (!n)
		longjmp(back, 1);
	deep(n - 1);
	g++;
}

static void *waits(void *unused)
{
	sleave_thread_name("waiter");
	pthread_mutex_lock(&m);
	while (!ok)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return unused;
}

static void *inner(void *unused)
{
	return unused;
}

static void *outer(void *unused)
{
	volatile int here = 1;
	pthread_t t;

	pthread_create(&t, NULL, inner, (void *)&here);
	pthread_join(t, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;
	char *volatile a, *volatile b;

	if (!setjmp(back))
		deep(3);
	local = argc + argv[1][2] + "literal"[argc];
	a = malloc(8); b = strdup("x");
	free(a);
	free(b);
	pthread_create(&t, NULL, waits, NULL);
	pthread_mutex_lock(&m);
	ok = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, outer, NULL);
	pthread_join(t, NULL);
	if (!strcmp(argv[1], "fork")) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	if (!strcmp(argv[1], "exec"))
		execl("/bin/echo", "echo", "another", NULL);
	if (!strcmp(argv[1], "null"))
		*(volatile int *)NULL = 1;
	return 0;
}
