/*
 * arrivals THREAD…: a program as its arguments say, a thread for each: a small letter is an event, `L` and `U`
 * lock and unlock, `M` and `V` the same with another mutex, `P` and `W` post to and wait for a semaphore. With
 * SCHEDULE in the environment they are a section. For arrivals.py, which computes all possible executions.
 */
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stdlib.h>

enum { THREADS_MAX = 4 };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static void *
run(void *text)
{
	for (const char *c = text; *c; c++) {
		char name[2] = {*c};

		switch (*c) {
		case 'L':
			pthread_mutex_lock(&first);
			break;
		case 'U':
			pthread_mutex_unlock(&first);
			break;
		case 'M':
			pthread_mutex_lock(&second);
			break;
		case 'V':
			pthread_mutex_unlock(&second);
			break;
		case 'P':
			sem_post(&semaphore);
			break;
		case 'W':
			sem_wait(&semaphore);
			break;
		default:
			sleave_event(name);
		}
	}
	return NULL;
}

static void
run_all(char **threads)
{
	pthread_t ids[THREADS_MAX];

	for (int t = 0; t < THREADS_MAX && threads[t]; t++)
		pthread_create(&ids[t], NULL, run, threads[t]);
	for (int t = 0; t < THREADS_MAX && threads[t]; t++)
		pthread_join(ids[t], NULL);
}

int
main(int count, char **arguments)
{
	const char *schedule = getenv("SCHEDULE");

	(void)count;
	sem_init(&semaphore, 0, 0);
	if (!schedule)
		run_all(arguments + 1);
	else
		SLEAVE_SCHEDULES("the schedule", schedule)
			run_all(arguments + 1);
	return 0;
}
