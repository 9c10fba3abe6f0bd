/*
 * The compiler that `sleave cc` calls. Used by cc.c alone.
 */
#ifndef SL_CLI_CC_COMPILER_H
#define SL_CLI_CC_COMPILER_H

#include "cli/args.h"

#include <stdbool.h>

enum sl_family { SL_FAMILY_GCC, SL_FAMILY_CLANG, SL_FAMILY_OTHER };

/*
 * SLEAVE_CC or SLEAVE_CXX, which may be several words. SLEAVE_CC=clang alone implies clang++ for C++, because the
 * objects of a program should come from one compiler. Returns the name of the variable that decided.
 */
const char *sl_compiler_choose(struct sl_args *compiler, bool cxx);

enum sl_family sl_compiler_family(const struct sl_args *compiler);

/* Finds the plugin in this folder that was built for this compiler; returns false if there is none. */
bool sl_compiler_plugin(const struct sl_args *compiler, enum sl_family family, const char *folder, char *path,
			size_t room);

#endif
