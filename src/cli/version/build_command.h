/* Chooses the command that builds the program, and the folder in which it runs. For build_version.c. */
#ifndef SL_CLI_VERSION_BUILD_COMMAND_H
#define SL_CLI_VERSION_BUILD_COMMAND_H

#include "cli/version/build_version.h"

struct sl_build_command {
	char *text;
	char *folder;   /* below the root of a version */
	bool last_time; /* the user gave it in an earlier call */
	bool make; /* it is the default: make, with the programs as its targets */
};

/* -1 and a sentence that asks for the command. */
int sl_build_command_choose(const struct sl_versions *versions, const struct sl_build_wish *wish,
			    struct sl_build_command *command, struct sl_err *err);
/* Makes the default command again, without these programs. */
void sl_build_command_without(struct sl_build_command *command, const struct sl_versions *versions,
			      const struct sl_build_wish *wish, const struct sl_line_list *without);
void sl_build_command_release(struct sl_build_command *command);

/* Returns make's target for the program. The caller frees it. */
char *sl_build_target(const struct sl_build_command *command, const struct sl_versions *versions,
		      const char *program);

/* Returns the program's path below the root of a version; NULL: it is elsewhere. The caller frees it. */
char *sl_program_inside(const struct sl_versions *versions, const char *program);
/* Returns whether it is a pattern of glob(7). */
bool sl_program_is_pattern(const char *program);

/*
 * Returns a value of MAKEFLAGS with which CC and CXX count as given on make's command line, so that no assignment
 * in a Makefile changes them. The caller frees it.
 */
char *sl_make_flags(const char *given, const char *cc, const char *cxx);

#endif
