#include "cli/predict/recorded.h"

#include "base/rng.h"
#include "base/room.h"
#include "trace/replay/replay_file.h"
#include "trace/tape/tape.h"
#include "version/line_list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* ---- recording ---- */

static int
only_record(struct sl_arena *arena, void *data, struct sl_err *err)
{
	(void)err;
	arena->config.record_only = 1;
	/* of a random walk only what is known to be shared is a choice */
	sl_tried_share(data, arena);
	arena->workers[0].phase = SL_PHASE_EXPLORE;
	return 0;
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What any of the executions has shared. */
static void
add_marks(struct sl_tried_program *p, const uint64_t *marks, size_t count)
{
	size_t kept = 0, all = p->mark_count + count;

	p->marks = sl_must(realloc(p->marks, (all + 1) * sizeof(*p->marks)));
	memcpy(p->marks + p->mark_count, marks, count * sizeof(*p->marks));
	if (p->mark_count) {
		qsort(p->marks, all, sizeof(*p->marks), by_value);
		for (size_t i = 0; i < all; i++)
			if (!kept || p->marks[kept - 1] != p->marks[i])
				p->marks[kept++] = p->marks[i];
		all = kept;
	}
	p->mark_count = all;
}

static int
record(struct sl_recorded *r, struct sl_tried_program *p, uint64_t number, struct sl_err *err)
{
	static struct sl_exploration e;
	struct sl_summary summary;

	e = sl_tried_exploration(p);
	/* the first execution of icb is the calm one */
	e.settings.strategy = number ? sl_strategy_random.name : sl_strategy_icb.name;
	e.settings.seed += number ? number - 1 : 0;
	e.settings.limit.schedules = 1;
	e.settings.output = NULL;
	e.settings.tape = r->file;
	e.settings.races = e.settings.memory = e.settings.misuse = SL_RACES_OFF;
	e.prepare = only_record;
	e.data = p;
	if (sl_exploration_find(&e, err) < 0 || sl_exploration_run(&e, err) < 0)
		return -1;
	sl_exploration_judge(&e, &summary);
	p->executions += summary.executions;
	p->interrupted = p->interrupted || e.session.interrupts;
	add_marks(p, e.session.arena->marks.table, e.session.arena->marks.count);
	snprintf(r->failed, sizeof(r->failed), "%s", summary.finding_count ? summary.findings[0].message : "");
	if (summary.reason)
		snprintf(r->lacking, sizeof(r->lacking), "%s", summary.reason);
	else if (summary.counts.cut)
		snprintf(r->lacking, sizeof(r->lacking), "it was cut at the limit of operations (--operations)");
	else if (summary.counts.given_up)
		snprintf(r->lacking, sizeof(r->lacking), "it was given up when the time was over (--time)");
	r->module_count = e.session.arena->modules.count;
	r->modules = sl_room_zeroed(r->module_count, sizeof(*r->modules));
	memcpy(r->modules, e.session.arena->modules.items, r->module_count * sizeof(*r->modules));
	sl_exploration_release(&e);
	return 0;
}

/* Of a trace that is there. */
static int
open_names(struct sl_recorded *r, struct sl_err *err)
{
	r->names = sl_names_new(r->modules, (uint32_t)r->module_count, err);
	if (!r->names || sl_observed_open(&r->observed, r->file, 0, r->names, err) < 0)
		return -1;
	r->open = true;
	return 0;
}

/* From here on the file has no name, so nothing is left behind if the command is killed. */
static int
take_name(struct sl_recorded *r, struct sl_err *err)
{
	int fd = open(r->file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return sl_err_set(err, "the trace in %s can't be read: %s", r->file, strerror(errno));
	unlink(r->file);
	free(r->file);
	r->file = sl_line_new("/proc/self/fd/%d", fd);
	r->fd = fd;
	return 0;
}

int
sl_recorded_make(struct sl_recorded *r, struct sl_tried_program *p, uint64_t number, struct sl_err *err)
{
	int fd;

	*r = (struct sl_recorded){.file = sl_line_new("/tmp/sleave-predict-XXXXXX")};
	fd = mkstemp(r->file);
	if (fd < 0) {
		free(r->file);
		r->file = NULL;
		return sl_err_set(err, "cannot make a file for the trace in /tmp: %s", strerror(errno));
	}
	close(fd);
	return record(r, p, number, err) < 0 || take_name(r, err) < 0 || open_names(r, err) < 0 ? -1 : 0;
}

void
sl_recorded_release(struct sl_recorded *r)
{
	if (r->open)
		sl_observed_close(&r->observed);
	sl_names_free(r->names);
	free(r->modules);
	if (r->fd)
		close(r->fd);
	else if (r->file && !r->kept)
		unlink(r->file);
	free(r->file);
	*r = (struct sl_recorded){0};
}

/* ---- what is kept ----
 *
 *	.sleave/versions/KEY/PROGRAM-0.trace	execution 0
 *	.sleave/versions/KEY/PROGRAM-0.kept	lines: what it is an execution of, how it ended, where the files were loaded
 */

#define HEAD "a trace of an old version, kept by Sleave"

static uint64_t
add_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = sl_mix(hash + (unsigned char)*text);
	return sl_mix(hash + 256);
}

/* What an execution depends on besides the files of the version. False: on something that can't be compared. */
static bool
identity(const struct sl_tried_program *p, uint64_t number, uint64_t *hash)
{
	const struct sl_settings *s = p->settings;
	const uint64_t numbers[] =
		{number,   number ? s->seed : 0, s->spurious,        s->volatiles, s->world, s->carrier,
		 s->check, s->realistic_time,    s->limit.operations};
	struct stat input;

	*hash = add_text(0, p->path);
	for (char **word = p->argv + 1; *word; word++)
		*hash = add_text(*hash, *word);
	*hash = add_text(*hash, s->schedule ? s->schedule : "");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		*hash = sl_mix(*hash + numbers[i]);
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "_=", 2) != 0)
			*hash += add_text(1, *variable);
	if (fstat(0, &input) < 0)
		return true;
	if (S_ISCHR(input.st_mode)) {
		*hash = sl_mix(*hash + input.st_rdev);
		return true;
	}
	*hash = sl_mix(sl_mix(*hash + input.st_ino) + (uint64_t)input.st_size);
	*hash = sl_mix(*hash + (uint64_t)input.st_mtim.tv_sec * 1000000000u + (uint64_t)input.st_mtim.tv_nsec);
	return S_ISREG(input.st_mode);
}

