/* CPU-bound: two threads multiply small matrices, each its own; much is computed for each access. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N 48

struct work {
	double a[N][N], b[N][N], c[N][N];
	long rounds;
};

static void
multiply(struct work *w)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += w->a[i][k] * w->b[k][j];
			w->c[i][j] = sum / N;
		}
}

static void *
run(void *argument)
{
	struct work *w = argument;

	for (int i = 0; i < N * N; i++)
		w->a[i / N][i % N] = w->b[i / N][i % N] = i % 7;
	for (long r = 0; r < w->rounds; r++) {
		multiply(w);
		w->a[r % N][0] = w->c[r % N][1];
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 200;
	pthread_t threads[2];
	struct work *work = calloc(2, sizeof(*work));

	for (int i = 0; i < 2; i++) {
		work[i].rounds = rounds;
		pthread_create(&threads[i], NULL, run, &work[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%g\n", work[0].c[1][1] + work[1].c[2][2]);
	free(work);
	return 0;
}
