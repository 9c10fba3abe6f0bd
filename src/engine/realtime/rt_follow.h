/*
 * A schedule that the command gives to a program which runs on real threads (rt_follow.c), and what came of it: memory that both
 * have. So `sleave replay --as-schedule` sees what somebody will see who writes the schedule into a test.
 */
#ifndef SL_ENGINE_REALTIME_RT_FOLLOW_H
#define SL_ENGINE_REALTIME_RT_FOLLOW_H

#include <stdint.h>

#define SL_FOLLOW_ENV "SLEAVE_FOLLOW" /* path of the memory */
#define SL_FOLLOW_MAGIC 0x776f6c6c6f66736cul
#define SL_FOLLOW_SIGNAL 64 /* asks a program that does not end who is where */

enum sl_followed {
	SL_FOLLOWED_NEVER, /* the program did not come to it */
	SL_FOLLOWED_BEGAN, /* and did not end it: the program was ended */
	SL_FOLLOWED_KEPT,
	SL_FOLLOWED_LEFT,        /* by a jump or an exception */
	SL_FOLLOWED_STUCK,       /* it led to a deadlock */
	SL_FOLLOWED_IMPOSSIBLE,  /* nobody could go on, because of whom it held */
	SL_FOLLOWED_UNFULFILLED, /* something that it names did not happen */
	SL_FOLLOWED_REFUSED,     /* it can't be followed there */
};

struct sl_follow {
	uint64_t magic;
	/* what is wanted */
	uint32_t explore_call; /* around the body of that call of sleave_explore(); 0: around main() */
	uint32_t line;  /* but if there is one, in the section there, instead of its schedule of that name */
	uint32_t visit; /* the section that the program comes to so many times; 0: each time */
	char file[256], schedule[128];
	char name[64], text[40000];
	/* what came of it */
	uint32_t end; /* enum sl_followed */
	uint32_t assertion_line;
	char assertion[512]; /* that failed */
	char said[12000];    /* of what was not kept to, or who is where */
};

#endif
