/*
 * Formats of printf() and scanf(): which memory of the program's the call reads and writes by its arguments. Used where
 * these functions are (streams.c, touched.c).
 */
#ifndef SL_ENGINE_MODEL_MEMORY_FORMATS_H
#define SL_ENGINE_MODEL_MEMORY_FORMATS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before the call: strings that it reads. */
void sl_format_print(const void *format, bool wide, va_list list, uint64_t pc);
/* After it: what %n has written. */
void sl_format_printed(const void *format, bool wide, va_list list, uint64_t pc);
/* Before scanf() and its like: what it may write, of a text without a width at most `longest` characters. */
void sl_format_scan(const void *format, bool wide, va_list list, size_t longest, uint64_t pc);
/* After scanf() and its like has answered so: what it has written. */
void sl_format_scanned(const void *format, bool wide, va_list list, int result, uint64_t pc);

#endif
