/*
 * The lines of a file's code: which addresses belong to which line of which source.
 */
#ifndef SL_ANALYSIS_LINE_ROWS_H
#define SL_ANALYSIS_LINE_ROWS_H

#include "analysis/binary.h"

/*
 * Calls the function for each range of addresses that the debug information gives a line. The file is named as the binaries name
 * it, and the same string for the same file of a compilation unit.
 */
void sl_line_rows_each(const struct sl_binaries *binaries, const struct sl_binary *binary,
		       void (*row)(void *data, const char *file, uint32_t line, uint64_t low, uint64_t high),
		       void *data);

#endif
