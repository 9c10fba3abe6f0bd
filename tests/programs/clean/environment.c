/*
 * What libc keeps is used by one thread after the other, under a lock, or only read: the
 * environment, the calendar. The results are still valid after other threads have used theirs.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
use(void *arg)
{
	time_t day = 86400 * 400;
	struct tm own;

	assert(getenv("SLEAVE_TEST_LEVEL"));
	assert(gmtime_r(&day, &own) && own.tm_year == 71);
	pthread_mutex_lock(&lock);
	assert(gmtime(&day)->tm_year == 71 && localtime(&day)->tm_year == 71);
	assert(!strcmp(asctime(gmtime(&day)), "Fri Feb  5 00:00:00 1971\n"));
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t t;

	setenv("SLEAVE_TEST_LEVEL", "3", 1);
	pthread_create(&t, NULL, use, NULL);
	use(NULL);
	pthread_join(t, NULL);
	assert(!unsetenv("SLEAVE_TEST_LEVEL"));
	return 0;
}
