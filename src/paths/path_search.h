/*
 * The search for paths: which combinations of paths can the threads take, and by which schedules? It goes through the
 * interleavings of what the threads were seen to do (behaviour.h), which costs no execution. Where a thread would observe something
 * that it was never seen to observe, and where all threads together take a combination of paths that no execution has taken, it asks
 * for an execution; when that was added to the behaviour it goes on. So each execution shows something new, and when nothing is left
 * to ask for, everything was shown.
 *
 * States that were visited are not searched again. Of operations that commute one order is enough: in a state only a persistent
 * set (Godefroid) of threads is followed.
 */
#ifndef SL_PATHS_PATH_SEARCH_H
#define SL_PATHS_PATH_SEARCH_H

#include "paths/behaviour.h"

/* Let the thread run until its operation number `index` is performed; SL_PATH_FAR: as far as it goes. */
#define SL_PATH_FAR UINT64_MAX

struct sl_path_step {
	uint64_t thread; /* path of its origin */
	uint64_t index;
	uint64_t wakes; /* 0, or the thread that this signal wakes */
};

struct sl_path_search;

struct sl_path_search_options {
	uint64_t states;      /* the most that are visited in one pass; 0: the default */
	const uint32_t *stop; /* the search ends when this is not 0; NULL: it does not */
};

struct sl_path_search *sl_path_search_new(struct sl_behaviour *behaviour,
					  const struct sl_path_search_options *options);
void sl_path_search_free(struct sl_path_search *search);

/* The schedule of the next execution: `count` steps, which live until the next call. False: nothing is left. */
bool sl_path_search_next(struct sl_path_search *search, const struct sl_path_step **steps, size_t *count);

/*
 * The execution that was asked for was added to the behaviour. combination: the paths that it has taken; 0: not known. followed: how many
 * steps it has followed. broken: it was ended by what has nothing to do with paths, and would not be a second time.
 */
void sl_path_search_learned(struct sl_path_search *search, uint64_t combination, size_t followed, bool broken);

struct sl_path_search_result {
	bool complete;         /* every combination of paths was shown */
	bool limited;          /* … was not, because there are too many states */
	uint64_t states;       /* visited in the last pass */
	uint64_t combinations; /* of paths that executions have shown */
	uint64_t unreached;    /* times that an execution did not come to where it should have */
	uint32_t rolled;       /* loops that were not unrolled any further; sl_path_search_rolled() */
};
void sl_path_search_result(const struct sl_path_search *search, struct sl_path_search_result *result);

/* Where such a loop observes what it has observed twice before: the place in the code. */
uint64_t sl_path_search_rolled(const struct sl_path_search *search, uint32_t number);

#endif
