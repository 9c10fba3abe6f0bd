#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
static _Atomic int count;
static void handler(int n) { (void)n; }
static void *add(void *p)
{
	int seen;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, handler);
	signal(SIGUSR1, SIG_DFL);
	seen = count;
	count = seen + 1;
	return p;
}
int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, add, NULL);
	pthread_create(&u, NULL, add, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(count == 2);
	return 0;
}
