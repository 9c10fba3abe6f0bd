#include <pthread.h>
#include <signal.h>
#include <unistd.h>
enum { ROUNDS = 200 };
static int there[ROUNDS], back[ROUNDS], seen, to[2], from[2];
static pthread_t one, two;
static sigset_t set;
static int by_signal;
static void hand(int fd, pthread_t whom) { char c = 1; if (by_signal) pthread_kill(whom, SIGUSR1); else if (write(fd, &c, 1) != 1) _exit(1); }
static void get(int fd) { char c; int n; if (by_signal) sigwait(&set, &n); else if (read(fd, &c, 1) != 1) _exit(1); }
static void *first(void *gate)
{
	pthread_barrier_wait(gate);
	for (int i = 0; i < ROUNDS; i++) {
		there[i] = i;
		hand(to[1], two);
		get(from[0]);
		seen += back[i];
	}
	return 0;
}
static void *second(void *gate)
{
	pthread_barrier_wait(gate);
	for (int i = 0; i < ROUNDS; i++) {
		get(to[0]);
		back[i] = there[i];
		hand(from[1], one);
	}
	return 0;
}
int main(int argc, char **argv)
{
	pthread_barrier_t gate;
	(void)argv;
	by_signal = argc > 1;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, 0);
	pthread_barrier_init(&gate, 0, 3);
	if (pipe(to) || pipe(from))
		return 1;
	pthread_create(&one, 0, first, &gate);
	pthread_create(&two, 0, second, &gate);
	pthread_barrier_wait(&gate);
	pthread_join(one, 0);
	pthread_join(two, 0);
	return 0;
}
