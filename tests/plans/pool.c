/* A pool of two workers: the thread that submits a job releases it before a worker has taken hold of it. Either worker may come. */
#include <pthread.h>
#include <stdlib.h>
struct job {
	struct job *next;
	int holders;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct job *first;
static int stop;
static void let_go(struct job *job)
{
	int left;

	pthread_mutex_lock(&lock);
	left = --job->holders;
	pthread_mutex_unlock(&lock);
	if (!left)
		free(job);
}
static void *worker(void *arg)
{
	struct job *job;

	pthread_mutex_lock(&lock);
	while (!first && !stop)
		pthread_cond_wait(&filled, &lock);
	job = first;
	if (job) {
		first = job->next;
		job->holders++;
	}
	pthread_mutex_unlock(&lock);
	if (job)
		let_go(job);
	return arg;
}
int main(void)
{
	struct job *job = calloc(1, sizeof(*job));
	pthread_t workers[2];

	job->holders = 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	first = job;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
	let_go(job);
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	return 0;
}
