#include "trace/replay/environment.h"

#include "base/rng.h"
#include "base/room.h"
#include "trace/replay/replay_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Read by libc, the OpenMP library and the C++ library without a call of getenv() that the engine could see; *
 * stands for any ending.
 */
static const char *const known[] = {"GOMP_*", "LANG",   "LANGUAGE",        "LC_*", "MALLOC_*",
				    "OMP_*",  "TMPDIR", "POSIXLY_CORRECT", "TZ",   "TZDIR"};

/* These control how a program is started, load code into it or write files: they are never taken from a file. */
static const char *const barred[] = {"LD_*",    "GLIBC_TUNABLES", "GCONV_PATH", "GETCONF_DIR", "LOCPATH",
				     "NLSPATH", "MALLOC_TRACE",   "OMP_TOOL*",  "SLEAVE_*",    "_"};

/*
 * These describe the user's shell, and differ from one terminal to the next: a program that does not ask for them
 * does not use them.
 */
static const char *const fleeting[] = {"PWD", "OLDPWD", "SHLVL", "LINES", "COLUMNS", "SLEAVE_*", "_"};

static bool
matches(const char *pattern, const char *name, size_t length)
{
	size_t size = strlen(pattern);

	if (size && pattern[size - 1] == '*')
		return length >= size - 1 && memcmp(pattern, name, size - 1) == 0;
	return length == size && memcmp(pattern, name, size) == 0;
}

static bool
is_among(const char *const *patterns, size_t count, const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (matches(patterns[i], name, length))
			return true;
	return false;
}

static size_t
name_length(const char *variable)
{
	return strcspn(variable, "=");
}

static char *
copied(const char *text, size_t size)
{
	char *copy = sl_must(strndup(text, size));

	return copy;
}

static const char *
value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static void
add(struct sl_replay *replay, const char *name, size_t length, const char *value, bool family)
{
	struct sl_environment_variable *bigger;

	for (size_t i = 0; i < replay->variable_count; i++)
		if (strlen(replay->variables[i].name) == length &&
		    memcmp(replay->variables[i].name, name, length) == 0 && replay->variables[i].family == family)
			return;
	bigger = sl_must(realloc(replay->variables, (replay->variable_count + 1) * sizeof(*bigger)));
	replay->variables = bigger;
	bigger[replay->variable_count++] =
		(struct sl_environment_variable){.name = copied(name, length),
						 .value = value ? copied(value, strlen(value)) : NULL,
						 .family = family};
}

static int
by_name(const void *a, const void *b)
{
	const struct sl_environment_variable *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	return order ? order : (int)one->family - (int)other->family;
}

/* Returns the record of a variable: its own, or that of its family, which was unset as a whole. */
static const struct sl_environment_variable *
find(const struct sl_replay *replay, const char *name, size_t length)
{
	const struct sl_environment_variable *family = NULL;

	for (size_t i = 0; i < replay->variable_count; i++) {
		const struct sl_environment_variable *v = &replay->variables[i];
		size_t size = strlen(v->name);

		if (v->family && length >= size && memcmp(v->name, name, size) == 0)
			family = v;
		else if (!v->family && length == size && memcmp(v->name, name, size) == 0)
			return v;
	}
	return family;
}

