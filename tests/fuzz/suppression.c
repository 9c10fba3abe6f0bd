/*
 * The reader of suppression files, on any input; and templates: the first line of the input
 * is one, the rest a name, and the answer must be that of the simplest possible matcher.
 */
#include "report/story/suppression.h"

#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* From here on, trying everything; short texts only, because that takes exponential time. */
static bool
naive(const char *template, const char *name)
{
	if (!*template || (*template == '$' && !template[1] && !*name))
		return true;
	if (*template == '*')
		return naive(template + 1, name) || (*name && naive(template, name + 1));
	if (*template == '$' && !template[1])
		return false;
	return *name && *template == *name && naive(template + 1, name + 1);
}

static void
compare(const char *template, const char *name)
{
	bool expected = *template == '^' && naive(template + 1, name);

	for (const char *at = name; *template && *template != '^' && !expected; at++) {
		expected = naive(template, at);
		if (!*at)
			break;
	}
	HOLDS(sl_template_match(template, name) == expected);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_suppressions *suppressions;
	struct sl_err err = {""};
	char path[64], template[13] = "", name[17] = "";
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	int fd = memfd_create("suppressions", MFD_CLOEXEC);

	HOLDS(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (sl_suppressions_read(path, &suppressions, &err)) {
		HOLDS(err.text[0] && !suppressions);
		for (const char *c = err.text; *c; c++)
			HOLDS((unsigned char)*c >= ' ' && *c != 0x7f); /* a stranger's file, and a terminal */
	} else {
		HOLDS(suppressions);
		HOLDS(size == 0 || !memchr(data, 0, size)); /* what follows a zero would be lost without a word */
	}
	sl_suppressions_free(suppressions);
	close(fd);
	if (newline) {
		size_t first = (size_t)(newline - data), rest = size - first - 1;

		memcpy(template, data, first < sizeof(template) ? first : sizeof(template) - 1);
		memcpy(name, newline + 1, rest < sizeof(name) ? rest : sizeof(name) - 1);
		compare(template, name);
	}
	return 0;
}
