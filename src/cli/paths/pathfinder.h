/*
 * The search for paths at work: makes events of the items of each execution, feeds what affects branches (paths/flow.h) and what the
 * threads do (paths/behaviour.h), and turns the schedules that are asked for (paths/path_search.h) into scripts. A scout for
 * sl_exploration_run().
 */
#ifndef SL_CLI_PATHS_PATHFINDER_H
#define SL_CLI_PATHS_PATHFINDER_H

#include "base/index.h"
#include "cli/paths/branches.h"
#include "cli/session/scout.h"
#include "paths/flow.h"
#include "paths/path_search.h"
#include "report/report.h"

#include <stdbool.h>

enum sl_path_method {
	SL_PATH_BRANCH, /* only what can affect a branch counts */
	SL_PATH_REACH,  /* reachability testing: all that threads can observe of each other does */
};

struct sl_pathfinder {
	enum sl_path_method method;
	struct sl_scout scout; /* give it to the exploration */
	struct sl_path_search_options options;
	bool table; /* branches are collected */
	/* made by the search */
	const struct sl_arena *arena;
	struct sl_behaviour *behaviour;
	struct sl_path_search *search;
	struct sl_names *names;
	struct sl_flow *flow;
	uint64_t executions, cut, strayed, asked_steps, script_steps;
	bool over;   /* the search has ended by itself */
	bool stopped; /* … because it was told to */
	bool blocks; /* the program tells which blocks it enters (sleave cc --branches) */
	/* the running execution */
	struct sl_path_walker *walkers; /* by thread */
	uint32_t walker_count, walker_room;
	struct sl_path_event *events;
	size_t event_count, event_capacity;
	struct sl_item current;   /* the operation whose value comes next */
	struct sl_index pointers; /* by place in the code: what was read there was used as a pointer */
	struct sl_index counts;   /* of semaphores and barriers, by address */
	uint32_t last;            /* the thread that ran last */
	struct sl_path_operation *operations;
	size_t operation_count, operation_capacity;
	/* what is told of the search */
	struct sl_path_branches branches;
	struct sl_paths_told told;
	struct sl_texts lacks, loops;
};

void sl_pathfinder_init(struct sl_pathfinder *pathfinder, enum sl_path_method method);
/* Once the exploration has run. It lives as long as the pathfinder. */
const struct sl_paths_told *sl_pathfinder_tell(struct sl_pathfinder *pathfinder);
void sl_pathfinder_release(struct sl_pathfinder *pathfinder);

#endif
