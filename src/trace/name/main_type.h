/*
 * What debug information says of a program's main().
 */
#ifndef SL_TRACE_NAME_MAIN_TYPE_H
#define SL_TRACE_NAME_MAIN_TYPE_H

#include <stdbool.h>

/* It is declared `void main()`: the status of a return from it is whatever was in a register. False, too, if nothing is known. */
bool sl_main_returns_nothing(const char *program);

#endif
