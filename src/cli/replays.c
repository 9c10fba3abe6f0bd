/*
 * The replay files of what was found.
 */
#include "cli/results.h"

#include "trace/environment.h"
#include "trace/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 100000
#define PIE_BASE 0x555555554000ul /* where x86-64 Linux loads such a program when nothing is random */

/* "DIR/account-1.sleave": the first number that nobody has, taken by making the file. The case knows it before it is
 * there: who is killed in between must not leave a file behind that nobody knows. */
static int
file_reserve(const struct sl_results *results, struct sl_case *c, char *path, size_t room, struct sl_err *err)
{
	char copy[PATH_MAX];
	const char *base, *folder = strcmp(results->output, ".") == 0 ? "" : results->output;

	snprintf(copy, sizeof(copy), "%s", results->program);
	base = basename(copy);
	for (unsigned n = 1; n < FILES_MAX; n++) {
		int fd;

		if ((size_t)snprintf(path, room, "%s%s%s-%u.sleave", folder, *folder ? "/" : "", base, n) >= room)
			return sl_err_set(err, "the name of the folder %s is too long", folder);
		sl_text_cut(c->file, sizeof(c->file), path);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			return 0;
		}
		if (errno != EEXIST)
			return sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
	}
	return sl_err_set(err, "there are already %d replay files called %s-….sleave", FILES_MAX - 1, base);
}

/*
 * The marks as a replay will need them: it is run without address randomisation, a test that calls
 * sleave_explore() was not. That moves the variables of a position-independent program.
 */
static uint64_t *
marks_settled(const struct sl_arena *a, size_t count)
{
	const struct sl_module *program = &a->modules[0];
	uint64_t *marks = malloc((count + 1) * sizeof(*marks));

	if (!marks)
		abort();
	for (size_t i = 0; i < count; i++) {
		uint64_t address = a->marks[i] & ((1ul << 47) - 1); /* above it: flags of engine/mark.c */

		marks[i] = a->marks[i];
		if (program->base && address >= program->low && address < program->high)
			marks[i] += PIE_BASE - program->base;
	}
	return marks;
}

static uint64_t
settled(const struct sl_module *program, uint64_t address)
{
	return program->base && address >= program->low && address < program->high
		       ? address + PIE_BASE - program->base
		       : address;
}

/* Those that count, with their addresses as marks have theirs. */
static void
enablers_settled(const struct sl_arena *a, const struct sl_case *c, struct sl_replay *replay)
{
	const struct sl_enablers *all = &c->enablers;

	if (!c->ready || !all->flag_count)
		return;
	replay->enablers = calloc(SL_ENABLERS_MAX, sizeof(*replay->enablers));
	if (!replay->enablers)
		abort();
	for (uint32_t i = 0; i < all->count && i < SL_ENABLERS_MAX; i++) {
		struct sl_enabler e = all->items[i];

		if (e.most <= e.here || !e.after)
			continue;
		e.address = settled(&a->modules[0], e.address);
		for (int k = 0; k < SL_ENABLER_FRAMES; k++)
			e.pcs[k] = settled(&a->modules[0], e.pcs[k]);
		replay->enablers[replay->enabler_count++] = e;
	}
}

/*
 * A run that goes on may have told of this finding before, and have written a file. What is there now: nothing of ours, this
 * very finding, or one that was not finished, or not yet as short?
 */
enum written { NOTHING, OLDER, SAME };

static enum written
written_before(const char *path, const struct sl_replay *replay)
{
	struct sl_replay there;
	struct stat info;
	struct sl_err err;
	enum written result = NOTHING;

	if (!*path || stat(path, &info) < 0)
		return NOTHING;
	if (sl_replay_read(path, &there, &err) < 0)
		return info.st_size ? NOTHING : OLDER;
	if (there.signature == replay->signature && strcmp(there.build_id, replay->build_id) == 0)
		result = there.hash == replay->hash && there.preemptions == replay->preemptions ? SAME : OLDER;
	sl_replay_release(&there);
	return result;
}

static void
record_environment(const struct sl_results *results, struct sl_replay *replay)
{
	struct sl_asked *asked = &results->arena->asked;
	char *names[SL_ASKED_MAX];
	size_t count = 0;

	for (size_t i = 0; i < SL_ASKED_MAX; i++)
		if (asked->items[i].state == 2)
			names[count++] = asked->items[i].name;
	sl_environment_record(replay, results->environment ? results->environment : environ, names, count,
			      !asked->full);
}

int
sl_results_write(struct sl_results *results, struct sl_case *c, const char *message, char *path, size_t room,
		 struct sl_err *err)
{
	struct sl_arena *a = results->arena;
	struct sl_replay replay = {
		.program = (char *)results->program,
		.argv = results->argv,
		.cwd = (char *)results->cwd,
		.follows = a->config.plan[0] ? a->config.plan : NULL,
		.checked = a->config.check_plan,
		.seed = a->config.seed,
		.races = a->config.races,
		.spurious = a->config.spurious,
		.again = a->config.again,
		.volatiles = a->config.volatiles,
		.world = results->world,
		.explore_call = results->explore_call,
		.visit = {a->config.visit, a->config.visit_schedule, a->config.visit_line},
		.kind = c->finding.kind,
		.preemptions = c->preemptions,
		.signature = c->finding.signature,
		.operations = c->steps,
		.hash = c->hash,
		.mark_count = c->marks_used < SL_MARKS_MAX ? c->marks_used : SL_MARKS_MAX,
		.schedule = sl_items_view(&c->schedule),
	};
	int result;

	while (results->argv[replay.argc])
		replay.argc++;
	sl_text_cut(replay.build_id, sizeof(replay.build_id), results->build_id);
	sl_text_cut(replay.strategy, sizeof(replay.strategy), a->config.strategy);
	sl_text_cut(replay.message, sizeof(replay.message), message);
	switch (written_before(c->file, &replay)) {
	case SAME:
		sl_text_cut(path, room, c->file);
		return 0;
	case OLDER:
		sl_text_cut(path, room, c->file);
		break;
	case NOTHING:
		if (file_reserve(results, c, path, room, err) < 0)
			return -1;
	}
	replay.marks = marks_settled(a, replay.mark_count);
	enablers_settled(a, c, &replay);
	record_environment(results, &replay);
	sl_results_steps(results, c, &replay.steps);
	result = sl_replay_write(path, &replay, err);
	if (result < 0)
		unlink(path);
	sl_replay_release_variables(&replay);
	sl_steps_release(&replay.steps);
	free(replay.enablers);
	free(replay.marks);
	return result;
}

const char *
sl_output_here(const char *output, const char *otherwise)
{
	char here[PATH_MAX];
	size_t length;

	if (!output || !*output)
		return otherwise;
	if (!getcwd(here, sizeof(here)))
		return output;
	length = strlen(here);
	if (strcmp(output, here) == 0)
		return ".";
	return strncmp(output, here, length) == 0 && output[length] == '/' ? output + length + 1 : output;
}
