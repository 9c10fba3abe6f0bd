/* Messages of two bytes, written in two halves by two producers, read as if they came in one piece. */
/* expect: message\[0\] == message\[1\]|== 2 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int fds[2];

static void *producer(void *letter)
{
	assert(write(fds[1], letter, 1) == 1);
	assert(write(fds[1], letter, 1) == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	char message[2];

	assert(!pipe(fds));
	pthread_create(&threads[0], NULL, producer, "a");
	pthread_create(&threads[1], NULL, producer, "b");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	for (int i = 0; i < 2; i++) {
		assert(read(fds[0], message, 2) == 2);
		assert(message[0] == message[1]);
	}
	return 0;
}