/* A sum, so that the order does not matter. */
static uint64_t
rest_of(const struct sl_replay *replay, char *const *environment)
{
	uint64_t sum = 1;

	for (; *environment; environment++) {
		size_t length = name_length(*environment);
		uint64_t hash = 0xcbf29ce484222325u;

		if (is_among(fleeting, COUNT(fleeting), *environment, length) ||
		    (find(replay, *environment, length) && !is_among(barred, COUNT(barred), *environment, length)))
			continue;
		for (const char *c = *environment; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
		sum += sl_mix(hash);
	}
	return sum ? sum : 1;
}

void
sl_environment_record(struct sl_replay *replay, char *const *environment, char *const *asked, size_t count,
		      bool all)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(asked[i]);

		if (length && name_length(asked[i]) == length &&
		    !is_among(known, COUNT(known), asked[i], length) &&
		    !is_among(barred, COUNT(barred), asked[i], length))
			add(replay, asked[i], length, value_of(environment, asked[i]), false);
	}
	for (char *const *each = environment; *each; each++) {
		size_t length = name_length(*each);

		if ((*each)[length] && is_among(known, COUNT(known), *each, length) &&
		    !is_among(barred, COUNT(barred), *each, length))
			add(replay, *each, length, *each + length + 1, false);
	}
	for (size_t i = 0; i < COUNT(known); i++) {
		size_t length = strlen(known[i]);
		bool family = known[i][length - 1] == '*';

		add(replay, known[i], length - family, NULL, family);
	}
	qsort(replay->variables, replay->variable_count, sizeof(*replay->variables), by_name);
	replay->variables_cut = !all;
	replay->rest = rest_of(replay, environment);
}

char **
sl_environment_restore(const struct sl_replay *replay, char *const *environment)
{
	size_t count = 0, used = 0, room = 0;
	char **all, *text;

	while (environment[count])
		count++;
	for (size_t i = 0; i < replay->variable_count; i++)
		if (replay->variables[i].value)
			room += strlen(replay->variables[i].name) + strlen(replay->variables[i].value) + 2;
	all = sl_must(calloc(1, (count + replay->variable_count + 1) * sizeof(*all) + room));
	text = (char *)(all + count + replay->variable_count + 1);
	for (size_t i = 0; i < count; i++) {
		size_t length = name_length(environment[i]);

		if (!find(replay, environment[i], length) ||
		    is_among(barred, COUNT(barred), environment[i], length))
			all[used++] = environment[i];
	}
	for (size_t i = 0; i < replay->variable_count; i++) {
		const struct sl_environment_variable *v = &replay->variables[i];

		if (!v->value || is_among(barred, COUNT(barred), v->name, strlen(v->name)))
			continue;
		all[used++] = text;
		text += sprintf(text, "%s=%s", v->name, v->value) + 1;
	}
	return all;
}

static void
put_value(char *text, size_t room, size_t *used, const char *before, const char *value)
{
	int n = value ? snprintf(text + *used, room - *used, "%s\"%.60s%s\"", before, value,
				 strlen(value) > 60 ? "…" : "")
		      : snprintf(text + *used, room - *used, "%sunset", before);

	*used += n > 0 && (size_t)n < room - *used ? (size_t)n : 0;
}

bool
sl_environment_differs(const struct sl_replay *replay, char *const *environment, char *text, size_t room)
{
	size_t used = 0, others = 0;

	for (size_t i = 0; i < replay->variable_count; i++) {
		const struct sl_environment_variable *v = &replay->variables[i];
		const char *now = v->family ? NULL : value_of(environment, v->name);

		if (v->family || (now && v->value ? strcmp(now, v->value) == 0 : !now && !v->value))
			continue;
		if (others++)
			continue;
		used += (size_t)snprintf(text, room, "the environment variable %.60s", v->name);
		put_value(text, room, &used, " was ", v->value);
		put_value(text, room, &used, ", is ", now);
	}
	/* of a family, only variables with records of their own were set */
	for (char *const *each = environment; replay->variable_count && *each; each++) {
		size_t length = name_length(*each);
		const struct sl_environment_variable *v = find(replay, *each, length);

		if (!v || !v->family || others++)
			continue;
		used += (size_t)snprintf(text, room, "the environment variable %.*s was unset",
					 length < 60 ? (int)length : 60, *each);
		put_value(text, room, &used, ", is ", *each + length + 1);
	}
	if (others > 1)
		snprintf(text + used, room - used, " (and %zu more differ)", others - 1);
	if (others || !replay->rest || rest_of(replay, environment) == replay->rest)
		return others != 0;
	snprintf(text, room, "the environment: variables differ that the program did not ask for by name%s",
		 replay->variables_cut ? ", or for which there was no room" : "");
	return true;
}
