/*
 * What the debug information says about a program's main().
 */
#ifndef SL_TRACE_NAME_MAIN_TYPE_H
#define SL_TRACE_NAME_MAIN_TYPE_H

#include <stdbool.h>

/* main() is declared as `void main()`: its exit status is undefined. False also if nothing is known. */
bool sl_main_returns_nothing(const char *program);

#endif
