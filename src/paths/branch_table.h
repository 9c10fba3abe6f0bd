/*
 * The branch-condition table and the table of branch-affect groups of Algorithm 4 of "Efficient Execution Path Exploration for
 * Detecting Races in Concurrent Programs" (Figs. 11 and 12): which combinations of outcomes of the branches were executed, and which
 * group of which branch would be executed for one that was not.
 *
 * Rows that nothing is known of are not stored: with n branches there are 2^n of them. A branch that was found later has the outcome "not
 * reached" in the rows before, as one that an execution did not come to; such rows are in the table only if they were executed.
 *
 * Where this differs from the paper: in Table IV the fourth row is still untested after V5 was executed (Table III, step 4.1), which
 * has just its outcomes, and V5 is chosen a second time. Here an execution marks its row, and the last step is V3 and V6: with V1 and V5
 * these are the four executions that the paper counts. (Its Table IV also means step 3.2.4 by "step 4", 4.1 by 5.1, 4.3 by 5.2.)
 */
#ifndef SL_PATHS_BRANCH_TABLE_H
#define SL_PATHS_BRANCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_OUTCOME_NONE UINT32_MAX /* of a row: the branch was not reached; of a group: untested */

enum sl_row_state { SL_ROW_UNTESTED, SL_ROW_INFEASIBLE, SL_ROW_TESTED };

/* A branch-affect group. */
struct sl_affect_group {
	uint32_t *members; /* numbers of executions, or of execution-variants, rising */
	size_t count, room;
	uint32_t outcome;
};

struct sl_table_branch {
	char *name;
	char **outcomes;
	size_t outcome_count, outcome_room;
	struct sl_affect_group *groups;
	size_t group_count, group_room;
};

struct sl_table_row {
	uint32_t *outcomes; /* of the first `count` branches; the others were not reached */
	size_t count;
	enum sl_row_state state;
	char *by; /* what tested it */
};

/* All zero: empty. */
struct sl_branch_table {
	struct sl_table_branch *branches;
	size_t branch_count, branch_room;
	struct sl_table_row *rows;
	size_t row_count, row_room;
	uint32_t *slots; /* hash table of rows, plus one */
	size_t slot_count;
};

void sl_branch_table_release(struct sl_branch_table *table);

/* Returns the number of the branch. */
uint32_t sl_branch_table_add_branch(struct sl_branch_table *table, const char *name);
/* Returns the number of the outcome, also if the branch has it already. */
uint32_t sl_branch_table_add_outcome(struct sl_branch_table *table, uint32_t branch, const char *name);
/* Returns the number of the group, of which nothing is known. */
uint32_t sl_branch_table_add_group(struct sl_branch_table *table, uint32_t branch);
void sl_branch_table_add_member(struct sl_branch_table *table, uint32_t branch, uint32_t group, uint32_t member);
/* All members of the group have this outcome. */
void sl_branch_table_decide(struct sl_branch_table *table, uint32_t branch, uint32_t group, uint32_t outcome);

/*
 * An execution had these outcomes, one for each of the first `count` branches, or no execution can have them. A row
 * that was tested stays so, and what tested it first. Returns whether the row is new or its state has changed.
 */
bool sl_branch_table_mark(struct sl_branch_table *table, const uint32_t *outcomes, size_t count,
			  enum sl_row_state state, const char *by);
enum sl_row_state sl_branch_table_state(const struct sl_branch_table *table, const uint32_t *outcomes);

/* Combinations of one outcome of each branch, and how many of them are untested; UINT64_MAX: that many or more. */
uint64_t sl_branch_table_rows(const struct sl_branch_table *table);
uint64_t sl_branch_table_untested(const struct sl_branch_table *table);
/* The next untested row after these outcomes, or the first one. Returns false if there is none. */
bool sl_branch_table_first_untested(const struct sl_branch_table *table, uint32_t *outcomes);
bool sl_branch_table_next_untested(const struct sl_branch_table *table, uint32_t *outcomes);

/*
 * Step 3.2.2: the members that are, of every branch, in a group with the outcome of the row. Returns how many there are; the array is
 * allocated.
 */
size_t sl_branch_table_candidates(const struct sl_branch_table *table, const uint32_t *outcomes,
				  uint32_t **members);
/* Step 3.2.4: a group of which no member was executed. Returns false if there is none (condition 2 of step 2). */
bool sl_branch_table_untested_group(const struct sl_branch_table *table, uint32_t *branch, uint32_t *group);

/* As text in aligned columns, which is allocated. Of many rows only so many are shown, those first that something is known of. */
char *sl_branch_table_text(const struct sl_branch_table *table, uint64_t limit);
/* The table of groups; `member` gives the name of a member. */
char *sl_branch_table_groups_text(const struct sl_branch_table *table,
				  const char *(*member)(void *data, uint32_t number), void *data);

#endif
