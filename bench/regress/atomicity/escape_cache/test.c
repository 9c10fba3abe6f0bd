/*
 * Threads escape strings, with an escaper that has escaped nothing yet.
 */
#include "escape.h"

#include <assert.h>
#include <string.h>

static struct escaper escaper;

static void *
compare(void *arg)
{
	char text[TEXT];

	escaper_escape(&escaper, "a < b", text);
	assert(!strcmp(text, "a &lt; b") && escaper_is_cached(&escaper, "a < b"));
	escaper_escape(&escaper, "a < b", text);
	assert(!strcmp(text, "a &lt; b") && escaper_hits(&escaper) > 0);
	return arg;
}

static void *
quote(void *arg)
{
	char text[TEXT];

	escaper_escape(&escaper, "'c'", text);
	assert(!strcmp(text, "&apos;c&apos;") && escaper_misses(&escaper) > 0);
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	escaper_init(&escaper);
	pthread_create(&threads[0], NULL, compare, NULL);
	pthread_create(&threads[1], NULL, quote, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(escaper_count(&escaper) == ENTITIES && escaper_misses(&escaper) == 2);
	return 0;
}
