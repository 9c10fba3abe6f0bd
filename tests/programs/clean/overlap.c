/*
 * bug/race/overlap.c, repaired, and harder: four threads write neighbouring bytes, two more the halves of the next
 * word. Nothing is to be found.
 */
/* options: --schedules 2000 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static struct {
	unsigned char bytes[4];
	uint16_t halves[2];
} word;

static void *
set_byte(void *arg)
{
	*(unsigned char *)arg = 1;
	*(unsigned char *)arg += 1;
	return NULL;
}

static void *
set_half(void *arg)
{
	*(uint16_t *)arg = 1;
	return NULL;
}

int
main(void)
{
	pthread_t threads[6];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, set_byte, &word.bytes[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[4 + i], NULL, set_half, &word.halves[i]);
	for (int i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	assert(word.bytes[0] + word.bytes[3] + word.halves[0] + word.halves[1] == 6);
	return 0;
}
