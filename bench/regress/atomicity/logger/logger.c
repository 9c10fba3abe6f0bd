/*
 * Loggers in a tree. After the class Logger of the JDK: while threads log, another one may change what is logged.
 */
#include "logger.h"

#include <stdio.h>
#include <stdlib.h>

struct logger *
logger_new(struct logger *parent, const char *name)
{
	struct logger *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	pthread_mutex_init(&l->lock, NULL);
	l->parent = parent;
	l->level = parent ? LEVEL_ALL : LEVEL_INFO;
	l->use_parent = parent != NULL;
	snprintf(l->name, sizeof(l->name), "%s", name);
	return l;
}

void
logger_free(struct logger *l)
{
	pthread_mutex_destroy(&l->lock);
	free(l);
}

void
logger_set_level(struct logger *l, enum level level)
{
	pthread_mutex_lock(&l->lock);
	l->level = level;
	pthread_mutex_unlock(&l->lock);
}

enum level
logger_level(struct logger *l)
{
	enum level level;

	pthread_mutex_lock(&l->lock);
	level = l->level;
	pthread_mutex_unlock(&l->lock);
	return level;
}

enum level
logger_effective_level(struct logger *l)
{
	enum level level = LEVEL_ALL;

	for (; l && level == LEVEL_ALL; l = l->parent)
		level = logger_level(l);
	return level;
}

void
logger_set_filter(struct logger *l, struct filter *filter)
{
	pthread_mutex_lock(&l->lock);
	l->filter = filter;
	pthread_mutex_unlock(&l->lock);
}

struct filter *
logger_filter(struct logger *l)
{
	struct filter *filter;

	pthread_mutex_lock(&l->lock);
	filter = l->filter;
	pthread_mutex_unlock(&l->lock);
	return filter;
}

void
logger_set_handler(struct logger *l, struct handler *handler)
{
	pthread_mutex_lock(&l->lock);
	l->handler = handler;
	pthread_mutex_unlock(&l->lock);
}

void
logger_use_parent(struct logger *l, int use)
{
	pthread_mutex_lock(&l->lock);
	l->use_parent = use;
	pthread_mutex_unlock(&l->lock);
}

int
logger_is_loggable(struct logger *l, enum level level)
{
	enum level least = logger_effective_level(l);

	return least != LEVEL_OFF && level >= least;
}

/* Counts it, too. */
static int
passes(struct logger *l, const struct record *record)
{
	int pass;

	pthread_mutex_lock(&l->lock);
	l->asked++;
	pass = !l->filter || l->filter->passes(l->filter, record);
	if (pass)
		l->logged++;
	pthread_mutex_unlock(&l->lock);
	return pass;
}

void
logger_log(struct logger *l, enum level level, int number, int source)
{
	struct record record = {.level = level, .number = number, .source = source};
	int go_on = 1;

	if (!logger_is_loggable(l, level))
		return;
	if (!passes(l, &record))
		return;
	snprintf(record.text, sizeof(record.text), "%d: event %d", source, number);
	for (; l && go_on; l = l->parent) {
		struct handler *handler;

		pthread_mutex_lock(&l->lock);
		handler = l->handler;
		go_on = l->use_parent;
		pthread_mutex_unlock(&l->lock);
		if (handler)
			handler_publish(handler, &record);
	}
}

unsigned
logger_logged(struct logger *l)
{
	unsigned logged;

	pthread_mutex_lock(&l->lock);
	logged = l->logged;
	pthread_mutex_unlock(&l->lock);
	return logged;
}

unsigned
logger_asked(struct logger *l)
{
	unsigned asked;

	pthread_mutex_lock(&l->lock);
	asked = l->asked;
	pthread_mutex_unlock(&l->lock);
	return asked;
}
