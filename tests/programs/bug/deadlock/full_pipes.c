/* Two threads that send each other more than a pipe holds before they read. */
/* expect: waits for room to write to descriptors [0-9]+ and [0-9]+ \(pipe\) */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int there[2], back[2];
static char much[2 * 65536];

static void *peer(void *unused)
{
	static char into[sizeof(much)];

	assert(write(back[1], much, sizeof(much)) == sizeof(much));
	for (size_t n = 0; n < sizeof(into);)
		n += (size_t)read(there[0], into + n, sizeof(into) - n);
	return unused;
}

int main(void)
{
	static char into[sizeof(much)];
	pthread_t thread;

	assert(!pipe(there) && !pipe(back));
	pthread_create(&thread, NULL, peer, NULL);
	assert(write(there[1], much, sizeof(much)) == sizeof(much));
	for (size_t n = 0; n < sizeof(into);)
		n += (size_t)read(back[0], into + n, sizeof(into) - n);
	pthread_join(thread, NULL);
	return 0;
}
