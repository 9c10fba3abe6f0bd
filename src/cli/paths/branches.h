/*
 * The branches of a program as executions have shown them: how often each was executed, which way it went, and by which reads and
 * writes the schedule can affect it. Collected by the pathfinder from the flow of data (paths/flow.h), printed by `sleave paths`.
 */
#ifndef SL_CLI_PATHS_BRANCHES_H
#define SL_CLI_PATHS_BRANCHES_H

#include "base/index.h"
#include "paths/flow.h"
#include "report/report.h"

#include <stdio.h>

/* An operation of the running execution; the flow's events are numbers of these, from 1. */
struct sl_path_operation {
	uint64_t pc;
	uint32_t thread;
};

struct sl_path_branches {
	struct sl_path_branch *all;
	size_t count, capacity;
	struct sl_index by_slice; /* number, plus one */
	bool outcomes;            /* which way branches went is known */
};

/* An execution has ended. */
void sl_path_branches_note(struct sl_path_branches *branches, struct sl_flow *flow, const struct sl_path_operation *operations,
			   size_t count);

/* A table of those that depend on what another thread writes; the other ones are counted. */
void sl_path_branches_print(const struct sl_path_branches *branches, struct sl_names *names, FILE *out,
			    const struct sl_style *style);
void sl_path_branches_json(const struct sl_path_branches *branches, struct sl_names *names, FILE *out);
void sl_path_branches_release(struct sl_path_branches *branches);

#endif
