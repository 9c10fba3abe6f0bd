/*
 * C++ symbols as their programmer wrote them.
 */
#ifndef SL_TRACE_NAME_DEMANGLE_H
#define SL_TRACE_NAME_DEMANGLE_H

/* To be freed. NULL: it is no C++ symbol, or the C++ library is not there to tell; only C++ programs need it. */
char *sl_demangle(const char *symbol);

#endif
