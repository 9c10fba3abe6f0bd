/*
 * The schedule of the next execution, as a process outside of the program wants it. The strategy `script` (strategy/script.c) follows it,
 * and learns nothing itself; the one who writes the scripts learns from what the execution did (trace/lane/item.h).
 *
 * The writer fills in the steps and then raises `issued`. The execution that follows the script raises `begun` and, when it is over,
 * `ended`, also if the program crashed. So there is at most one script that was issued and has not ended.
 */
#ifndef SL_BASE_SCRIPT_H
#define SL_BASE_SCRIPT_H

#include <stdint.h>

#define SL_SCRIPT_STEPS (1u << 20)

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
	/* the writer's */
	uint64_t issued;
	uint32_t attended; /* there is somebody who writes scripts */
	uint32_t over;     /* there will be no other script */
	uint32_t count;
	uint32_t pad;
	/* the strategy's */
	uint64_t begun, ended;
	uint64_t waited; /* how often the next script was not there yet when it was asked for */
	/*
	 * Of the last execution: the step that it had come to, from 0; the count: it has done them all. Whether the last
	 * steps are done may not be known when an execution ends.
	 */
	uint32_t reached;
	uint32_t strayed; /* … and that step could not be done: the rest of the execution is the calm one */
	uint32_t found;   /* it had a finding, so perhaps not its end */
	uint32_t cut;     /* it was ended at a limit */
	uint32_t grown;   /* how often more data was found to be shared: then new threads may stop earlier than before */
	uint32_t pad2;
	struct sl_script_step steps[SL_SCRIPT_STEPS];
};

#endif
