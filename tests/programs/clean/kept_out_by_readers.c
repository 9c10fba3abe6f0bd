/* Two readers of a lock loop for ever, and each is preempted only while it reads: the writer gets the lock all the same. */
/* options: --strategy dfs --schedules 5 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_long reads;
static int flag;

static void *reader(void *p)
{
	for (int seen = 0; !seen;) {
		pthread_rwlock_rdlock(&l);
		seen = flag;
		reads++;
		pthread_rwlock_unlock(&l);
	}
	return p;
}
static void *writer(void *p)
{
	pthread_rwlock_wrlock(&l);
	flag = 1;
	pthread_rwlock_unlock(&l);
	return p;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, reader, NULL);
	pthread_create(&t[2], NULL, writer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
