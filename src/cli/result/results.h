/*
 * The results of a search: stories, replay files, the verdict. They are made from the arena of a session or of a
 * test that called sleave_explore(). Used by `sleave run`, `sleave replay` and `sleave report`.
 */
#ifndef SL_CLI_RESULT_RESULTS_H
#define SL_CLI_RESULT_RESULTS_H

#include "base/err.h"
#include "cli/session/options.h"
#include "report/report.h"
#include "report/story/suppression.h"
#include "search/arena.h"

#include <stdbool.h>

struct sl_results {
	uint64_t before;   /* executions that were recorded for it; set by the command */
	uint64_t earlier;  /* executions before the run started over with another world; set by the command */
	unsigned given_up; /* executions whose process was ended because the time was over; set by the command */
	uint64_t stuck_pc; /* as in session.h; set by the command */
	char stuck_at[256];
	struct sl_arena *arena;
	/* given by the command */
	FILE *out; /* for text; NULL: print nothing */
	struct sl_style style;
	const char *program; /* absolute */
	char **argv;
	const char *cwd;
	char **environment; /* its environment; NULL: the command's */
	char build_id[72];
	const char *output; /* folder for replay files; NULL: write none */
	uint32_t explore_call;
	uint32_t world;                       /* the first one */
	const char *replay;                   /* if output is NULL: the replay file that exists already */
	bool trace;                           /* every operation, before the story */
	struct sl_suppressions *suppressions; /* NULL: none */
	bool only_early; /* only write replay files early: another process reports the findings */
	bool first_only; /* the first finding that is not suppressed ends the search */
	/* made here */
	struct sl_names *names, *old[16];
	uint32_t named; /* the number of modules that the names cover */
	unsigned old_count;
	bool told[SL_FINDINGS_MAX];
	struct sl_outline *findings, *warnings; /* SL_FINDINGS_MAX of each */
	size_t finding_count, warning_count, suppressed_count;
	struct sl_escaped escapes[SL_ESCAPES_MAX];
	struct sl_not_seen not_seen[SL_UNSEEN_MAX];
	struct sl_followed schedules[SL_TALLIES_MAX];
	bool troubled; /* a worker ended early; the reason says why, even if there are findings */
	char reason[2048];
	char left_behind[640]; /* a finding that did not happen in a new process; empty: none */
};

void sl_results_init(struct sl_results *results, struct sl_arena *arena);
void sl_results_release(struct sl_results *results);

/* Returns whether a finding is ready and was not reported yet. */
bool sl_results_wait(const struct sl_results *results);

/* Prints the stories that were not reported yet and writes their replay files; all: also of findings that are not ready. */
void sl_results_tell(struct sl_results *results, bool all);

/*
 * The verdict. The caller may give a reason why it must be "undecided" (NULL: none); a finding has priority.
 * The results own the data to which the summary points.
 */
void sl_results_judge(struct sl_results *results, struct sl_summary *summary, const char *reason,
		      bool interrupted);

/* Copies as much of the text as there is room for, cut between two characters. */
void sl_text_cut(char *to, size_t room, const char *text);

/* Describes a finding in one sentence. */
void sl_results_headline(struct sl_results *results, const struct sl_finding *finding, char *text, size_t room);

/* Collects orderings that could lead to the finding again (report/schedule/orderings.c), and describes choices
 * that no ordering can express; both are empty if nothing is known. */
size_t sl_results_orderings(struct sl_results *results, struct sl_case *c, struct sl_ordering *orderings,
			    size_t max, char *unordered, size_t room);

/* Returns whether equal schedules gave different executions, because their initial state is not fully restored. `world` is
 * what the user asked for. */
bool sl_results_is_world_wrong(const struct sl_results *results, uint64_t world);

/* Stores the steps of the traced execution, to be released; none if there are no names. */
void sl_results_steps(struct sl_results *results, const struct sl_case *c, struct sl_steps *steps);

/* Returns the names of addresses; NULL if libdw fails. */
struct sl_names *sl_results_names(struct sl_results *results);

/* Returns how to print on this stream. */
struct sl_style sl_style_for(FILE *out, uint64_t colour);

int sl_verdict_status(enum sl_verdict verdict);

/*
 * Writes the replay files of unfinished findings, as they are now, so that they exist if the process is killed. They are
 * replaced when the finding is reported, and removed if it is not.
 */
void sl_results_write_early(struct sl_results *results);

/* Removes those of findings that were not reported, except that of the case `but`. */
void sl_results_drop_early(struct sl_results *results, const struct sl_case *but);

/*
 * The folder for replay files that `sleave test` has given, relative to the current folder if that is shorter;
 * `otherwise` if that is NULL or "".
 */
const char *sl_output_here(const char *output, const char *otherwise);

/* Writes the replay file of a case, or finds that it has one; its name is in path. */
int sl_results_write(struct sl_results *results, struct sl_case *c, const char *message, char *path, size_t room,
		     struct sl_err *err);

#endif
