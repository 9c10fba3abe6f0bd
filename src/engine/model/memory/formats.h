/*
 * Formats of printf() and scanf(): the program's memory that the call reads and writes by its arguments. Used by
 * streams.c and touched.c.
 */
#ifndef SL_ENGINE_MODEL_MEMORY_FORMATS_H
#define SL_ENGINE_MODEL_MEMORY_FORMATS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To be called before the call: announces the strings that it reads. */
void sl_format_print(const void *format, bool wide, va_list list, uint64_t pc);
/* To be called after it: announces what %n has written. */
void sl_format_printed(const void *format, bool wide, va_list list, uint64_t pc);
/*
 * To be called before scanf() and similar functions: announces the possible writes; a text without a width has at
 * most `longest` characters.
 */
void sl_format_scan(const void *format, bool wide, va_list list, size_t longest, uint64_t pc);
/* To be called after that, with its result: announces the writes. */
void sl_format_scanned(const void *format, bool wide, va_list list, int result, uint64_t pc);

#endif
