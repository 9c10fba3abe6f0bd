#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock, count;
static void *add(void *arg)
{
	for (int i = 0; i < 2; i++) {
		while (atomic_exchange(&lock, 1))
			continue;
		count++;
		atomic_store(&lock, 0);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return count != 6;
}
