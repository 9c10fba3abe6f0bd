/* A loop that looks at the byte that ends it first: work that came before it is lost. */
/* expect: done == 2 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int work[2], quit[2], done;

static void *loop(void *unused)
{
	for (;;) {
		struct pollfd p[2] = {{work[0], POLLIN, 0}, {quit[0], POLLIN, 0}};
		char c;

		assert(poll(p, 2, -1) > 0);
		if (p[1].revents & POLLIN)
			return unused;
		assert(read(work[0], &c, 1) == 1);
		done++;
	}
}

int main(void)
{
	pthread_t thread;

	assert(!pipe(work) && !pipe(quit));
	pthread_create(&thread, NULL, loop, NULL);
	assert(write(work[1], "a", 1) == 1);
	assert(write(work[1], "b", 1) == 1);
	assert(write(quit[1], "q", 1) == 1);
	pthread_join(thread, NULL);
	assert(done == 2);
	return 0;
}
