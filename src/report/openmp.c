/*
 * Words for OpenMP: what a team has no variable for.
 */
#include "report/words.h"

#include <string.h>

/* Names of teams (engine/layout.h). */
#define TEAMS_LOW 0x608000000000u
#define TEAMS_HIGH 0x610000000000u
#define TEAM_SIZE 128
#define SHARES 64
#define CRITICAL (TEAMS_LOW - 64)
#define ATOMIC (TEAMS_LOW - 56)

bool
sl_words_is_team(uint64_t address)
{
	return address >= CRITICAL && address < TEAMS_HIGH;
}

const char *
sl_words_team(uint64_t address, enum sl_op_kind kind)
{
	if (address == CRITICAL)
		return "the critical section without a name";
	if (address == ATOMIC)
		return "the lock of omp atomic";
	if (kind == SL_BARRIER_WAIT || kind == SL_BARRIER_LEAVE)
		return "the barrier of the team";
	return kind == SL_ORDERED             ? "the ordered loop"
	       : address % TEAM_SIZE < SHARES ? "the team"
					      : "the team's work";
}

void
sl_words_trim_lock(char *name)
{
	static const char member[] = "._x[0]";
	size_t n = strlen(name);

	if (n > sizeof(member) - 1 && strcmp(name + n - (sizeof(member) - 1), member) == 0)
		name[n - (sizeof(member) - 1)] = '\0';
}
