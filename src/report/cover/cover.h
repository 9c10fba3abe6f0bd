/*
 * What a run of `sleave cover` has come to, by names: all that is printed, drawn, and stored. The command fills it from the
 * arena (cli/result/cover_result.c); everything here only shows it.
 */
#ifndef SL_REPORT_COVER_COVER_H
#define SL_REPORT_COVER_COVER_H

#include "report/report.h"

enum sl_covered { SL_COVERED_YES, SL_COVERED_NOT_YET, SL_COVERED_NEVER };

struct sl_cover_pair {
	const char *first, *second; /* "queue.c:31:9 (push)" */
	enum sl_covered state;
	bool foreseen; /* by the estimate from before the search */
	uint64_t
		known; /* not NEVER: the execution after which it was expected, or that covered it; 0: before all */
	uint64_t execution;    /* YES: the first that covered it, … */
	double seconds;        /* … and when that was */
	unsigned near;         /* NOT_YET: 0, or so many others came between in the nearest attempt, */
	const char *near_last; /* the last of them here, */
	uint32_t near_thread;  /* by this thread, */
	uint64_t near_execution;
	const char *reason; /* NEVER: a sentence; else "" */
};

struct sl_cover_growth {
	uint64_t execution;
	double seconds;
	uint32_t covered, estimated;
};

struct sl_cover_report {
	const char *program, *strategy, *criterion;
	const char *what;           /* the pairs, in the plural */
	const char *first, *second; /* what happens at the two places */
	bool estimates;             /* the criterion has an idea of what there is to cover */
	bool nearness;              /* … and of how near an execution came */
	uint64_t seed, executions;
	double seconds;
	struct sl_cover_pair *pairs; /* by name: YES, NOT_YET, NEVER */
	size_t count;
	size_t covered, estimated, never; /* estimated: with those that are covered */
	size_t first_estimate,
		unforeseen; /* of the former: foreseen before the search; covered, and not among these */
	struct sl_cover_growth *growth; /* where one of its numbers has grown */
	size_t growth_count;
	bool complete;      /* every interleaving was run */
	uint64_t saturated; /* the execution after which it was; 0: it was not */
	uint64_t window;    /* executions, or else … */
	double window_seconds;
	uint64_t rules[4]; /* tsa */
	uint64_t lost;     /* times that there was no room for something: the numbers are too low */
	uint64_t
		unsure; /* places that may be several, of libraries that came and went at one address: so they are, too */
	uint64_t estimates_made;
	char **texts; /* that belong to it */
	size_t text_count;
};

/* Of what is estimated, in percent; 100 of nothing. */
double sl_cover_share(const struct sl_cover_report *report);
/* A share as it is told, with one digit: not as 100.0 if something is missing. */
double sl_cover_told(double share);

/* all: what was covered is listed, too, and all that was ruled out. */
void sl_cover_print(FILE *out, const struct sl_style *style, const struct sl_cover_report *report, bool all);
/* One object, on one line; `run` is that of the run, or NULL. */
void sl_cover_json(FILE *out, const struct sl_cover_report *report, const struct sl_summary *run);
/* Covered over executions and over time, as a picture. */
void sl_cover_plot(FILE *out, const struct sl_cover_report *report);
/* The same over executions as a line of `width` block characters; text has room for 3 bytes each and one more. */
void sl_cover_sparkline(const struct sl_cover_report *report, unsigned width, char *text);

#endif
