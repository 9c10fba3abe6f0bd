/*
 * Threads log, each to its own logger and to a common one, while another thread changes levels, and takes the filter of the common one
 * away for a moment.
 */
#include "logger.h"

#include <assert.h>
#include <stdint.h>

#define LOGGERS 2
#define ROUNDS 220

static struct logger *root, *common, *own[LOGGERS];
static struct handler console, file;

static int
is_important(const struct filter *filter, const struct record *record)
{
	return record->level >= (enum level)filter->least || record->number % filter->modulus == 0;
}

static struct filter filter = {.passes = is_important, .least = LEVEL_WARNING, .modulus = 2};

static void *
log_events(void *number)
{
	int mine = (int)(intptr_t)number;
	struct record last;

	for (int i = 0; i < ROUNDS; i++) {
		logger_log(own[mine], LEVEL_INFO + i % 3, i, mine);
		logger_log(own[mine], LEVEL_FINE, i, mine);
		if (i % 4 == 0) {
			logger_log(common, LEVEL_INFO, i, mine);
			assert(!handler_last(&console, &last) || last.level >= LEVEL_INFO);
			assert(handler_count(&console, LEVEL_FINE) == 0);
		}
		if (i % 8 == 0) {
			assert(handler_find(&console, -1) == 0 && handler_bytes(&console) >= 0);
			assert(logger_asked(own[mine]) <= (unsigned)i + 1);
		}
	}
	return NULL;
}

static void *
configure(void *arg)
{
	for (int i = 0; i < 20; i++) {
		logger_set_level(root, LEVEL_WARNING);
		logger_set_level(root, LEVEL_INFO);
		handler_set_level(&file, i % 2 ? LEVEL_INFO : LEVEL_SEVERE);
		logger_use_parent(own[0], 0);
		logger_use_parent(own[0], 1);
		logger_set_handler(own[1], &file);
		if (i % 10 == 9) {
			logger_set_filter(common, NULL);
			logger_set_filter(common, &filter);
		}
		assert(logger_effective_level(own[1]) == LEVEL_INFO && handler_total(&file) <= 2 * ROUNDS);
	}
	assert(logger_filter(common));
	return arg;
}

int
main(void)
{
	pthread_t threads[LOGGERS], changer;

	handler_init(&console, LEVEL_INFO);
	handler_init(&file, LEVEL_ALL);
	root = logger_new(NULL, "");
	common = logger_new(root, "common");
	logger_set_handler(root, &console);
	logger_set_filter(common, &filter);
	for (int i = 0; i < LOGGERS; i++)
		own[i] = logger_new(common, i ? "one" : "zero");
	for (intptr_t i = 0; i < LOGGERS; i++)
		pthread_create(&threads[i], NULL, log_events, (void *)i);
	pthread_create(&changer, NULL, configure, NULL);
	for (int i = 0; i < LOGGERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(changer, NULL);
	assert(logger_asked(common) <= LOGGERS * ROUNDS / 4 && logger_logged(common) <= logger_asked(common));
	handler_clear(&console);
	assert(!handler_total(&console));
	for (int i = 0; i < LOGGERS; i++)
		logger_free(own[i]);
	logger_free(common);
	logger_free(root);
	return 0;
}
