/*
 * A helper that a suite starts before each test: the section is explored by the whole program, and comes to it by the test
 * that has it, and no other.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, done, over, used;
static pthread_t helper;

static void *
help(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!over) {
		if (!jobs) {
			pthread_cond_wait(&changed, &mutex);
			continue;
		}
		jobs--;
		done++;
		sleave_event("done");
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void
begin(void)
{
	pthread_create(&helper, NULL, help, NULL);
}

static void
end(void)
{
	pthread_mutex_lock(&mutex);
	over = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(helper, NULL);
}

/* The helper may have finished the second already. */
static int
ask(void)
{
	int before, after;

	pthread_mutex_lock(&mutex);
	before = done;
	jobs += 2;
	sleave_event("asked");
	pthread_cond_broadcast(&changed);
	while (done == before)
		pthread_cond_wait(&changed, &mutex);
	after = done;
	while (done < before + 2)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return after - before;
}

TestSuite(helped, .init = begin, .fini = end);

Test(helped, another)
{
	cr_assert_eq(used++, 0);
	SLEAVE_SCHEDULES("asks first", "asked -> done#1")
		cr_assert_geq(ask(), 1);
}

Test(helped, always)
{
	cr_assert_eq(used++, 0);
	SLEAVE_SCHEDULES("asks first", "asked -> done#1") {
		int got = ask();

		cr_assert(!sleave_active() || got != 2, "both were done: %d", got);
	}
}
