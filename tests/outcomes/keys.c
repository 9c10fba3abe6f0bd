/*
 * Destructors of keys at the end of threads, beside other threads. Each body also runs on real threads, which must show nothing else.
 */
#include "outcome.h"
#include <stdatomic.h>

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))
static atomic_int x ALONE, y ALONE;
static pthread_key_t key ALONE;
static pthread_t made ALONE;

static void begin(void *(*function)(void *)) { x = y = 0; MUST(!pthread_create(&made, NULL, function, NULL)); }

static void sets_y(void *a) { (void)a; atomic_store(&y, 1); }
static void *has_value(void *a) { pthread_setspecific(key, &key); atomic_store(&x, 1); return a; }
static void destructor_beside(void)
{
	MUST(!pthread_key_create(&key, sets_y));
	begin(has_value);
	int a = x, b = y;
	MUST(!pthread_join(made, NULL));
	OUTCOME("%d%d %d", a, b, atomic_load(&y));
	pthread_key_delete(key);
}
static void deleted_beside(void)
{
	MUST(!pthread_key_create(&key, sets_y));
	begin(has_value);
	while (!x)
		sched_yield();
	pthread_key_delete(key);
	MUST(!pthread_join(made, NULL));
	OUTCOME("%d", atomic_load(&y));
}

int main(void)
{
	EXPECT_NATIVE(destructor_beside, "00 1", "01 1", "10 1", "11 1");
	EXPECT_NATIVE(deleted_beside, "0", "1");
	return done();
}
