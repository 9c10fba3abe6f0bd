/*
 * Which command builds the program, and in which folder. For build_version.c.
 */
#ifndef SL_CLI_VERSION_BUILD_COMMAND_H
#define SL_CLI_VERSION_BUILD_COMMAND_H

#include "cli/version/build_version.h"

struct sl_build_command {
	char *text;
	char *folder;   /* below the root of a version */
	bool last_time; /* it was given in an earlier call */
	bool make;      /* it is ours: make, with the programs as its targets */
};

/* -1 and a sentence that asks for the command. */
int sl_build_command_choose(const struct sl_versions *versions, const struct sl_build_wish *wish,
			    struct sl_build_command *command, struct sl_err *err);
/* make again, without these programs. */
void sl_build_command_without(struct sl_build_command *command, const struct sl_versions *versions,
			      const struct sl_build_wish *wish, const struct sl_line_list *without);
void sl_build_command_release(struct sl_build_command *command);

/* make's target for that program. The caller frees it. */
char *sl_build_target(const struct sl_build_command *command, const struct sl_versions *versions,
		      const char *program);

/* The program below the root of a version; NULL: it is elsewhere. The caller frees it. */
char *sl_program_inside(const struct sl_versions *versions, const char *program);
/* Is it a pattern of glob(7)? */
bool sl_program_is_pattern(const char *program);

/* The value of MAKEFLAGS by which CC and CXX are as on make's command line, whatever the Makefile says. The caller frees it. */
char *sl_make_flags(const char *given, const char *cc, const char *cxx);

#endif
