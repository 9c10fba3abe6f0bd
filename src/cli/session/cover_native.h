/*
 * Coverage of executions on real threads, with noise: the random baselines rnd-y, rnd-s10 and rnd-s100. Used by `sleave cover`.
 */
#ifndef SL_CLI_SESSION_COVER_NATIVE_H
#define SL_CLI_SESSION_COVER_NATIVE_H

#include "base/err.h"
#include "coverage/coverage.h"
#include "report/cover/cover.h"
#include "trace/name/name.h"

#include <stdbool.h>
#include <stdint.h>

struct sl_drain;

struct sl_cover_noise {
	const char *strategy;
	double probability;
	const struct sl_criterion *criterion;
	const char *program;
	char **argv;
	const char *library; /* as in struct sl_native_program; the input, too */
	int input;
	struct sl_drain *drain;                   /* writes the trace; NULL: none */
	uint64_t seed, schedules, time, watchdog; /* 0: no limit; nanoseconds */
	uint64_t window, window_time;
	double coefficient;
	/* called after each execution with the results so far; returns false to end */
	bool (*tick)(void *data, struct sl_cover_noise *noise);
	void *data;
	/* out */
	struct sl_coverage *coverage;
	struct sl_names *names;    /* NULL until the first execution has ended */
	struct sl_module *modules; /* the libraries of all executions so far, to which the names belong */
	uint32_t module_count;
	double seconds;
	uint64_t failed;     /* executions that failed, */
	char how[96];        /* how the first of them ended, */
	uint64_t failed_at;  /* … and its number */
	bool interrupted;    /* tick() returned false */
	uint64_t unrecorded; /* threads that were not recorded, in all executions */
};

/* Returns whether there is a strategy of that name. */
bool sl_cover_noise_is(const char *strategy);

/* Runs one execution without noise for the estimate, which is not counted, then those with noise. */
int sl_cover_noise_run(struct sl_cover_noise *noise, struct sl_err *err);
void sl_cover_noise_release(struct sl_cover_noise *noise);

#endif
