/*
 * cmocka's messages about failed assertions. cmocka prints them when the test is over, but the execution ends
 * before: the assertion leaves the explored function by a long jump. So this file intercepts the messages.
 */
#define SL_DEFINES_STDIO_FUNCTIONS
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

static char said[160];

/* "a.c:23: error: Failure!" is the last message; the place is known anyway. */
static bool
is_place(const char *text)
{
	static const char end[] = ": error: Failure!";

	for (; *text; text++) {
		size_t n = 0;

		while (end[n] && text[n] == end[n])
			n++;
		if (!end[n])
			return true;
	}
	return false;
}

static void
hear(const char *text)
{
	size_t used = sl_strlen(said);

	if (is_place(text))
		return;
	if (used && used < sizeof(said) - 1)
		said[used++] = ' ';
	for (; *text && used < sizeof(said) - 1; text++)
		said[used++] = (char)(*text == '\n' || *text == '\t' ? ' ' : *text);
	while (used && said[used - 1] == ' ')
		used--;
	said[used] = '\0';
}

SL_EXPORT void cm_print_error(const char *format, ...);

void
cm_print_error(const char *format, ...)
{
	bool control = E.control;
	char text[2048] = "";
	va_list list;

	va_start(list, format);
	E.control = false; /* libc's operations are not the program's */
	vsnprintf(text, sizeof(text), format, list);
	E.control = control;
	va_end(list);
	if (control)
		hear(text);
	if (sl_real.cm_print_error)
		sl_real.cm_print_error("%s", text);
}

const char *
sl_framework_says(void)
{
	return said[0] ? said : "a long jump out of the body: a test framework's assertion failed";
}

void
sl_framework_reset(void)
{
	said[0] = '\0';
}
