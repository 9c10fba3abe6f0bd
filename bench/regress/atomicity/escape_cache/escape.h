#ifndef ESCAPE_H
#define ESCAPE_H

#include <pthread.h>
#include <stddef.h>

#define ENTITIES 5
#define CACHED 8
#define TEXT 32

struct entity {
	char c;
	const char *name;
};

/* Escapes characters that mean something in a markup, and remembers what it has escaped. Each function is atomic. */
struct escaper {
	pthread_mutex_t lock;
	struct entity entities[ENTITIES];
	int count; /* 0: they are made when they are needed first */
	struct {
		char from[TEXT], to[TEXT];
	} cached[CACHED];
	unsigned used, hits, misses;
};

void escaper_init(struct escaper *escaper);
void escaper_add(struct escaper *escaper, char c, const char *name);
int escaper_count(struct escaper *escaper);
const char *escaper_name(struct escaper *escaper, char c); /* NULL: the character stays as it is */
void escaper_escape(struct escaper *escaper, const char *text, char *escaped);
int escaper_is_cached(struct escaper *escaper, const char *text);
unsigned escaper_hits(struct escaper *escaper);
unsigned escaper_misses(struct escaper *escaper);

#endif
