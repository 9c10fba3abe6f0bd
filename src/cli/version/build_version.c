#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/version/build_version.h"

#include "base/room.h"
#include "cli/version/build_command.h"
#include "cli/version/build_key.h"
#include "cli/version/build_process.h"
#include "cli/version/user_state.h"
#include "version/shelf.h"

#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_NS 100000000ull
#define SECOND 1000000000ull
#define FULL_BYTES (1u << 20) /* a disk with less free space counts as full */
#define MAKE_MISSING "No rule to make target '%s'"

enum { OLD, NEW, SIDES };

/* One of the two versions while it is built. */
struct side {
	struct sl_version *version;
	struct sl_built_version *built;
	struct sl_shelf_place place;
	struct sl_build_command command;
	struct sl_build_job job;
	struct sl_err err;
	char *cwd;
	char **environment;
	struct sl_line_list without; /* programs that the Makefile of the version does not know */
	bool absent; /* the version does not even have the user's folder */
	bool twin; /* it is identical to the other version */
	bool failed;
};

struct build {
	struct sl_versions *versions;
	const struct sl_build_wish *wish;
	struct sl_built *built;
	struct sl_toolchain toolchain;
	struct sl_shelf shelf;
	struct side sides[SIDES];
	sigset_t before;
	bool terminal, drawn;
	uint64_t began;
};

static const char *
name_of(int side)
{
	return side == OLD ? "old" : "new";
}

/* two pairs of parentheses, "the old version (HEAD (3f2a1c9))", would be hard to read */
static char *
describe(const struct build *b, int side)
{
	const struct sl_version *version = b->sides[side].version;
	const char *label = version->label, *bracket = strrchr(label, '(');

	if (version->kind == SL_VERSION_REVISION && bracket && bracket > label)
		return sl_line_new("the %s version (%.*s, %.*s)", name_of(side), (int)(bracket - label) - 1, label,
				   (int)strlen(bracket + 1) - 1, bracket + 1);
	return sl_line_new("the %s version (%s)", name_of(side), label);
}

/* ---- progress ---- */

static void
wipe(struct build *b)
{
	if (b->drawn)
		fputs("\r\033[K", stderr);
	b->drawn = false;
}

static void
draw(struct build *b)
{
	struct winsize size;
	int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
	char *what = NULL, *line;

	if (!b->terminal)
		return;
	for (int i = 0; i < SIDES; i++)
		if (b->sides[i].job.pid) {
			char *one = describe(b, i),
			     *both = what ? sl_line_new("%s and %s", what, one) : sl_line_new("%s", one);

			free(one);
			free(what);
			what = both;
		}
	if (!what)
		return;
	line = sl_line_new("building %s … %llu s", what,
			   (unsigned long long)((sl_build_now() - b->began) / SECOND));
	/*
	 * cut at the width of the terminal, but not inside a character; bytes are counted, so the line may be
	 * shorter
	 */
	if (strlen(line) > (size_t)width - 1) {
		char *end = line + width - 1;

		while (end > line && ((unsigned char)*end & 0xc0) == 0x80)
			end--;
		*end = '\0';
	}
	fprintf(stderr, "\r\033[K%s", line);
	fflush(stderr);
	b->drawn = true;
	free(line);
	free(what);
}

static void __attribute__((format(printf, 2, 3))) say(struct build *b, const char *format, ...)
{
	va_list list;

	if (b->wish->quiet)
		return;
	wipe(b);
	fputs("sleave: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
}

/* ---- results ---- */

/* Returns whether it is a program, not a library: it names the loader, or is static. */
static bool
is_elf_program(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool program = false;
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t count;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) && elf_getphdrnum(elf, &count) == 0) {
		program = header.e_type == ET_EXEC;
		for (size_t i = 0; i < count && !program && header.e_type == ET_DYN; i++)
			program = gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP;
	}
	elf_end(elf);
	close(fd);
	return program;
}

