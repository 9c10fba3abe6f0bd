/*
 * The replay files of findings.
 */
#include "cli/result/results.h"

#include "base/room.h"
#include "trace/replay/environment.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 100000
/* where x86-64 Linux loads a position-independent program without address randomisation */
#define PIE_BASE 0x555555554000ul

/* Creates "DIR/account-1.sleave" with the first free number. The case has the name before the file exists: a
 * process that is killed in between must not leave an unknown file behind. */
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
	return sl_err_set(err, "there are already %d replay files of the name %s-….sleave", FILES_MAX - 1, base);
}

/*
 * Converts marks for a replay: the replay runs without address randomisation, a test that called
 * sleave_explore() ran with it. That moves the variables of a position-independent program.
 */
static uint64_t *
marks_settled(const struct sl_arena *a, size_t count)
{
	const struct sl_module *program = &a->modules.items[0];
	uint64_t *marks = sl_must(malloc((count + 1) * sizeof(*marks)));

	for (size_t i = 0; i < count; i++) {
		uint64_t address = a->marks.table[i] &
				   ((1ul << 47) - 1); /* the bits above are flags of engine/check/mark.c */

		marks[i] = a->marks.table[i];
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

/* The enablers that count, with addresses like those of marks. */
static void
enablers_settled(const struct sl_arena *a, const struct sl_case *c, struct sl_replay *replay)
{
	const struct sl_enablers *all = &c->enablers;

	if (!c->ready || !all->flag_count)
		return;
	replay->enablers = sl_must(calloc(SL_ENABLERS_MAX, sizeof(*replay->enablers)));
	for (uint32_t i = 0; i < all->count && i < SL_ENABLERS_MAX; i++) {
		struct sl_enabler e = all->items[i];

		if (e.most <= e.here || !e.after)
			continue;
		e.address = settled(&a->modules.items[0], e.address);
		for (int k = 0; k < SL_ENABLER_FRAMES; k++)
			e.pcs[k] = settled(&a->modules.items[0], e.pcs[k]);
		replay->enablers[replay->enabler_count++] = e;
	}
}

static void
order_settled(const struct sl_arena *a, const struct sl_case *c, struct sl_replay *replay)
{
	if (c->finding.kind != SL_FINDING_ATOMICITY)
		return;
	replay->order = a->order;
	for (uint32_t i = 0; i < replay->order.count; i++) {
		struct sl_op_order_step *s = &replay->order.steps[i];

		s->pc = settled(&a->modules.items[0], s->pc);
		s->address = settled(&a->modules.items[0], s->address);
	}
}

/*
 * A run that was resumed may have reported this finding before, and have written a file. Returns what the file
 * has: nothing of this finding, this finding, or an unfinished or longer version of it.
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

/*
 * Fills the contents of a replay file, to be released. A finding that was not fully traced has no operations to
 * compare with.
 */
static void
replay_fill(struct sl_results *results, struct sl_case *c, const char *message, struct sl_replay *replay)
{
	struct sl_arena *a = results->arena;

	*replay = (struct sl_replay){
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
		.visit = {a->config.visit.number, a->config.visit.schedule, a->config.visit.line},
		.kind = c->finding.kind,
		.preemptions = c->preemptions,
		.signature = c->finding.signature,
		.operations = c->steps,
		.hash = c->ready ? c->hash : 0,
		.mark_count = c->marks_used < SL_MARKS_MAX ? c->marks_used : SL_MARKS_MAX,
		.schedule = sl_items_view(&c->schedule),
	};
	while (results->argv[replay->argc])
		replay->argc++;
	sl_text_cut(replay->build_id, sizeof(replay->build_id), results->build_id);
	sl_text_cut(replay->strategy, sizeof(replay->strategy), a->config.strategy);
	sl_text_cut(replay->message, sizeof(replay->message), message);
	replay->marks = marks_settled(a, replay->mark_count);
	enablers_settled(a, c, replay);
	order_settled(a, c, replay);
	record_environment(results, replay);
	if (c->ready)
		sl_results_steps(results, c, &replay->steps);
}

static void
replay_release(struct sl_replay *replay)
{
	sl_replay_release_variables(replay);
	sl_steps_release(&replay->steps);
	free(replay->enablers);
	free(replay->marks);
}

int
sl_results_write(struct sl_results *results, struct sl_case *c, const char *message, char *path, size_t room,
		 struct sl_err *err)
{
	struct sl_replay replay;
	enum written before;
	int result = 0;

	replay_fill(results, c, message, &replay);
	before = written_before(c->file, &replay);
	if (before == NOTHING)
		result = file_reserve(results, c, path, room, err);
	else
		sl_text_cut(path, room, c->file);
	if (before != SAME && result == 0) {
		result = sl_replay_write(path, &replay, err);
		if (result < 0)
			unlink(path);
	}
	c->early = 0;
	replay_release(&replay);
	return result;
}

/* ---- before a finding is reported ---- */

void
sl_results_drop_early(struct sl_results *results, const struct sl_case *but)
{
	struct sl_arena *a = results->arena;

	for (uint32_t i = 0; i < a->case_count && i < SL_FINDINGS_MAX; i++) {
		struct sl_case *c = &a->cases[i];
		struct sl_replay ours = {.signature = c->finding.signature};

		if (c == but || !c->early)
			continue;
		sl_text_cut(ours.build_id, sizeof(ours.build_id), results->build_id);
		if (written_before(c->file, &ours) != NOTHING)
			unlink(c->file);
		c->file[0] = '\0';
		c->early = 0;
	}
}

/* Returns whether the finding may be reported: if only one will be, only the first gets a file. */
static bool
may_be_told(const struct sl_results *results, const struct sl_case *c)
{
	if (!results->first_only)
		return true;
	for (const struct sl_case *other = results->arena->cases; other < c; other++)
		if (other->early)
			return false;
	return results->finding_count == 0;
}

/*
 * Writes nothing if the case is being changed: the next attempt does. An error is reported together with the
 * finding.
 */
static void
write_early(struct sl_results *results, struct sl_case *c, uint32_t version, struct sl_err *err)
{
	struct sl_finding finding = c->finding;
	struct sl_replay replay;
	char headline[640], path[PATH_MAX], *text = NULL;
	enum written before;
	size_t size = 0;
	int result;

	sl_results_headline(results, &finding, headline, sizeof(headline));
	replay_fill(results, c, headline, &replay);
	result = sl_replay_format(&replay, &text, &size);
	before = written_before(c->file, &replay);
	replay_release(&replay);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (result == 0 && __atomic_load_n(&c->version, __ATOMIC_RELAXED) != version)
		result = -1;
	if (result == 0)
		c->early = version; /* set before the file exists, like its name */
	if (result == 0 && before == NOTHING)
		result = file_reserve(results, c, path, sizeof(path), err);
	if (result == 0 && (result = sl_replay_write_text(c->file, text, size, err)) < 0)
		unlink(c->file);
	free(text);
}

void
sl_results_write_early(struct sl_results *results)
{
	struct sl_arena *a = results->arena;
	struct sl_err err;

	for (uint32_t i = 0; results->output && i < a->case_count && i < SL_FINDINGS_MAX; i++) {
		struct sl_case *c = &a->cases[i];
		uint32_t version = __atomic_load_n(&c->version, __ATOMIC_ACQUIRE);

		if (results->told[i] || c->warning || c->ready || !version || version & 1 || version == c->early ||
		    !may_be_told(results, c))
			continue;
		write_early(results, c, version, &err);
	}
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
