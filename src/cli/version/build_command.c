#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/version/build_command.h"

#include "base/room.h"
#include "cli/version/user_state.h"

#include <stdlib.h>
#include <string.h>

bool
sl_program_is_pattern(const char *program)
{
	return strpbrk(program, "*?[") != NULL;
}

/* Removes "." and ".." by the text alone; NULL: the path leads above the root. */
static char *
tidy(const char *path)
{
	char *copy = sl_line_new("%s", path), *out = sl_room_zeroed(strlen(path) + 2, 1), *save, *slash;

	for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		if (strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0) {
			if (!*out) {
				free(copy);
				free(out);
				return NULL;
			}
			slash = strrchr(out, '/');
			*(slash ? slash : out) = '\0';
			continue;
		}
		if (*out)
			strcat(out, "/");
		strcat(out, part);
	}
	free(copy);
	return out;
}

static const char *
below(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	return length && strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

char *
sl_program_inside(const struct sl_versions *versions, const char *program)
{
	char *whole, *inside;
	const char *rest;

	if (*program != '/') {
		whole = sl_line_new("%s/%s", versions->subfolder, program);
		inside = tidy(whole);
		free(whole);
		return inside;
	}
	rest = versions->new.kind == SL_VERSION_FOLDER ? below(program, versions->new.folder) : NULL;
	if (!rest && versions->old.kind == SL_VERSION_FOLDER)
		rest = below(program, versions->old.folder);
	if (!rest)
		rest = below(program, versions->home);
	return rest ? tidy(rest) : NULL;
}

char *
sl_build_target(const struct sl_build_command *command, const struct sl_versions *versions, const char *program)
{
	char *inside = sl_program_inside(versions, program), *target;
	size_t length = strlen(command->folder);

	if (inside && length && strncmp(inside, command->folder, length) == 0 && inside[length] == '/') {
		target = sl_line_new("%s", inside + length + 1);
	} else if (length || !inside) {
		free(inside);
		return NULL;
	} else {
		target = sl_line_new("%s", inside);
	}
	free(inside);
	return target;
}

/* Quotes a word for a shell. */
static char *
quoted(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:@%";
	char *text, *to;

	if (*word && strspn(word, plain) == strlen(word))
		return sl_line_new("%s", word);
	text = to = sl_room_zeroed(strlen(word) * 4 + 3, 1);
	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	}
	*to = '\'';
	return text;
}

static bool
has_makefile(const struct sl_version *version, const char *folder)
{
	static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
	bool has = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !has; i++) {
		char *path = sl_line_new("%s%s%s", folder, *folder ? "/" : "", names[i]);

		has = sl_version_has(version, path);
		free(path);
	}
	return has;
}

/* Makes the command "make", with a target for each program; false: a program is not below the folder. */
static bool
make_command(struct sl_build_command *command, const struct sl_versions *versions,
	     const struct sl_build_wish *wish, const struct sl_line_list *without)
{
	char *text = sl_line_new("make");

	for (size_t i = 0; i < wish->program_count; i++) {
		char *target, *word, *longer;

		if (without && sl_line_has(without, wish->programs[i]))
			continue;
		target = sl_build_target(command, versions, wish->programs[i]);
		if (!target) {
			free(text);
			return false;
		}
		word = quoted(target);
		longer = sl_line_new("%s %s", text, word);
		free(word);
		free(target);
		free(text);
		text = longer;
	}
	free(command->text);
	command->text = text;
	command->make = true;
	return true;
}

void
sl_build_command_without(struct sl_build_command *command, const struct sl_versions *versions,
			 const struct sl_build_wish *wish, const struct sl_line_list *without)
{
	if (!make_command(command, versions, wish, without))
		abort();
}

void
sl_build_command_release(struct sl_build_command *command)
{
	free(command->text);
	free(command->folder);
	*command = (struct sl_build_command){0};
}

int
sl_build_command_choose(const struct sl_versions *versions, const struct sl_build_wish *wish,
			struct sl_build_command *command, struct sl_err *err)
{
	struct sl_err ignored;
	const char *pattern = NULL;
	char *slash;

	*command = (struct sl_build_command){.folder = sl_line_new("%s", versions->subfolder)};
	for (size_t i = 0; i < wish->program_count; i++)
		if (sl_program_is_pattern(wish->programs[i]))
			pattern = wish->programs[i];
	if (wish->command) {
		command->text = sl_line_new("%s", wish->command);
		return 0;
	}
	/* a command that cannot be read counts as not given */
	if (sl_user_command_read(versions->home, versions->subfolder, &command->text, &ignored) == 0 &&
	    command->text) {
		command->last_time = true;
		return 0;
	}
	for (;;) {
		if (has_makefile(&versions->new, command->folder) && !pattern &&
		    make_command(command, versions, wish, NULL))
			return 0;
		if (!*command->folder)
			break;
		slash = strrchr(command->folder, '/');
		*(slash ? slash : command->folder) = '\0';
	}
	sl_build_command_release(command);
	if (pattern)
		return sl_err_set(
			err,
			"which command builds '%s'? Give it with --build, for example --build 'make tests'; it is "
			"remembered for next time",
			pattern);
	return sl_err_set(
		err,
		"which command builds the program? Give it with --build, for example --build 'make all'; it is "
		"remembered for next time");
}

/* ---- make ---- */

/* Formats a definition as make writes it into MAKEFLAGS. */
static char *
definition(const char *name, const char *value)
{
	char *text = sl_room_zeroed(strlen(name) + 2 * strlen(value) + 2, 1), *to = stpcpy(text, name);

	*to++ = '=';
	for (; *value; value++) {
		if (*value == ' ' || *value == '\t' || *value == '\\')
			*to++ = '\\';
		else if (*value == '$')
			*to++ = '$';
		*to++ = *value;
	}
	return text;
}

char *
sl_make_flags(const char *given, const char *cc, const char *cxx)
{
	char *copy = sl_line_new("%s", given ? given : ""), *at = copy, *flags = sl_line_new("%s", ""), *result;
	char *c = definition("CC", cc), *cpp = definition("CXX", cxx), *dashes = NULL, *save;
	bool server = strstr(copy, "--jobserver") != NULL;

	/* " -- NAME=VALUE …": definitions keep their form, in which blanks are quoted */
	if (strncmp(at, "-- ", 3) == 0) {
		dashes = at + 3;
		*at = '\0';
	} else if ((dashes = strstr(at, " -- "))) {
		*dashes = '\0';
		dashes += 4;
	}
	/*
	 * the job server of a make that has started this process is not for these builds: its pipe may be closed
	 */
	for (char *word = strtok_r(at, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *longer;

		if (strncmp(word, "--jobserver", 11) == 0 || (server && strncmp(word, "-j", 2) == 0))
			continue;
		longer = sl_line_new("%s%s%s", flags, *flags ? " " : "", word);
		free(flags);
		flags = longer;
	}
	result = sl_line_new("%s%s-- %s%s%s %s", flags, *flags ? " " : "", dashes ? dashes : "", dashes ? " " : "",
			     c, cpp);
	free(cpp);
	free(c);
	free(flags);
	free(copy);
	return result;
}
