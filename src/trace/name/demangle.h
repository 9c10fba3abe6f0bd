/*
 * C++ symbols as in the source.
 */
#ifndef SL_TRACE_NAME_DEMANGLE_H
#define SL_TRACE_NAME_DEMANGLE_H

/* The caller frees it. NULL: not a C++ symbol, or the C++ library is not loaded; only C++ programs need it. */
char *sl_demangle(const char *symbol);

#endif
