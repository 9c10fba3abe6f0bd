/*
 * A schedule that the command gives to a program on real threads (rt_follow.c), and the result: memory shared by
 * both. So `sleave replay --as-schedule` shows what a user will see who writes the schedule into a test.
 */
#ifndef SL_ENGINE_REALTIME_RT_FOLLOW_H
#define SL_ENGINE_REALTIME_RT_FOLLOW_H

#include <stdint.h>

#define SL_FOLLOW_ENV "SLEAVE_FOLLOW" /* path of the shared memory */
#define SL_FOLLOW_MAGIC 0x776f6c6c6f66736cul
#define SL_FOLLOW_SIGNAL 64 /* asks a program that does not end for the state of its threads */

enum sl_follow_end {
	SL_FOLLOWED_NEVER, /* the program did not reach the section */
	SL_FOLLOWED_BEGAN, /* the program ended within the section */
	SL_FOLLOWED_KEPT,
	SL_FOLLOWED_LEFT,        /* the section was left by a jump or an exception */
	SL_FOLLOWED_STUCK,       /* the schedule led to a deadlock */
	SL_FOLLOWED_IMPOSSIBLE,  /* no thread could go on because of the threads that the schedule held */
	SL_FOLLOWED_UNFULFILLED, /* an event that the schedule names did not happen */
	SL_FOLLOWED_REFUSED,     /* the schedule can't be followed there */
};

struct sl_follow {
	uint64_t magic;
	/* the command's request */
	uint32_t explore_call; /* number of the call of sleave_explore() whose body is the section; 0: main() is */
	uint32_t line;         /* not 0: the section at that line, whose schedule of that name is replaced */
	uint32_t visit;        /* only the visit-th section that the program reaches; 0: each */
	char file[256], schedule[128];
	char name[64], text[40000];
	/* the result */
	uint32_t end; /* enum sl_follow_end */
	uint32_t assertion_line;
	char assertion[512]; /* the assertion that failed */
	char said[12000];    /* about what was violated, or the state of all threads */
};

#endif
