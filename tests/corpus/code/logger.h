/* A logger: writing a line only notes it; a thread of the logger's own hands the lines, in batches, to a sink. */
#ifndef LOGGER_H
#define LOGGER_H

#include <stdbool.h>
#include <stddef.h>

#define LOGGER_LINE 80

struct logger;

/* `sink` is called by the logger's thread, without a lock. At most `capacity` lines wait for it. */
struct logger *logger_new(size_t capacity, void (*sink)(void *arg, const char *line), void *arg);
/* Writes what is there, and frees it. It is not used any more. */
void logger_close(struct logger *logger);

/* A line, cut if it is long. If there is no room: waits, or drops it and returns false. */
void logger_write(struct logger *logger, const char *line);
bool logger_try_write(struct logger *logger, const char *line);
/* Waits until every line that was written before has been through the sink. */
void logger_flush(struct logger *logger);
unsigned logger_dropped(struct logger *logger);

#endif
