/*
 * Schedules on real threads, for messages: the holders of locks that do not record them (spin locks, readers of
 * read-write locks), and the place in the program where a thread waits. The command names places when something
 * has gone wrong.
 */
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/section/locate.h"
#include "engine/under/poison.h"

/* ---- holders of locks ---- */

int
sl_rt_held(const volatile void *lock, int error)
{
	struct sl_runner *self = sl_runner_self;

	if (!error && self && self->holding_count < SL_HOLDINGS)
		self->holdings[self->holding_count++] = (const void *)lock;
	return error;
}

/* The most recent of several. */
void
sl_rt_lets_go(const volatile void *lock)
{
	struct sl_runner *self = sl_runner_self;
	uint32_t i = self ? self->holding_count : 0;

	while (i && self->holdings[i - 1] != lock)
		i--;
	if (!i)
		return;
	for (self->holding_count--; i <= self->holding_count; i++)
		self->holdings[i - 1] = self->holdings[i];
}

bool
sl_rt_holds(const struct sl_runner *r, const void *lock)
{
	for (uint32_t i = 0; i < r->holding_count; i++)
		if (r->holdings[i] == lock)
			return true;
	return false;
}

/* ---- where a thread waits ---- */

#define LIBRARIES_MAX 8
#define FRAMES_MAX 48

/* Libraries whose functions wait on behalf of the program. */
static const char *const libraries[] = {"libsleave.so", "libc.so.", "libstdc++.so.", "libgcc_s.so.",
					"libpthread.so."};
static struct {
	uint64_t low, high;
} skipped[LIBRARIES_MAX];
static unsigned skipped_count;

static int
add_library(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *name = info->dlpi_name;
	uint64_t low = UINT64_MAX, high = 0;

	(void)size;
	(void)unused;
	for (const char *c = name; *c; c++)
		if (*c == '/')
			name = c + 1;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		if (!sl_text_begins(name, libraries[i]) || skipped_count == LIBRARIES_MAX)
			continue;
		for (int k = 0; k < info->dlpi_phnum; k++) {
			const ElfW(Phdr) *p = &info->dlpi_phdr[k];
			uint64_t start = info->dlpi_addr + p->p_vaddr;

			if (p->p_type != PT_LOAD)
				continue;
			low = start < low ? start : low;
			high = start + p->p_memsz > high ? start + p->p_memsz : high;
		}
		skipped[skipped_count].low = low;
		skipped[skipped_count++].high = high;
	}
	return 0;
}

struct search {
	unsigned frames;
	uint64_t found;
};

static _Unwind_Reason_Code
look(struct _Unwind_Context *context, void *data)
{
	uint64_t pc = _Unwind_GetIP(context);
	struct search *search = data;

	for (unsigned i = 0; i < skipped_count; i++)
		if (pc >= skipped[i].low && pc < skipped[i].high)
			return ++search->frames == FRAMES_MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
	search->found = pc;
	return _URC_END_OF_STACK;
}

void
sl_rt_note_place(struct sl_runner *r)
{
	struct search search = {0};

	r->at = 0;
	if (r != sl_runner_self)
		return;
	_Unwind_Backtrace(look, &search);
	r->at = search.found;
}

void
sl_rt_where_begin(void)
{
	struct search search = {0};

	if (!skipped_count)
		dl_iterate_phdr(add_library, NULL);
	_Unwind_Backtrace(look, &search); /* libgcc initialises itself by pthread_once() in the first call */
}

/* ---- names ---- */

#define NAMED_MAX 24 /* number of waiting threads */

static struct {
	const struct sl_runner *runner;
	const char *place, *object;
} named[NAMED_MAX];
static unsigned named_count;

static bool
has_object(const struct sl_runner *r)
{
	return r->waits.object && r->waits.kind != SL_WAITS_JOIN && r->waits.kind != SL_WAITS_IO &&
	       !sl_rt_object_name(r->waits.object);
}

static void
add_address(char *text, size_t room, size_t *used, char kind, uint64_t address)
{
	char digits[20] = {0};
	int n = 19;

	do
		digits[--n] = "0123456789abcdef"[address % 16];
	while (address /= 16);
	digits[--n] = kind;
	sl_text_add(text, room, used, *used ? " " : "");
	sl_text_add(text, room, used, digits + n);
}

static const char *
take_line(char **answers)
{
	char *line = *answers, *end = line;

	while (*end && *end != '\n')
		end++;
	*answers = end + (*end == '\n');
	*end = '\0';
	return *line ? line : NULL;
}

/* Asks for two addresses of each thread: where it is, and what it waits for. */
void
sl_rt_name_waits(void)
{
	static char question[NAMED_MAX * 40], answer[NAMED_MAX * 600];
	char *left = answer;
	size_t used = 0;

	named_count = 0;
	for (uint32_t i = 0; i < F.runner_count && named_count < NAMED_MAX; i++) {
		const struct sl_runner *r = &F.runners[i];

		if (r->doing != SL_BLOCKED || r->aside)
			continue;
		named[named_count++].runner = r;
		add_address(question, sizeof(question), &used, 'c', r->at);
		add_address(question, sizeof(question), &used, 'd',
			    has_object(r) ? (uintptr_t)r->waits.object : 0);
	}
	if (!named_count || !sl_name(question, answer, sizeof(answer)))
		answer[0] = '\0';
	for (unsigned i = 0; i < named_count; i++) {
		named[i].place = take_line(&left);
		named[i].object = take_line(&left);
	}
}

const char *
sl_rt_place_of(const struct sl_runner *r)
{
	for (unsigned i = 0; i < named_count; i++)
		if (named[i].runner == r)
			return named[i].place;
	return NULL;
}

const char *
sl_rt_object_of(const struct sl_runner *r)
{
	const char *name = r->waits.kind == SL_WAITS_JOIN ? NULL : sl_rt_object_name(r->waits.object);

	for (unsigned i = 0; i < named_count && !name; i++)
		if (named[i].runner == r)
			name = named[i].object;
	return name;
}
