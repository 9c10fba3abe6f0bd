/*
 * `sleave cc` and `sleave c++`: gcc or clang, with options that report every access to libsleave and link it.
 * Used by the command line only.
 */
#ifndef SL_CLI_CC_CC_H
#define SL_CLI_CC_CC_H

#include <stdbool.h>

/*
 * argv[0] is the name of the command ("cc" or "c++"), the rest is for the compiler. Replaces the process by the
 * compiler; returns only if that is impossible: 2 for wrong usage, 3 if the compiler or libsleave is missing; and
 * 0 after its own --help.
 */
int sl_command_cc(int argc, char **argv, bool cxx);

#endif
