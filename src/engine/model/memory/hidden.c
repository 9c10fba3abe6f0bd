/*
 * State of libc that no callback sees: the environment, the locale, the numbers of rand(), results in memory that
 * the next call overwrites. The results of calls depend on the order of the threads.
 *
 * Functions that use a lock of libc are operations, like those on a relaxed atomic, which orders nothing.
 * Functions that are not thread-safe by POSIX are accesses to a variable, whose name reports show: they race.
 */
#undef _FILE_OFFSET_BITS /* it would rename readdir to readdir64; both are defined here */
#define SL_DEFINES_ENVIRONMENT_FUNCTIONS
#include <dirent.h>
#include <grp.h>
#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/state.h"
#include "engine/entry/interpose.h"
#include "engine/model/process/settings.h"
#include "engine/under/poison.h"

#define READS(address, size) sl_access_range(address, size, SL_OP_READS, pc)
#define WRITES(address, size) sl_access_range(address, size, SL_OP_WRITES, pc)

/* One shadow cell each: the state itself is in libc, these variables only stand for it. */
static uint64_t state_of_rand, state_of_drand48, state_of_locale, state_of_getpwnam, state_of_getgrnam,
	state_of_getservbyname, state_of_ttyname, state_of_getlogin, state_of_fcvt, state_of_l64a;

static struct tm result_of_gmtime;
static char result_of_asctime[128];
static struct lconv result_of_localeconv;

#define RESULTS(X) X(result_of_gmtime) X(result_of_asctime) X(result_of_localeconv)

void
sl_hidden_identify(struct sl_identity *identity)
{
#define X(result) sl_identity_add(identity, (uint64_t) & (result), &(result), sizeof(result));
	RESULTS(X)
#undef X
}

void
sl_hidden_keep(void)
{
#define X(result) sl_checkpoint_bytes(&(result), sizeof(result));
	RESULTS(X)
#undef X
}

/* ---- thread-safe functions ---- */

void
sl_take_turn(const void *state, uint64_t pc)
{
	struct sl_object *o = sl_object_get(state, SL_OBJECT_ATOMIC);

	sl_announce(SL_TURN, (uint64_t)state, pc);
	E.current->op.size = sizeof(uint64_t);
	sl_point_unless_alone(o);
	sl_note(0);
	sl_changed(true);
}

#define IN_TURN(type, name, parameters, arguments, state)                                                         \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		sl_take_turn(state, pc);                                                                          \
		return SL_CALL(name) arguments;                                                                   \
	}

#define IN_TURN_NO_ARGUMENTS(type, name, state)                                                                   \
	SL_DEFINE_NO_ARGUMENTS(type, name)                                                                        \
	{                                                                                                         \
		sl_take_turn(state, pc);                                                                          \
		return SL_CALL(name)();                                                                           \
	}

IN_TURN_NO_ARGUMENTS(int, rand, &state_of_rand)
IN_TURN_NO_ARGUMENTS(long, random, &state_of_rand)
IN_TURN(char *, initstate, (unsigned seed, char *state, size_t size), (seed, state, size), &state_of_rand)
IN_TURN(char *, setstate, (char *state), (state), &state_of_rand)
IN_TURN(struct dirent *, readdir, (DIR * folder), (folder), folder) /* the rest of its state is in the kernel, */
IN_TURN(struct dirent64 *, readdir64, (DIR * folder), (folder), folder) /* see sl_channels_are_touched() */

#define SEED(name)                                                                                                \
	SL_EXPORT void name(unsigned seed)                                                                        \
	{                                                                                                         \
		SL_RT_CALL();                                                                                   \
		if (E.control)                                                                                    \
			sl_take_turn(&state_of_rand, SL_PC);                                                      \
		SL_CALL(name)(seed);                                                                              \
	}
SEED(srand)
SEED(srandom)

/* ---- functions that are not thread-safe ---- */

#define ALONE(type, name, parameters, arguments, touch)                                                           \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		touch;                                                                                            \
		return SL_CALL(name) arguments;                                                                   \
	}

#define ALONE_NO_ARGUMENTS(type, name, touch)                                                                     \
	SL_DEFINE_NO_ARGUMENTS(type, name)                                                                        \
	{                                                                                                         \
		touch;                                                                                            \
		return SL_CALL(name)();                                                                           \
	}

#define CHANGES(variable) WRITES(&(variable), sizeof(variable))
#define LOOKS_AT(variable) READS(&(variable), sizeof(variable))

/*
 * Replay files have the environment variables that the program has read, so that a replay elsewhere gets the same
 * values: only names, since the command knows the values of the start. This includes variables that were read
 * before main(), and in a test before sleave_explore().
 */
static struct sl_asked asked_before;

static void
note_asked(struct sl_asked *asked, const char *name)
{
	uint32_t hash = 2166136261u;
	size_t size = 0;

	for (; name[size]; size++)
		hash = (hash ^ (unsigned char)name[size]) * 16777619u;
	if (size < sizeof(asked->items[0].name))
		for (uint32_t i = 0; i < SL_ASKED_MAX; i++) {
			uint32_t at = (hash + i) % SL_ASKED_MAX, none = 0;
			char *there = asked->items[at].name;

			if (__atomic_compare_exchange_n(&asked->items[at].state, &none, 1, false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE)) {
				for (size_t k = 0; k < size; k++)
					there[k] = name[k];
				there[size] = '\0';
				__atomic_store_n(&asked->items[at].state, 2, __ATOMIC_RELEASE);
				return;
			}
			if (none == 2) {
				size_t k = 0;

				while (k < size && there[k] == name[k])
					k++;
				if (k == size && !there[k])
					return;
			}
		}
	asked->full = 1;
}

