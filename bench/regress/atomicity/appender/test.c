/*
 * Threads log faster than the appender writes. What it has taken is written, and it is closed in the end.
 */
#include "appender.h"

#include <assert.h>
#include <stdint.h>

#define LOGGERS 2
#define EVENTS 6

static struct appender appender;
static struct target file, console;
static int taken[LOGGERS];

static void *
log_events(void *number)
{
	int mine = (int)(intptr_t)number;

	for (int i = 1; i <= EVENTS; i++)
		if (appender_append(&appender, i))
			taken[mine]++;
	return NULL;
}

int
main(void)
{
	pthread_t loggers[LOGGERS];
	int sum = 0;

	target_init(&file, 0);
	target_init(&console, EVENTS);
	appender_start(&appender);
	appender_attach(&appender, &file);
	appender_attach(&appender, &console);
	for (intptr_t i = 0; i < LOGGERS; i++)
		pthread_create(&loggers[i], NULL, log_events, (void *)i);
	for (int i = 0; i < LOGGERS; i++) {
		pthread_join(loggers[i], NULL);
		sum += taken[i];
	}
	appender_close(&appender);
	assert(!appender_append(&appender, 0));
	assert(appender_accepted(&appender) == sum && sum + appender_discarded(&appender) == LOGGERS * EVENTS + 1);
	assert(target_count(&file) == sum && target_sum(&file) >= sum);
	assert(target_count(&console) <= LOGGERS);
	return 0;
}
