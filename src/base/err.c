#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int
sl_err_set(struct sl_err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -1;
}
