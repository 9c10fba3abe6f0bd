/*
 * Helper threads that tests share: they wait for work since before the first section,
 * perform events in several of them, and whether they are blocked is known all the time.
 */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static int wanted, done, waiting, stop;

static void *
helper(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&lock);
	while (!stop) {
		if (!wanted) {
			waiting++;
			pthread_cond_signal(&idle);
			pthread_cond_wait(&work, &lock);
			waiting--;
			continue;
		}
		wanted--;
		pthread_mutex_unlock(&lock);
		sleave_event("works");
		pthread_mutex_lock(&lock);
		done++;
		pthread_mutex_unlock(&lock);
		sleave_event("worked");
		pthread_mutex_lock(&lock);
		pthread_cond_signal(&idle);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void
ask(void)
{
	pthread_mutex_lock(&lock);
	wanted++;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
}

/* Until both of them wait again: the schedule does not cover what comes after a section. */
static void
settle(void)
{
	pthread_mutex_lock(&lock);
	while (waiting < 2 || wanted)
		pthread_cond_wait(&idle, &lock);
	pthread_mutex_unlock(&lock);
}

int
main(void)
{
	pthread_t threads[2];
	char *names[] = {"helper1", "helper2"};

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, helper, names[i]);
	settle();
	for (int i = 0; i < 3; i++) {
		SLEAVE_SCHEDULES("all wait before", "[@helper*] -> asks, worked -> looks, [@helper1] -> looks",
				 "one after the other", "worked#1 -> works#2, worked#2 -> looks",
				 "at the same time", "works#2 -> looks, looks -> worked") {
			done = 0;
			sleave_event("asks");
			ask();
			if (sleave_schedule_name()[0] != 'a' || sleave_schedule_name()[1] != 'l')
				ask();
			sleave_event("looks");
			pthread_mutex_lock(&lock);
			int seen = done;
			pthread_mutex_unlock(&lock);
			settle();
			assert(done == 1 + (sleave_schedule_name()[1] != 'l'));
			assert(sleave_schedule_name()[1] != 'l' || seen == 1);
			assert(sleave_schedule_name()[1] != 'n' || seen == 2);
		}
	}
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
