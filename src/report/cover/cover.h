/*
 * The result of `sleave cover` by names: everything that is printed, drawn and stored. The command fills it from
 * the arena (cli/result/cover_result.c); the functions here only show it.
 */
#ifndef SL_REPORT_COVER_COVER_H
#define SL_REPORT_COVER_COVER_H

#include "report/report.h"

enum sl_covered { SL_COVERED_YES, SL_COVERED_NOT_YET, SL_COVERED_NEVER };

struct sl_cover_pair {
	const char *first, *second; /* "queue.c:31:9 (push)" */
	/* what is accessed there, as the source writes it: "queue->lock"; NULL: it is not known, or comes from the store */
	const char *first_object, *second_object;
	enum sl_covered state;
	bool foreseen; /* the estimate from before the search had it */
	uint64_t
		known; /* not NEVER: the execution that first led to expecting it, or covered it; 0: it was expected from the start */
	uint64_t execution; /* YES: the first execution that covered it, … */
	double seconds;        /* … and when that was */
	unsigned near; /* NOT_YET: 0, or the number of others that came between in the nearest attempt, */
	const char *near_last; /* the last of these here, */
	uint32_t near_thread; /* by this thread */
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
	bool estimates; /* the criterion estimates what can be covered */
	bool nearness; /* … and how near an execution came */
	uint64_t seed, executions;
	double seconds;
	struct sl_cover_pair *pairs; /* YES, NOT_YET, NEVER; sorted by name */
	size_t count;
	size_t covered, estimated, never; /* estimated includes the covered ones */
	size_t first_estimate,
		unforeseen; /* foreseen before the search; covered, and not foreseen then */
	struct sl_cover_growth *growth; /* an entry for each execution that increased one of the numbers */
	size_t growth_count;
	bool complete;      /* every interleaving was run */
	uint64_t saturated; /* the execution after which coverage was saturated; 0: it was not */
	uint64_t window;    /* executions, or else … */
	double window_seconds;
	uint64_t rules[4]; /* of tsa */
	uint64_t lost; /* how often there was no room: the numbers are too low */
	uint64_t
		unsure; /* pairs of places that may be several, because libraries came and went at one address */
	uint64_t estimates_made;
	char **texts; /* texts that it owns */
	size_t text_count;
};

/* The covered share of the estimated pairs, in percent; 100 if none is estimated. */
double sl_cover_share(const struct sl_cover_report *report);
/* A share with one digit; never 100.0 if a pair is missing. */
double sl_cover_told(double share);

/* all: covered pairs are listed, too, and all that were ruled out. */
void sl_cover_print(FILE *out, const struct sl_style *style, const struct sl_cover_report *report, bool all);
/* One object on one line; `run`: of the run, or NULL. */
void sl_cover_json(FILE *out, const struct sl_cover_report *report, const struct sl_summary *run);
/* Coverage over executions and over time, as a picture. */
void sl_cover_plot(FILE *out, const struct sl_cover_report *report);
/* Coverage over executions as a line of `width` block characters; text has room for 3 bytes each and one more. */
void sl_cover_sparkline(const struct sl_cover_report *report, unsigned width, char *text);

#endif