void
sl_asked_move(void)
{
	for (uint32_t i = 0; i < SL_ASKED_MAX; i++)
		if (asked_before.items[i].state == 2)
			note_asked(&E.arena->asked, asked_before.items[i].name);
	E.arena->asked.full |= asked_before.full;
}

/*
 * Each call of sleave_explore() has another arena: variables that were read before the first are needed for the
 * second, too.
 */
static void
asks(const char *name)
{
	if (name && E.arena)
		note_asked(&E.arena->asked, name);
	if (name && !E.control)
		note_asked(&asked_before, name);
}

#define ASKS(name)                                                                                                \
	SL_EXPORT char *name(const char *variable)                                                                \
	{                                                                                                         \
		asks(variable);                                                                                   \
		if (unlikely(E.control)) {                                                                        \
			uint64_t pc = SL_PC;                                                                      \
                                                                                                                  \
			LOOKS_AT(environ);                                                                        \
		} else {                                                                                          \
			SL_RT_CALL();                                                                           \
		}                                                                                                 \
		return SL_CALL(name)(variable);                                                                   \
	}
ASKS(getenv)
ASKS(secure_getenv)

/* TZ sets the time zone. */
static void
change_zone(const char *variable, uint64_t pc)
{
	if (E.control && variable && variable[0] == 'T' && variable[1] == 'Z' &&
	    (!variable[2] || variable[2] == '='))
		sl_meet(&process_settings.time_zone, SL_OP_WRITES, pc);
}

ALONE(int, setenv, (const char *name, const char *value, int overwrite), (name, value, overwrite),
      (CHANGES(environ), change_zone(name, pc)))
ALONE(int, unsetenv, (const char *name), (name), (CHANGES(environ), change_zone(name, pc)))
ALONE(int, putenv, (char *text), (text), (CHANGES(environ), change_zone(text, pc)))
ALONE_NO_ARGUMENTS(int, clearenv, CHANGES(environ))

ALONE(char *, setlocale, (int category, const char *locale), (category, locale),
      sl_access_range(&state_of_locale, sizeof(state_of_locale), locale ? SL_OP_WRITES : SL_OP_READS, pc))
ALONE(char *, nl_langinfo, (nl_item item), (item), LOOKS_AT(state_of_locale))

ALONE_NO_ARGUMENTS(double, drand48, CHANGES(state_of_drand48))
ALONE_NO_ARGUMENTS(long, lrand48, CHANGES(state_of_drand48))
ALONE_NO_ARGUMENTS(long, mrand48, CHANGES(state_of_drand48))
ALONE(unsigned short *, seed48, (unsigned short seed[3]), (seed), CHANGES(state_of_drand48))

SL_EXPORT void
srand48(long seed)
{
	uint64_t pc = SL_PC;

	SL_RT_CALL();
	CHANGES(state_of_drand48);
	SL_CALL(srand48)(seed);
}

ALONE(struct passwd *, getpwnam, (const char *name), (name), CHANGES(state_of_getpwnam))
ALONE(struct passwd *, getpwuid, (uid_t user), (user), CHANGES(state_of_getpwnam))
ALONE(struct group *, getgrnam, (const char *name), (name), CHANGES(state_of_getgrnam))
ALONE(struct group *, getgrgid, (gid_t group), (group), CHANGES(state_of_getgrnam))
ALONE(struct servent *, getservbyname, (const char *name, const char *protocol), (name, protocol),
      CHANGES(state_of_getservbyname))
ALONE(struct servent *, getservbyport, (int port, const char *protocol), (port, protocol),
      CHANGES(state_of_getservbyname))
ALONE(char *, ttyname, (int fd), (fd), CHANGES(state_of_ttyname))
ALONE_NO_ARGUMENTS(char *, getlogin, CHANGES(state_of_getlogin))
ALONE(char *, ecvt, (double number, int digits, int *point, int *sign), (number, digits, point, sign),
      CHANGES(state_of_fcvt))
ALONE(char *, fcvt, (double number, int digits, int *point, int *sign), (number, digits, point, sign),
      CHANGES(state_of_fcvt))
ALONE(char *, l64a, (long number), (number), CHANGES(state_of_l64a))

/* ---- results in memory of the engine: it is written right before the program reads it ---- */

static struct tm *
keep_time(struct tm *result)
{
	if (result)
		result_of_gmtime = *result;
	return result ? &result_of_gmtime : NULL;
}

#define CALENDAR(name)                                                                                            \
	SL_DEFINE(struct tm *, name, (const time_t *time), (time))                                                \
	{                                                                                                         \
		READS(time, sizeof(*time));                                                                       \
		CHANGES(result_of_gmtime);                                                                        \
		return keep_time(SL_CALL(name)(time));                                                            \
	}
CALENDAR(gmtime)
CALENDAR(localtime)

static char *
keep_text(const char *text)
{
	size_t i = 0;

	if (!text)
		return NULL;
	for (; i < sizeof(result_of_asctime) - 1 && text[i]; i++)
		result_of_asctime[i] = text[i];
	result_of_asctime[i] = 0;
	return result_of_asctime;
}

SL_DEFINE(char *, asctime, (const struct tm *time), (time))
{
	READS(time, sizeof(*time));
	CHANGES(result_of_asctime);
	return keep_text(SL_CALL(asctime)(time));
}

SL_DEFINE(char *, ctime, (const time_t *time), (time))
{
	READS(time, sizeof(*time));
	CHANGES(result_of_gmtime);
	CHANGES(result_of_asctime);
	return keep_text(SL_CALL(ctime)(time));
}

SL_DEFINE_NO_ARGUMENTS(struct lconv *, localeconv)
{
	LOOKS_AT(state_of_locale);
	CHANGES(result_of_localeconv);
	result_of_localeconv = *SL_CALL(localeconv)();
	return &result_of_localeconv;
}
