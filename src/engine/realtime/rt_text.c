/*
 * Schedules on real threads: the texts of a section, parsed, and the memory for plans and monitors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/under/poison.h"

#define POOL (64ul << 20) /* bytes of address space */

static char *pool_start;
static struct sl_pool pool;
static char *plans_end; /* end of what the plans use; monitors come after that */

static void
complain(const struct sleave_section *section, const char *name, const char *text, const char *file,
	 const struct sl_complaint *c)
{
	const char *line = text, *end;

	sl_rt_lock();
	sl_say_nothing();
	sl_say_head(section, name);
	sl_say("is wrong: ");
	if (file)
		sl_say_many(file, ":", NULL);
	else
		sl_say("line ");
	sl_say_number(c->place.line);
	sl_say(file ? ":" : ", column ");
	sl_say_number(c->place.column);
	sl_say_many(": ", c->text, "\n", NULL);
	if (text) {
		for (const char *at = text; at < text + c->place.offset && *at; at++)
			if (*at == '\n')
				line = at + 1;
		for (end = line; *end && *end != '\n'; end++)
			;
		sl_say("    ");
		sl_say_text(line, (size_t)(end - line));
		sl_say("\n    ");
		for (const char *at = line; at < text + c->place.offset && *at; at++)
			if ((*at & 0xc0) != 0x80)
				sl_say(*at == '\t' ? "\t" : " ");
		sl_say("^\n");
	}
	sl_rt_fail();
}

static void *
take(size_t size)
{
	char *at = pool.at;

	size = (size + 15) & ~15ul;
	if (size > (size_t)(pool.end - pool.at))
		return NULL;
	pool.at += size;
	return at;
}

/* Reads a file; the text ends with a zero byte. NULL: `error` says why not. */
static char *
read_file(const char *path, size_t *size, long *error)
{
	long fd = sl_raw(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n = 0;
	char *text = pool.at;
	size_t room = (size_t)(pool.end - pool.at) / 4;

	*size = 0;
	*error = fd;
	if (fd < 0)
		return NULL;
	while (*size < room && (n = sl_raw(SYS_read, fd, text + *size, room - *size)) > 0)
		*size += (size_t)n;
	sl_raw(SYS_close, fd);
	*error = n < 0 ? n : -EFBIG;
	if (n < 0 || *size == room || !take(*size + 1))
		return NULL;
	text[*size] = 0;
	return text;
}

static const char *
copy(const char *text)
{
	size_t n = sl_strlen(text) + 1;
	char *to = take(n);

	return to ? sl_memcpy(to, text, n) : NULL;
}

static _Noreturn void
refuse_file(const struct sleave_section *section, const char *file, long error)
{
	sl_rt_lock();
	sl_say_nothing();
	sl_say_head(section, section->name);
	sl_say_many("is in the file ", file, ", which can't be read: ", sl_say_error(error), "\n", NULL);
	sl_rt_fail();
}

/* Schedules of one section must have different names. */
static void
refuse_twins(struct sleave_section *section, const struct sl_plan *first)
{
	for (const struct sl_plan *p = first; p; p = p->next)
		for (const struct sl_plan *q = p->next; q; q = q->next)
			if (sl_text_same(p->name, q->name)) {
				section->name = p->name;
				sl_rt_refuse(section,
					     "appears twice: each schedule of a section needs a name of its own");
			}
}

struct sl_plan *
sl_rt_parse(struct sleave_section *section, va_list texts)
{
	struct sl_plan *first = NULL, **last = &first;
	const char *name;

	if (!pool_start)
		pool_start = sl_rt_memory(POOL);
	else
		sl_raw(SYS_madvise, pool_start, POOL, MADV_DONTNEED);
	pool = (struct sl_pool){pool_start, pool_start + POOL};
	while ((name = va_arg(texts, const char *))) {
		const char *text = va_arg(texts, const char *), *file = NULL;
		struct sl_complaint complaint = {0};
		size_t length;
		long error;

		section->name = name;
		if (!text)
			sl_rt_refuse(section, "has no text: names and texts come in pairs");
		length = sl_strlen(text);
		if (*text == '@') { /* cppcheck-suppress nullPointerRedundantCheck ; refusing does not return */
			file = text + 1;
			text = read_file(file, &length, &error);
			if (!text)
				refuse_file(section, file, error);
		}
		struct sl_plan *plan = sl_plan_parse(text, length, &pool, &complaint);

		if (!plan)
			complain(section, name, text, file, &complaint);
		for (*last = plan; *last; last = &(*last)->next)
			if (!(*last)->name || !*(*last)->name)
				(*last)->name = copy(name);
	}
	plans_end = pool.at;
	refuse_twins(section, first);
	return first;
}

/* Takes the place of the previous monitor. */
struct sl_monitor *
sl_rt_monitor(const struct sl_plan *plan)
{
	pool.at = plans_end;
	return sl_monitor_new(plan, &pool);
}
