#include "version/git.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void
sl_git_start(void)
{
	static bool started;

	if (!started && git_libgit2_init() < 0)
		abort();
	started = true;
}

int
sl_git_err(struct sl_err *err, const char *format, ...)
{
	const git_error *last = git_error_last();
	char what[sizeof(err->text)];
	va_list list;

	va_start(list, format);
	vsnprintf(what, sizeof(what), format, list);
	va_end(list);
	return sl_err_set(err, "%s: %s", what, last && last->message ? last->message : "libgit2 does not say why");
}
