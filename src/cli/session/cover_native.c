#include "cli/session/cover_native.h"

#include "base/room.h"
#include "cli/session/native.h"
#include "search/arena.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

bool
sl_cover_noise_is(const char *strategy)
{
	char text[64];

	return sl_native_noise(strategy, 0, 0, text, sizeof(text));
}

static void
each(void *data, const struct sl_item *item)
{
	sl_coverage_item(data, item);
}

/* Returns whether the execution failed. */
static void
judge(struct sl_cover_noise *n, const struct sl_native_end *end)
{
	char how[sizeof(n->how)] = "";

	if (end->too_long)
		snprintf(how, sizeof(how), "hung (the watchdog ended it)");
	else if (WIFSIGNALED(end->status))
		snprintf(how, sizeof(how), "was ended by SIG%s", sigabbrev_np(WTERMSIG(end->status)));
	else if (WEXITSTATUS(end->status))
		snprintf(how, sizeof(how), "ended with status %d", WEXITSTATUS(end->status));
	if (!how[0])
		return;
	if (!n->failed++) {
		memcpy(n->how, how, sizeof(how));
		n->failed_at = n->coverage->execution;
	}
}

static bool
has(const struct sl_cover_noise *n, const struct sl_module *m)
{
	for (uint32_t i = 0; i < n->module_count; i++)
		if (n->modules[i].base == m->base && !strcmp(n->modules[i].path, m->path))
			return true;
	return false;
}

/* Updates the names: an execution may have loaded new libraries. */
static int
name(struct sl_cover_noise *n, const struct sl_reel *reel, struct sl_err *err)
{
	uint32_t before = n->module_count;

	for (uint32_t i = 0; i < reel->module_count; i++) {
		if (has(n, &reel->modules[i]))
			continue;
		n->modules = sl_must(realloc(n->modules, (n->module_count + 1) * sizeof(*n->modules)));
		n->modules[n->module_count++] = reel->modules[i];
	}
	if (n->names && n->module_count == before)
		return 0;
	sl_names_free(n->names);
	n->names = sl_names_new(n->modules, n->module_count, err);
	return n->names ? 0 : -1;
}

static bool
goes_on(struct sl_cover_noise *n, uint64_t spent)
{
	const struct sl_coverage *c = n->coverage;

	if ((n->schedules && c->execution >= n->schedules) || (n->time && spent >= n->time))
		return false;
	if ((n->window || n->window_time) && sl_coverage_is_saturated(n->coverage, n->window_time ? 0 : n->window,
								      n->window_time, spent, n->coefficient))
		return false;
	return n->tick(n->data, n);
}

static int
search(struct sl_cover_noise *n, struct sl_native *native, struct sl_err *err)
{
	uint64_t start = sl_nanoseconds(), spent;
	char text[64];
	struct sl_native_program program = {.path = n->program,
					    .argv = n->argv,
					    .library = n->library,
					    .input = n->input,
					    .silent = true};
	struct sl_native_end end;
	bool more;

	for (uint64_t i = 0;; i++) {
		/* each execution has a seed of its own, derived from the given one */
		if (i && !sl_native_noise(n->strategy, n->probability, n->seed * 1000003 + i, text, sizeof(text)))
			return sl_err_set(err, "there is no strategy '%s'", n->strategy);
		program.noise = i ? text : NULL;
		program.number = i ? i : SL_PART_CALM;
		program.until = n->time ? start + n->time : 0;
		sl_coverage_begin(n->coverage, i > 0);
		if (sl_native_run(native, &program, n->watchdog, each, n->coverage, &end, err) < 0)
			return -1;
		spent = sl_nanoseconds() - start;
		sl_coverage_end(n->coverage, spent);
		n->seconds = (double)spent / 1e9;
		n->unrecorded += end.reel->unrecorded;
		if (!end.items)
			return sl_err_set(err, "%s was not recorded: it sent no items", n->program);
		if (name(n, end.reel, err) < 0)
			return -1;
		more = goes_on(n, spent);
		/* the first execution does not count, and neither does an interrupted one */
		if (i && !end.cut && !(WIFSIGNALED(end.status) && n->interrupted))
			judge(n, &end);
		if (!more)
			return 0;
	}
}

int
sl_cover_noise_run(struct sl_cover_noise *n, struct sl_err *err)
{
	struct sl_native *native = sl_native_new(n->drain, err);
	int result;

	if (!native)
		return -1;
	/* most of its pages are never touched */
	n->coverage = mmap(NULL, sizeof(*n->coverage), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (n->coverage == MAP_FAILED) {
		n->coverage = NULL;
		sl_native_free(native);
		return sl_err_set(err, "out of memory");
	}
	sl_coverage_use(n->coverage, n->criterion);
	result = search(n, native, err);
	sl_native_free(native);
	return result;
}

void
sl_cover_noise_release(struct sl_cover_noise *n)
{
	if (n->coverage)
		munmap(n->coverage, sizeof(*n->coverage));
	sl_names_free(n->names);
	free(n->modules);
}
