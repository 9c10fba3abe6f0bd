/* Words for OpenMP, since a team has no variable; and for locks that are members of a library's objects. */
#include "report/words.h"

#include <string.h>

/* Names of teams (engine/under/layout.h). */
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

/* Removes the members of libstdc++'s locks and atomics and of omp_lock_t, which no program names. */
void
sl_words_trim_lock(char *name)
{
	static const char *const members[] = {"._x[0]",      "._M_mutex", "._M_cond", "._M_rwlock", "._M_i",
					      "._M_counter", "._M_a",     "._M_p",    "._M_once"};
	size_t n = strlen(name);
	char *dot;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		size_t length = strlen(members[i]);

		if (n <= length || strcmp(name + n - length, members[i]) != 0)
			continue;
		name[n - length] = '\0';
		while ((dot = strrchr(name, '.')) && dot != name && !strncmp(dot, "._M_", 4))
			*dot = '\0';
		return;
	}
}