static void
put_line(FILE *out, const char *word, const char *text)
{
	fprintf(out, "%s ", word);
	for (; *text; text++)
		fputc(*text == '\n' ? ' ' : *text, out);
	fputc('\n', out);
}

static void
keep(const struct sl_recorded *r, const char *info, uint64_t hash, const char *sleave)
{
	char *new = sl_line_new("%s.%ld", info, (long)getpid());
	int fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	bool good;

	if (out) {
		fprintf(out, HEAD "\nsleave %s\nof %016" PRIx64 "\n", sleave, hash);
		put_line(out, "failed", r->failed);
		for (size_t i = 0; i < r->module_count; i++) {
			const struct sl_module *m = &r->modules[i];

			fprintf(out, "module %" PRIx64 " %" PRIx64 " %" PRIx64 " ", m->base, m->low, m->high);
			put_line(out, "at", m->path);
		}
		fputs("end\n", out);
		good = fclose(out) == 0;
		/* without it the trace is only recorded again */
		if (!good || rename(new, info) < 0)
			unlink(new);
	} else if (fd >= 0) {
		close(fd);
		unlink(new);
	}
	free(new);
}

enum fit { FITS, OTHER, UNUSABLE };

/* Reads what is kept of an execution, and whether it fits. */
static enum fit
read_info(struct sl_recorded *r, const char *info, uint64_t hash, const char *sleave, char *note, size_t room)
{
	int fd = open(info, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	char line[PATH_MAX + 128];
	size_t capacity = 0;
	enum fit fit = UNUSABLE;
	unsigned number = 0;

	*note = '\0';
	if (!in) {
		if (fd >= 0)
			close(fd);
		return OTHER;
	}
	snprintf(note, room, "the trace of the old version that was kept is damaged; it is recorded again");
	while (fgets(line, sizeof(line), in)) {
		struct sl_module *m;
		int at = 0;

		number++;
		line[strcspn(line, "\n")] = '\0';
		if (number == 1 && strcmp(line, HEAD) != 0)
			break;
		if (number == 2 && (strncmp(line, "sleave ", 7) != 0 || strcmp(line + 7, sleave) != 0)) {
			snprintf(
				note, room,
				"the trace of the old version that was kept is of another Sleave; it is recorded again");
			break;
		}
		if (number == 3 && (strncmp(line, "of ", 3) != 0 || strtoull(line + 3, NULL, 16) != hash)) {
			*note = '\0';
			fit = OTHER;
			break;
		}
		if (number == 4) {
			if (strncmp(line, "failed ", 7) != 0)
				break;
			snprintf(r->failed, sizeof(r->failed), "%.*s", (int)sizeof(r->failed) - 1, line + 7);
		}
		if (number < 5)
			continue;
		if (strcmp(line, "end") == 0) {
			*note = '\0';
			fit = FITS;
			break;
		}
		r->modules = sl_room_for(r->modules, r->module_count, &capacity, sizeof(*r->modules));
		m = &r->modules[r->module_count];
		if (sscanf(line, "module %" SCNx64 " %" SCNx64 " %" SCNx64 " at %n", &m->base, &m->low, &m->high,
			   &at) != 3 ||
		    !at)
			break;
		snprintf(m->path, sizeof(m->path), "%.*s", (int)sizeof(m->path) - 1, line + at);
		r->module_count++;
	}
	fclose(in);
	return fit;
}

/* Is it whole, and of this program? */
static bool
is_whole(const struct sl_recorded *r, const char *program, char *note, size_t room)
{
	enum sl_tape_answer answer;
	struct sl_tape *tape;
	struct sl_item item;
	struct sl_err err = {""};
	char build[72];
	bool good;

	tape = sl_tape_open(r->file, &err);
	if (!tape) {
		snprintf(note, room, "%s; it is recorded again", err.text);
		return false;
	}
	if (sl_build_id(program, build, sizeof(build), &err) < 0 || strcmp(build, tape->head.build_id) != 0) {
		snprintf(note, room, "%s is the trace of another program; it is recorded again", r->file);
		sl_tape_close(tape);
		return false;
	}
	while ((answer = sl_tape_next(tape, &item)) == SL_TAPE_ITEM)
		;
	good = answer == SL_TAPE_END && tape->ended;
	if (!good)
		snprintf(note, room, "%s is damaged or not whole; it is recorded again", r->file);
	sl_tape_close(tape);
	return good;
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int
sl_recorded_old(struct sl_recorded *r, struct sl_tried_program *p, uint64_t number, const char *root, char *note,
		size_t room, struct sl_err *err)
{
	char sleave[72], *info;
	struct sl_err ignored;
	uint64_t hash;
	int result, beside;

	*note = '\0';
	if (!root || !identity(p, number, &hash) ||
	    sl_build_id("/proc/self/exe", sleave, sizeof(sleave), &ignored) < 0)
		return sl_recorded_make(r, p, number, err);
	*r = (struct sl_recorded){.kept = true};
	beside = (int)(base_of(root) - root);
	r->file = sl_line_new("%.*s%s-%" PRIu64 ".trace", beside, root, base_of(p->path), number);
	info = sl_line_new("%.*s%s-%" PRIu64 ".kept", beside, root, base_of(p->path), number);
	if (read_info(r, info, hash, sleave, note, room) == FITS && is_whole(r, p->path, note, room)) {
		free(info);
		return open_names(r, err);
	}
	free(r->modules);
	r->modules = NULL;
	r->module_count = 0;
	unlink(info); /* what is recorded now is no longer what it says */
	result = record(r, p, number, err);
	if (result == 0 && !*r->lacking && !p->interrupted)
		keep(r, info, hash, sleave);
	free(info);
	return result < 0 || open_names(r, err) < 0 ? -1 : 0;
}
