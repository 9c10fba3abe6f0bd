/* Atomics, copies, read-write and spin locks, attempts. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
struct pair {
	int a, b, c[6];
};
static struct pair from, to;
static atomic_int counter;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tried;
static void *one(void *p)
{
	atomic_fetch_add(&counter, 1);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	if (pthread_mutex_trylock(&m) == 0) {
		tried++;
		pthread_mutex_unlock(&m);
	}
	return p;
}
static void *two(void *p)
{
	pthread_mutex_lock(&m);
	memcpy(&to, &from, sizeof(to));
	pthread_mutex_unlock(&m);
	atomic_store(&counter, 5);
	pthread_rwlock_wrlock(&rw);
	pthread_rwlock_unlock(&rw);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_spin_init(&spin, 0);
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
