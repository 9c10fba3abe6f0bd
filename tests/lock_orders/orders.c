/*
 * Locks taken in different orders, in many ways; the first argument says which. Between the two halves lies so much
 * other work that a deadlock is not met by chance: it has to be steered into.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, work = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER, q = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ready;

static void busy(void)
{
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&work);
		pthread_mutex_unlock(&work);
	}
}

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *ab(void *p) { busy(); both(&a, &b); return p; }
static void *ba(void *p) { both(&b, &a); busy(); return p; }
static void *bc(void *p) { both(&b, &c); busy(); return p; }
static void *ca(void *p) { busy(); both(&c, &a); busy(); return p; }
static void *ab_posts(void *p) { both(&a, &b); sem_post(&sem); return p; }
static void *ba_waits(void *p) { sem_wait(&sem); both(&b, &a); return p; }
static void *gate_ab(void *p) { pthread_mutex_lock(&gate); both(&a, &b); pthread_mutex_unlock(&gate); return p; }
static void *gate_ba(void *p) { pthread_mutex_lock(&gate); both(&b, &a); pthread_mutex_unlock(&gate); return p; }
static void *b_try_a(void *p)
{
	pthread_mutex_lock(&b);
	if (pthread_mutex_trylock(&a) == 0)
		pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return p;
}
static void *read_read(void *p)
{
	pthread_rwlock_t *first = p ? &r : &q, *second = p ? &q : &r;

	pthread_rwlock_rdlock(first);
	pthread_rwlock_rdlock(second);
	pthread_rwlock_unlock(second);
	pthread_rwlock_unlock(first);
	return NULL;
}
static void *read_write(void *p)
{
	pthread_rwlock_t *first = p ? &r : &q, *second = p ? &q : &r;

	if (p)
		busy();
	pthread_rwlock_rdlock(first);
	pthread_rwlock_wrlock(second);
	pthread_rwlock_unlock(second);
	pthread_rwlock_unlock(first);
	return NULL;
}
/* holds a while the wait takes b again */
static void *waits_with_a(void *p)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	while (!ready)
		pthread_cond_wait(&cond, &b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return p;
}
static void *wakes_then_a(void *p)
{
	pthread_mutex_lock(&b);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return p;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*threads[3])(void *);
		int joined; /* the first ends before the second begins */
	} ways[] = {
		{"two", {ab, ba}, 0},
		{"three", {ab, bc, ca}, 0},
		{"write", {read_write, read_write}, 0},
		{"semaphore", {ab_posts, ba_waits}, 0},
		{"joined", {ab, ba}, 1},
		{"gate", {gate_ab, gate_ba}, 0},
		{"try", {ab, b_try_a}, 0},
		{"read", {read_read, read_read}, 0},
		{"same", {ab, ab}, 0},
		{"wait", {waits_with_a, wakes_then_a}, 0},
	};

	sem_init(&sem, 0, 0);
	for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		pthread_t t[3];
		int n = 0;

		if (strcmp(argv[1], ways[i].name) != 0)
			continue;
		for (; n < 3 && ways[i].threads[n]; n++) {
			pthread_create(&t[n], NULL, ways[i].threads[n], n ? argv : NULL);
			if (ways[i].joined)
				pthread_join(t[n], NULL);
		}
		for (int k = 0; k < n && !ways[i].joined; k++)
			pthread_join(t[k], NULL);
		return 0;
	}
	return 2;
}
