#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, other, sink;
static void *look(void *arg)
{
	int seen = atomic_load(&flag), more = atomic_load(&other);

	assert(seen != 1 || more != 0);
	for (int i = 0; i < 200000; i++)
		atomic_fetch_add(&sink, 1);
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, look, NULL);
	atomic_store(&flag, 1);
	atomic_store(&other, 1);
	atomic_store(&flag, 2);
	pthread_join(t, NULL);
	return 0;
}
