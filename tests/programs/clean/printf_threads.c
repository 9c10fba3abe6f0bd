/*
 * printf() by four threads and main, buffered and not: no race, and nothing on Sleave's own standard output.
 */
/* options: --schedules 2000 */
#include <pthread.h>
#include <stdio.h>

static void *
say(void *arg)
{
	printf("%s, line one\n", (const char *)arg);
	fprintf(stderr, "%s\n", (const char *)arg);
	puts("line two");
	return NULL;
}

int
main(void)
{
	static char names[4][8] = {"Ada", "Grace", "Mary", "Joan"};
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, say, names[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		printf("%s has ended", names[i]);
	}
	fflush(stdout);
	return 0;
}
