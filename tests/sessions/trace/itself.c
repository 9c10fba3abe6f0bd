#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *other(void *unused) { x++; return unused; }
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	if (argc > 2)
		raise(atoi(argv[1]));
	kill(getpid(), atoi(argv[1]));
	return x;
}
