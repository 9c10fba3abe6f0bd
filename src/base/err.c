#include "base/err.h"

#include "base/shown.h"

#include <stdarg.h>
#include <stdio.h>

int
sl_err_set(struct sl_err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	sl_shown_in_place(err->text, sizeof(err->text)); /* names of files may have anything in them */
	return -1;
}
