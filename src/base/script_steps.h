/*
 * The schedules of the next executions, as a process outside of the program wants them. The strategy `script` (strategy/script.c) follows
 * them, one after the other, and learns nothing itself; the process that writes the scripts learns from what the executions did
 * (trace/lane/item.h).
 *
 * The writer fills in a script and then raises `issued`. The execution that follows it raises `begun` and, when it is over, `ended`, also if
 * the program crashed. Number n, from 1, is in scripts[n % SL_SCRIPTS].
 */
#ifndef SL_BASE_SCRIPT_STEPS_H
#define SL_BASE_SCRIPT_STEPS_H

#include <stdint.h>

#define SL_SCRIPT_STEPS (1u << 20)
#define SL_SCRIPTS 64 /* that may be issued before the first of them has ended */

enum sl_script_kind {
	/* the thread runs until its operation number `index` has been performed */
	SL_SCRIPT_RUN,
	/* at the operation that was just run to, which of several waiting threads is woken: `thread` */
	SL_SCRIPT_WAKE,
	/* at the operation that was just run to, the answer to a choice of a value: `index` */
	SL_SCRIPT_VALUE,
};

struct sl_script_step {
	uint64_t thread; /* the path of its origin, as in struct sl_kin */
	uint64_t index;
	uint32_t kind; /* enum sl_script_kind */
	uint32_t pad;
};

struct sl_script {
	uint32_t count;
	/*
	 * What became of it. `reached`: the step that the execution had come to, from 0; the count: it has done them all. Whether the
	 * last steps are done may not be known when an execution ends.
	 */
	uint32_t reached;
	uint32_t strayed; /* … and that step could not be done: the rest of the execution is the calm one */
	uint32_t found;   /* it had a finding, so perhaps not its end: 1 + its kind (enum sl_finding_kind) */
	uint32_t cut;     /* it was ended at a limit */
	/* how often more data had been found to be shared before it began: then new threads may stop earlier than before */
	uint32_t grown;
	struct sl_script_step steps[SL_SCRIPT_STEPS];
};

struct sl_scripts {
	/* the writer's */
	uint64_t issued;
	uint32_t attended; /* a process writes scripts */
	uint32_t over;     /* there will be no others */
	/* the strategy's */
	uint64_t begun, ended;
	uint64_t waited; /* how often the next script was not there yet when it was asked for */
	uint32_t grown;
	uint32_t pad;
	struct sl_script scripts[SL_SCRIPTS];
};

#endif
