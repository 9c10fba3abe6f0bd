#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;

static void *worker(void *unused)
{
	atomic_fetch_add(&x, 1);
	return unused;
}

static void body(void *count)
{
	pthread_t threads[2];

	for (int i = 0; i < *(int *)count; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < *(int *)count; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	struct sleave_result result;
	struct sleave_options options = {.result = &result};
	int count = 2;

	for (int i = 0; i < 2; i++)
		if (sleave_explore(body, &count, &options) != SLEAVE_CLEAN)
			return 1;
	printf("%d executions\n", (int)result.executions);
	return 0;
}
