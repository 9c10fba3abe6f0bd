/*
 * A cache of escaped strings. After the escapes and entities of Commons Lang, whose tables are made when they are needed first.
 */
#include "escape.h"

#include <stdlib.h>
#include <string.h>

static const struct entity basic[ENTITIES] = {{'<', "lt"},
					      {'>', "gt"},
					      {'&', "amp"},
					      {'"', "quot"},
					      {'\'', "apos"}};

void
escaper_init(struct escaper *e)
{
	memset(e, 0, sizeof(*e));
	pthread_mutex_init(&e->lock, NULL);
}

/* ---- with the lock ---- */

static void
add(struct escaper *e, char c, const char *name)
{
	if (e->count == ENTITIES)
		abort();
	e->entities[e->count].c = c;
	e->entities[e->count].name = name;
	e->count++;
}

static int
find(const struct escaper *e, const char *text)
{
	for (unsigned i = 0; i < CACHED && i < e->used; i++)
		if (!strcmp(e->cached[i].from, text))
			return (int)i;
	return -1;
}

/* ---- entities ---- */

void
escaper_add(struct escaper *e, char c, const char *name)
{
	pthread_mutex_lock(&e->lock);
	add(e, c, name);
	pthread_mutex_unlock(&e->lock);
}

int
escaper_count(struct escaper *e)
{
	int count;

	pthread_mutex_lock(&e->lock);
	count = e->count;
	pthread_mutex_unlock(&e->lock);
	return count;
}

static void
need_entities(struct escaper *e)
{
	pthread_mutex_lock(&e->lock);
	for (int i = e->count; i < ENTITIES; i++)
		add(e, basic[i].c, basic[i].name);
	pthread_mutex_unlock(&e->lock);
}

const char *
escaper_name(struct escaper *e, char c)
{
	const char *name = NULL;

	need_entities(e);
	pthread_mutex_lock(&e->lock);
	for (int i = 0; i < e->count && !name; i++)
		if (e->entities[i].c == c)
			name = e->entities[i].name;
	pthread_mutex_unlock(&e->lock);
	return name;
}

/* ---- strings ---- */

static int
recall(struct escaper *e, const char *text, char *escaped)
{
	int at;

	pthread_mutex_lock(&e->lock);
	at = find(e, text);
	if (at >= 0) {
		strcpy(escaped, e->cached[at].to);
		e->hits++;
	}
	pthread_mutex_unlock(&e->lock);
	return at >= 0;
}

static void
remember(struct escaper *e, const char *text, const char *escaped)
{
	pthread_mutex_lock(&e->lock);
	strcpy(e->cached[e->used % CACHED].from, text);
	strcpy(e->cached[e->used % CACHED].to, escaped);
	e->used++;
	e->misses++;
	pthread_mutex_unlock(&e->lock);
}

void
escaper_escape(struct escaper *e, const char *text, char *escaped)
{
	char *to = escaped;

	if (recall(e, text, escaped))
		return;
	for (const char *c = text; *c; c++) {
		const char *name = escaper_name(e, *c);

		if (!name) {
			*to++ = *c;
			continue;
		}
		*to++ = '&';
		for (; *name; name++)
			*to++ = *name;
		*to++ = ';';
	}
	*to = '\0';
	remember(e, text, escaped);
}

int
escaper_is_cached(struct escaper *e, const char *text)
{
	int at;

	pthread_mutex_lock(&e->lock);
	at = find(e, text);
	pthread_mutex_unlock(&e->lock);
	return at >= 0;
}

unsigned
escaper_hits(struct escaper *e)
{
	unsigned hits;

	pthread_mutex_lock(&e->lock);
	hits = e->hits;
	pthread_mutex_unlock(&e->lock);
	return hits;
}

unsigned
escaper_misses(struct escaper *e)
{
	unsigned misses;

	pthread_mutex_lock(&e->lock);
	misses = e->misses;
	pthread_mutex_unlock(&e->lock);
	return misses;
}
