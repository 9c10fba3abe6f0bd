/*
 * sleave_explore(): the same engine from inside a test.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sleave.h"
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/poison.h"

SL_EXPORT int
sleave_active(void)
{
	return E.control;
}

SL_EXPORT unsigned
sleave_choose(unsigned n)
{
	unsigned answer;

	if (!E.control || n < 2)
		return 0;
	sl_announce(SL_CHOOSE, 0, SL_PC);
	sl_no_point();
	answer = sl_ask(SL_CHOOSE_VALUE, n, NULL);
	sl_note(answer);
	return answer;
}