static bool
can_run(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static void
add_program(struct sl_built_version *built, size_t *capacity, const char *path, const char *name)
{
	built->programs =
		sl_room_for(built->programs, built->program_count + 1, capacity, sizeof(*built->programs));
	built->names = sl_must(realloc(built->names, *capacity * sizeof(*built->names)));
	built->programs[built->program_count] = sl_line_new("%s", path);
	built->names[built->program_count++] = sl_line_new("%s", name);
	built->programs[built->program_count] = built->names[built->program_count] = NULL;
}

/* Escapes the folder's name for glob(3). */
static char *
escaped(const char *path)
{
	char *text = sl_room_zeroed(2 * strlen(path) + 1, 1), *to = text;

	for (; *path; path++) {
		if (strchr("*?[\\", *path))
			*to++ = '\\';
		*to++ = *path;
	}
	return text;
}

/* Names keep the form in which the user writes them, up to the pattern's first component. */
static bool
add_matching(struct sl_built_version *built, size_t *capacity, const char *pattern)
{
	char *folder = escaped(built->cwd), *whole = sl_line_new("%s/%s", folder, pattern);
	size_t before = built->program_count, length = strlen(built->cwd) + 1;
	glob_t found;

	if (glob(whole, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (can_run(found.gl_pathv[i]) && is_elf_program(found.gl_pathv[i]))
				add_program(built, capacity, found.gl_pathv[i], found.gl_pathv[i] + length);
		globfree(&found);
	}
	free(whole);
	free(folder);
	return built->program_count > before;
}

/* Finds the wished programs in a version. False: the new version lacks one, and the sentence is set. */
static bool
find_programs(struct build *b, int number)
{
	struct side *side = &b->sides[number];
	struct sl_built_version *built = side->built;
	size_t capacity = 0;

	for (size_t i = 0; i < b->wish->program_count; i++) {
		const char *name = b->wish->programs[i];
		char *inside = sl_program_inside(b->versions, name),
		     *path = inside && !side->absent ? sl_line_new("%s/%s", built->root, inside) : NULL;
		bool pattern = sl_program_is_pattern(name) && !(path && can_run(path)), found;

		if (side->absent)
			found = false;
		else if (pattern)
			found = add_matching(built, &capacity, name);
		else if ((found = path && can_run(path) && !sl_line_has(&side->without, name)))
			add_program(built, &capacity, path, name);
		if (!found && number == OLD) {
			sl_line_add(&built->missing, "%s", name);
		} else if (!found) {
			char *label = describe(b, number);

			sl_err_set(&side->err,
				   pattern ? "`%s` has built %s, but no program there matches '%s'%s: see %s"
					   : "`%s` has built %s, but it has left no program %s%s: see %s",
				   side->command.text, label, name,
				   side->command.last_time
					   ? " (that is the command of last time; --build gives another)"
					   : "",
				   built->log);
			free(label);
		}
		free(path);
		free(inside);
		if (!found && number == NEW)
			return false;
	}
	return true;
}

static bool
disk_is_full(const struct side *side)
{
	struct statvfs info;

	if (statvfs(side->place.folder, &info) == 0 && (uint64_t)info.f_bavail * info.f_frsize < FULL_BYTES)
		return true;
	return sl_build_log_has(side->place.log, "No space left on device") ||
	       sl_build_log_has(side->place.log, "Disk quota exceeded");
}

/* Makes the sentence about a failed build. */
static void
blame(struct build *b, int number)
{
	struct side *side = &b->sides[number];
	char *label = describe(b, number), *how;

	if (WIFSIGNALED(side->job.status))
		how = sl_line_new("was killed by signal %d", WTERMSIG(side->job.status));
	else
		how = sl_line_new("ended with status %d", WEXITSTATUS(side->job.status));
	if (disk_is_full(side))
		sl_err_set(
			&side->err,
			"the disk is full: %s could not be built in %s (`%s` %s). Its files were removed again; --clean "
			"removes versions that were built earlier",
			label, b->shelf.folder, side->command.text, how);
	else
		sl_err_set(&side->err, "%s does not build: `%s` %s%s; all that it said is in %s", label,
			   side->command.text, how,
			   side->command.last_time ? " (that is the command of last time; --build gives another)"
			   : side->command.make	   ? " (--build gives another command)"
						   : "",
			   side->place.log);
	free(how);
	free(label);
}

/* ---- building ---- */

/* Locks a version; -2: the user wants to end the build. */
static int
take(struct build *b, struct side *side, const char *key)
{
	bool told = false;
	int result;

	while ((result = sl_shelf_take(&b->shelf, key, &side->place, &side->err)) > 0) {
		if (!told)
			say(b, "another process is building %s: waiting for it", side->version->label);
		told = true;
		/* a period that differs from that of the other process */
		if (sl_build_pause(TICK_NS + (uint64_t)getpid() % 16 * TICK_NS / 16))
			return -2;
	}
	return result;
}

static int
start(struct build *b, int number)
{
	struct side *side = &b->sides[number];

	side->job = (struct sl_build_job){.command = side->command.text,
					  .folder = side->cwd,
					  .log = side->place.log,
					  .environment = side->environment};
	return sl_build_job_start(&side->job, &b->before, &side->err);
}

static int
prepare(struct build *b, int number)
{
	struct side *side = &b->sides[number];

	if (sl_shelf_begin(&b->shelf, &side->place, &side->err) < 0)
		return -1;
	if (sl_version_write(side->version, side->place.tree, &side->err) < 0) {
		sl_shelf_fail(&b->shelf, &side->place);
		return -1;
	}
	side->cwd = *side->command.folder ? sl_line_new("%s/%s", side->place.tree, side->command.folder)
					  : sl_line_new("%s", side->place.tree);
	side->environment = sl_build_environment(&b->toolchain, side->place.folder, side->cwd);
	if (sl_build_pause(0))
		return -2;
	return start(b, number);
}

/*
 * The Makefile of the old version may not know a program that is new. Then the version is built without the
 * program, which is reported as missing. This is recognised only for the default command, make. Returns true if
 * the build was started again.
 */
static bool
without_missing(struct build *b, int number)
{
	struct side *side = &b->sides[number];
	size_t before = side->without.count;

	if (number != OLD || !side->command.make)
		return false;
	for (size_t i = 0; i < b->wish->program_count; i++) {
		const char *name = b->wish->programs[i];
		char *target = sl_build_target(&side->command, b->versions, name),
		     *said = sl_line_new(MAKE_MISSING, target ? target : "");

		if (!sl_line_has(&side->without, name) && sl_build_log_has(side->place.log, said))
			sl_line_add(&side->without, "%s", name);
		free(said);
		free(target);
	}
	if (side->without.count == before)
		return false;
	if (side->without.count == b->wish->program_count) { /* nothing is left to build */
		side->job.status = 0;
		return false;
	}
	sl_build_command_without(&side->command, b->versions, b->wish, &side->without);
	return start(b, number) == 0;
}

/* The build of that side has ended, with success or not. */
static void
finish(struct build *b, int number)
{
	struct side *side = &b->sides[number];

	side->built->seconds = (double)(side->job.ended - side->job.started) / (double)SECOND;
	if (side->job.status != 0)
		blame(b, number);
	if (side->job.status != 0 || sl_shelf_finish(&b->shelf, &side->place, &side->err) < 0) {
		side->failed = true;
		if (!b->built->said)
			b->built->said = sl_build_said(side->place.log);
		sl_shelf_fail(&b->shelf, &side->place);
		return;
	}
	if (b->wish->verbose) {
		char *label = describe(b, number);

		say(b, "built %s in %.1f s: %s", label, side->built->seconds, side->command.text);
		free(label);
	}
}

/* Waits until both builds have ended; -2: the user wants to end them. */
static int
wait_for_all(struct build *b)
{
	bool running;

	do {
		running = false;
		for (int i = 0; i < SIDES; i++) {
			struct side *side = &b->sides[i];

			if (!side->job.pid)
				continue;
			if (sl_build_job_check(&side->job) && (side->job.status == 0 || !without_missing(b, i)))
				finish(b, i);
			running = running || side->job.pid;
		}
		draw(b);
		if (running && sl_build_pause(TICK_NS))
			return -2;
	} while (running);
	return 0;
}

/* Returns whether the version has the user's folder. */
static bool
has_folder(const struct sl_version *version, const char *folder)
{
	return !*folder || sl_version_has_folder(version, folder);
}

static void
fill(struct build *b, int number)
{
	struct side *side = &b->sides[number];
	struct sl_built_version *built = side->built;
	const struct sl_shelf_place *place = side->twin ? &b->sides[!number].place : &side->place;

	built->version = side->version;
	built->lock = -1;
	if (side->absent)
		return;
	built->root = sl_line_new("%s", place->tree);
	built->cwd = *b->versions->subfolder ? sl_line_new("%s/%s", place->tree, b->versions->subfolder)
					     : sl_line_new("%s", place->tree);
	built->log = sl_line_new("%s", place->log);
}

/*
 * Takes both places in the order of their keys, so that two processes that want the same places do not wait for
 * each other.
 */
static int
take_both(struct build *b)
{
	char keys[SIDES][SL_SHELF_KEY];
	int first, result = 0;

	for (int i = 0; i < SIDES; i++)
		sl_build_key(&b->toolchain, b->sides[i].version, &b->sides[i].command, keys[i]);
	b->sides[OLD].twin = !b->sides[OLD].absent && strcmp(keys[OLD], keys[NEW]) == 0;
	first = strcmp(keys[OLD], keys[NEW]) > 0;
	for (int i = 0; i < SIDES && result == 0; i++) {
		int number = i ? !first : first;
		struct side *side = &b->sides[number];

		if (side->absent || side->twin)
			continue;
		result = take(b, side, keys[number]);
		side->failed = result < 0;
		side->built->reused = side->place.complete;
	}
	return result;
}

static int
build_both(struct build *b)
{
	int result = take_both(b);

	b->began = sl_build_now();
	for (int i = SIDES - 1; i >= 0 && result == 0; i--) {
		struct side *side = &b->sides[i];

		if (side->absent || side->twin)
			continue;
		if (side->place.complete) {
			if (b->wish->verbose)
				say(b, "the %s version (%s) was built earlier: %s", name_of(i),
				    side->version->label, side->place.tree);
			continue;
		}
		result = prepare(b, i);
		side->failed = result < 0;
	}
	if (result == 0)
		result = wait_for_all(b);
	for (int i = 0; i < SIDES; i++) { /* after an error or Ctrl-C */
		if (b->sides[i].job.pid) {
			sl_build_job_kill(&b->sides[i].job);
			sl_shelf_fail(&b->shelf, &b->sides[i].place);
		}
	}
	wipe(b);
	return result;
}

static int
join_errors(struct build *b, int result, struct sl_err *err)
{
	if (result == -2) {
		b->built->interrupted = true;
		for (int i = 0; i < SIDES; i++)
			sl_shelf_fail(&b->shelf, &b->sides[i].place);
		return sl_err_set(err, "interrupted while building");
	}
	for (int i = 0; i < SIDES; i++)
		if (b->sides[i].failed) {
			if (i == OLD && b->sides[NEW].failed && b->sides[NEW].err.text[0])
				say(b, "the new version does not build either");
			*err = b->sides[i].err;
			return -1;
		}
	return 0;
}

/* ---- programs that the user has built ---- */

static int
take_programs(struct build *b, struct sl_err *err)
{
	for (int i = 0; i < SIDES; i++) {
		struct sl_built_version *built = b->sides[i].built;
		const struct sl_version *version = b->sides[i].version;
		size_t capacity = 0;

		built->version = version;
		built->lock = -1;
		built->cwd = realpath(".", NULL);
		if (!can_run(version->folder))
			return sl_err_set(err, "%s is not a program that can be run", version->label);
		add_program(built, &capacity, version->folder,
			    b->wish->program_count ? b->wish->programs[0] : version->label);
	}
	return 0;
}

/* ---- the whole ---- */

static void
tell_notes(struct build *b)
{
	for (size_t i = 0; i < b->versions->notes.count; i++)
		say(b, "%s", b->versions->notes.items[i]);
	for (size_t i = 0; i < b->versions->details.count && b->wish->verbose; i++)
		say(b, "%s", b->versions->details.items[i]);
}

static int
check_programs(const struct build *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->wish->program_count; i++) {
		const char *name = b->wish->programs[i];
		char *inside = sl_program_inside(b->versions, name);

		free(inside);
		if (!inside)
			return sl_err_set(
				err,
				"%s is outside of %s, so it is no program of the versions: name it relative to "
				"the folder you are in",
				name, b->versions->home);
		if (*name == '/' && sl_program_is_pattern(name))
			return sl_err_set(err, "the pattern %s has to be relative to the folder you are in", name);
	}
	return 0;
}

static int
open_shelf(struct build *b, struct sl_err *err)
{
	unsigned char secret[SL_SECRET_BYTES];
	struct sl_err why;
	bool known = sl_user_secret(secret, &why) == 0;

	if (!known)
		say(b, "versions that are built are not used again: %s", why.text);
	return sl_shelf_open(&b->shelf, b->versions->home, known ? secret : NULL, true, err);
}

static int
go(struct build *b, struct sl_err *err)
{
	uint32_t removed;
	int result;

	tell_notes(b);
	if (b->versions->old.kind == SL_VERSION_PROGRAM)
		return take_programs(b, err);
	if (check_programs(b, err) < 0 || sl_toolchain_find(&b->toolchain, b->wish->sleave, err) < 0)
		return -1;
	for (int i = 0; i < SIDES; i++)
		if (sl_build_command_choose(b->versions, b->wish, &b->sides[i].command, err) < 0)
			return -1;
	b->built->command = sl_line_new("%s", b->sides[NEW].command.text);
	for (int i = 0; i < SIDES; i++) {
		struct side *side = &b->sides[i];

		side->absent = !has_folder(side->version, b->versions->subfolder) ||
			       !has_folder(side->version, side->command.folder);
		if (side->absent && i == NEW)
			return sl_err_set(err, "the new version (%s) has no folder %s, in which you are",
					  side->version->label, b->versions->subfolder);
	}
	if (open_shelf(b, err) < 0)
		return -1;
	sl_build_signals_take(&b->before);
	result = build_both(b);
	sl_build_signals_restore(&b->before);
	for (int i = 0; i < SIDES; i++)
		fill(b, i);
	result = join_errors(b, result, err);
	for (int i = SIDES - 1; i >= 0 && result == 0; i--)
		if (!find_programs(b, i)) {
			*err = b->sides[i].err;
			result = -1;
		}
	if (result == 0 && b->wish->command) {
		struct sl_err why;

		if (sl_user_command_write(b->versions->home, b->versions->subfolder, b->wish->command, &why) < 0)
			say(b, "the build command is not remembered: %s", why.text);
	}
	sl_shelf_trim(&b->shelf, b->wish->keep ? b->wish->keep : SL_VERSIONS_KEPT,
		      b->wish->keep_bytes ? b->wish->keep_bytes : SL_VERSIONS_BYTES, &removed);
	if (removed && b->wish->verbose)
		say(b,
		    removed == 1 ? "1 version that was not used for the longest time was removed"
				 : "%u versions that were not used for the longest time were removed",
		    removed);
	return result;
}

int
sl_versions_build(struct sl_versions *versions, const struct sl_build_wish *wish, struct sl_built **built,
		  struct sl_err *err)
{
	const char *term = getenv("TERM");
	struct build b = {.versions = versions, .wish = wish};
	int result;

	b.terminal = !wish->quiet && isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
	*built = b.built = sl_room_zeroed(1, sizeof(**built));
	b.sides[OLD] = (struct side){.version = &versions->old, .built = &b.built->old, .place.lock = -1};
	b.sides[NEW] = (struct side){.version = &versions->new, .built = &b.built->new, .place.lock = -1};
	b.built->old.lock = b.built->new.lock = -1;
	result = go(&b, err);
	for (int i = 0; i < SIDES; i++) {
		struct side *side = &b.sides[i];

		/* the version stays in use until its sl_built is freed */
		if (result == 0) {
			side->built->lock = side->place.lock;
			side->place.lock = -1;
		}
		sl_shelf_release_place(&side->place);
		sl_build_command_release(&side->command);
		sl_line_release(&side->without);
		free(side->environment);
		free(side->cwd);
	}
	sl_shelf_release(&b.shelf);
	sl_toolchain_release(&b.toolchain);
	return result;
}

static void
release(struct sl_built_version *built)
{
	for (size_t i = 0; i < built->program_count; i++) {
		free(built->programs[i]);
		free(built->names[i]);
	}
	free(built->programs);
	free(built->names);
	sl_line_release(&built->missing);
	free(built->root);
	free(built->cwd);
	free(built->log);
	if (built->lock >= 0)
		close(built->lock);
}

void
sl_built_free(struct sl_built *built)
{
	if (!built)
		return;
	release(&built->old);
	release(&built->new);
	free(built->command);
	free(built->said);
	free(built);
}

long
sl_built_counterpart(const struct sl_built_version *in, const char *name)
{
	for (size_t i = 0; i < in->program_count; i++)
		if (strcmp(in->names[i], name) == 0)
			return (long)i;
	return -1;
}

int
sl_versions_clean(const char *where, uint32_t *removed, uint32_t *in_use, struct sl_err *err)
{
	struct sl_shelf shelf;
	unsigned char secret[SL_SECRET_BYTES];
	struct stat info;
	struct sl_err ignored;
	char *home = sl_checkout_home(where, err), *folder;
	int result = 0;

	*removed = *in_use = 0;
	if (!home)
		return -1;
	folder = sl_line_new("%s/.sleave/versions", home);
	if (lstat(folder, &info) == 0) {
		/* without the secret no version is known to be complete: all are removed */
		result = sl_shelf_open(&shelf, home, sl_user_secret(secret, &ignored) == 0 ? secret : NULL, false,
				       err);
		if (result == 0) {
			sl_shelf_clean(&shelf, removed, in_use);
			sl_shelf_release(&shelf);
		}
	}
	free(folder);
	free(home);
	return result;
}
