#ifndef LOGGER_H
#define LOGGER_H

#include <pthread.h>

#define HISTORY 8
#define LINE 24

enum level { LEVEL_ALL, LEVEL_FINE, LEVEL_INFO, LEVEL_WARNING, LEVEL_SEVERE, LEVEL_OFF };

struct record {
	enum level level;
	int number, source;
	char text[LINE];
};

/* Says which records are logged. */
struct filter {
	int (*passes)(const struct filter *filter, const struct record *record);
	int least, modulus;
	int hits, misses;
};

/* The last records, and how many there were of each level. */
struct handler {
	pthread_mutex_t lock;
	struct record last[HISTORY];
	unsigned count, by_level[LEVEL_OFF + 1];
	enum level level;
	long bytes;
};

/* A logger in a tree; its level, if it has none, is that of its parent. */
struct logger {
	pthread_mutex_t lock;
	struct logger *parent;
	enum level level; /* LEVEL_ALL: the parent's */
	struct filter *filter;
	struct handler *handler;
	int use_parent;
	unsigned asked, logged;
	char name[LINE];
};

struct logger *logger_new(struct logger *parent, const char *name);
void logger_free(struct logger *logger);
void logger_set_level(struct logger *logger, enum level level);
enum level logger_level(struct logger *logger); /* its own */
enum level logger_effective_level(struct logger *logger);
void logger_set_filter(struct logger *logger, struct filter *filter);
struct filter *logger_filter(struct logger *logger);
void logger_set_handler(struct logger *logger, struct handler *handler);
void logger_use_parent(struct logger *logger, int use);
int logger_is_loggable(struct logger *logger, enum level level);
void logger_log(struct logger *logger, enum level level, int number, int source);
unsigned logger_logged(struct logger *logger);
unsigned logger_asked(struct logger *logger);

/* handler.c */
void handler_init(struct handler *handler, enum level level);
void handler_publish(struct handler *handler, const struct record *record);
void handler_set_level(struct handler *handler, enum level level);
unsigned handler_count(struct handler *handler, enum level level);
unsigned handler_total(struct handler *handler);
long handler_bytes(struct handler *handler);
int handler_last(struct handler *handler, struct record *record); /* 0: there is none */
int handler_find(struct handler *handler, int number);            /* among the last ones */
void handler_clear(struct handler *handler);

#endif
