#include "cli/change/change.h"

#include "base/room.h"
#include "cli/cc/library.h"
#include "cli/session/impacted.h"
#include "cli/session/resume.h"
#include "report/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the versions ---- */

int
sl_change_check(const struct sl_settings *settings, struct sl_err *err)
{
	const char *old = settings->change.old_revision, *new = settings->change.new_revision;

	if (old && settings->change.old_tree)
		return sl_err_set(err, "--old and --old-tree both name the old version: give one of them");
	if (new && settings->change.new_tree)
		return sl_err_set(err, "--new and --new-tree both name the new version: give one of them");
	if (settings->change.old_program && (settings->change.old_tree || new || settings->change.new_tree))
		return sl_err_set(
			err,
			"--old-program names the old version, and the program after -- is the new one: leave --%s out",
			settings->change.old_tree ? "old-tree"
			: new                     ? "new"
						  : "new-tree");
	if (settings->change.old_program && settings->change.build)
		return sl_err_set(err, "--old-program builds nothing: leave --build out");
	return 0;
}

char *
sl_change_runs(const struct sl_settings *settings)
{
	struct sl_err ignored;
	char *home = settings->change.old_program ? NULL : sl_checkout_home(NULL, &ignored);
	char *folder = home ? sl_line_new("%s/.sleave/versions", home) : NULL;

	free(home);
	return folder;
}

int
sl_change_clean(const char *self, const struct sl_settings *settings)
{
	char *runs = sl_change_runs(settings);
	uint32_t removed, in_use;
	struct sl_err err;

	if (runs)
		sl_run_files_clean(runs);
	free(runs);
	if (sl_versions_clean(NULL, &removed, &in_use, &err) < 0) {
		sl_say(stderr, "sleave %s: %s\n", self, err.text);
		return SL_EXIT_UNDECIDED;
	}
	if (!settings->quiet)
		printf("%u version%s removed\n", removed, removed == 1 ? "" : "s");
	if (in_use && !settings->quiet)
		printf("%u version%s in use by another process, and stayed\n", in_use,
		       in_use == 1 ? " is" : "s are");
	return SL_EXIT_CLEAN;
}

static bool
is_pattern(const char *word)
{
	return strpbrk(word, "*?[");
}

static size_t
count_of(char **words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

static void
print_lines(FILE *out, const char *text)
{
	while (text && *text) {
		size_t size = strcspn(text, "\n");

		fputs("  ", out);
		sl_text_put(out, text, size);
		fputc('\n', out);
		text += size + (text[size] == '\n');
	}
}

int
sl_change_open(struct sl_change *change, const char *self, const struct sl_settings *settings, char **words,
	       struct sl_err *err)
{
	struct sl_version_wish wish = {.old_revision = settings->change.old_revision,
				       .new_revision = settings->change.new_revision,
				       .old_tree = settings->change.old_tree,
				       .new_tree = settings->change.new_tree,
				       .old_program = settings->change.old_program,
				       .new_program = settings->change.old_program ? words[0] : NULL,
				       .all_texts = settings->change.old_program};
	struct sl_build_wish build = {.command = settings->change.build,
				      .programs = (const char *const *)words,
				      .quiet = settings->quiet,
				      .verbose = settings->verbose};

	*change = (struct sl_change){.arguments = !is_pattern(words[0])};
	build.program_count = change->arguments ? 1 : count_of(words);
	if (sl_versions_open(&change->versions, &wish, err) < 0) {
		sl_say(stderr, "sleave %s: %s\n", self, err->text);
		return SL_EXIT_UNDECIDED;
	}
	if (sl_versions_build(change->versions, &build, &change->built, err) < 0) {
		bool interrupted = change->built && change->built->interrupted;

		sl_say(stderr, "sleave %s: %s\n", self, err->text);
		print_lines(stderr, change->built ? change->built->said : NULL);
		sl_change_release(change);
		return interrupted ? 130 : SL_EXIT_UNDECIDED;
	}
	return 0;
}

void
sl_change_release(struct sl_change *change)
{
	sl_built_free(change->built);
	sl_versions_free(change->versions);
	*change = (struct sl_change){0};
}

void
sl_change_format(const struct sl_change *change, char *text, size_t room)
{
	snprintf(text, room, "%s -> %s", change->versions->old.label, change->versions->new.label);
}

bool
sl_change_others(const struct sl_change *change, char *text, size_t room)
{
	const struct sl_line_list *others = &change->versions->others;
	char more[32] = "";

	if (!others->count)
		return false;
	if (others->count > 1)
		snprintf(more, sizeof(more), " and %zu more", others->count - 1);
	snprintf(
		text, room,
		"%s%s differ%s, too: only sources of C and C++ are compared, not what a program reads while it runs",
		others->items[0], more, others->count > 1 ? "" : "s");
	return true;
}

/* ---- the files of a program ---- */

struct paths {
	char **items;
	size_t count, capacity;
};

static void
add_path(struct paths *paths, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		abort();
	paths->items = sl_room_for(paths->items, paths->count, &paths->capacity, sizeof(*paths->items));
	paths->items[paths->count++] = copy;
}

static void
paths_release(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
}

/* Sleave's library belongs to no version of the program. */
static bool
is_own(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return strncmp(name, SL_LIBRARY, strlen(SL_LIBRARY)) == 0;
}

/* Asks the dynamic loader which libraries the program needs; it tells them instead of starting the program. */
static void
add_libraries(struct paths *paths, const char *program, const char *cwd, const char *below)
{
	char *argv[] = {(char *)(uintptr_t)program, NULL}, *line = NULL;
	posix_spawn_file_actions_t actions;
	char real[4096];
	int ends[2], status;
	size_t size = 0;
	FILE *said;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (cwd)
		posix_spawn_file_actions_addchdir_np(&actions, cwd);

	size_t count = count_of(environ);
	char **environment = sl_room_zeroed(count + 2, sizeof(*environment));
	char ask[] = "LD_TRACE_LOADED_OBJECTS=1";

	memcpy(environment, environ, count * sizeof(*environment));
	environment[count] = ask;
	if (posix_spawn(&pid, program, &actions, NULL, argv, environment) != 0)
		pid = 0;
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	close(ends[1]);
	said = fdopen(ends[0], "r");
	while (pid && said && getline(&line, &size, said) > 0) {
		char *path = strstr(line, "=> /"), *end;

		if (!path)
			continue;
		path += strlen("=> ");
		end = strstr(path, " (0x");
		if (end)
			*end = '\0';
		if (!realpath(path, real) || is_own(real))
			continue;
		/* of a version that was built aside its own ones; else all that can have been built with it */
		if (below ? strncmp(real, below, strlen(below)) == 0
			  : strncmp(real, "/usr/lib/", 9) != 0 && strncmp(real, "/lib", 4) != 0)
			add_path(paths, path); /* by the name that the engine will see */
	}
	free(line);
	if (said)
		fclose(said);
	if (pid)
		waitpid(pid, &status, 0);
}

static int
open_files(struct sl_binaries *binaries, const char *program, const char *cwd, const char *root,
	   struct sl_err *err)
{
	struct paths paths = {0};
	char real[4096];
	int result;

	add_path(&paths, realpath(program, real) ? real : program);
	add_libraries(&paths, program, cwd, root);
	result = sl_binaries_open(binaries, (const char *const *)paths.items, paths.count, root, err);
	paths_release(&paths);
	return result;
}

/* ---- the change of one program ---- */

static uint32_t *
pairs_back(const struct sl_versions *v)
{
	uint32_t *back = sl_room_zeroed(v->old.text_count, sizeof(*back));

	for (uint32_t i = 0; i < v->old.text_count; i++)
		back[i] = SL_NO_FILE;
	for (uint32_t i = 0; i < v->new.text_count; i++)
		if (v->pairs[i] != SL_NO_FILE)
			back[v->pairs[i]] = i;
	return back;
}

/* Programs that were built by the user name their sources themselves. */
static int
give_sources(struct sl_program_change *p, struct sl_versions *versions, struct sl_err *err)
{
	char **old, **new;
	size_t old_count = sl_binaries_sources(&p->old_files, &old), new_count;
	int result;

	new_count = sl_binaries_sources(&p->new_files, &new);
	result = sl_versions_sources(versions, (const char *const *)old, old_count, (const char *const *)new,
				     new_count, err);
	sl_binaries_free_sources(old, old_count);
	sl_binaries_free_sources(new, new_count);
	if (result == 0 && versions->lost.count)
		result = sl_err_set(
			err,
			"%s has changed since %s was built from it, so that its old text is lost%s: keep the old "
			"sources in another folder, or name the revision with --old",
			versions->lost.items[0], p->old, versions->lost.count > 1 ? " (and there are more)" : "");
	return result;
}

static const char *
name_in_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Files by their names, and functions that have a body. */
static void
list_names(const struct sl_binaries *files, struct sl_line_list *list)
{
	for (size_t b = 0; b < files->count; b++)
		for (size_t u = 0; files->items[b].sites && u < sl_sites_unit_count(files->items[b].sites); u++) {
			const struct sl_site_unit *unit = sl_sites_unit(files->items[b].sites, u);

			sl_line_add(list, "%s", name_in_folder(unit->file));
			for (size_t i = 0; i < unit->function_count; i++)
				if (unit->functions[i].last_line && strcmp(unit->functions[i].name, "main") != 0)
					sl_line_add(list, "%s()", unit->functions[i].name);
		}
	sl_line_sort(list);
}

static bool
have_nothing_in_common(const struct sl_program_change *p)
{
	struct sl_line_list old = {0}, new = {0};
	bool nothing;

	list_names(&p->old_files, &old);
	list_names(&p->new_files, &new);
	nothing = old.count && new.count;
	for (size_t i = 0, k = 0; nothing && i < old.count && k < new.count;) {
		int order = strcmp(old.items[i], new.items[k]);

		nothing = order != 0;
		i += order <= 0;
		k += order >= 0;
	}
	sl_line_release(&old);
	sl_line_release(&new);
	return nothing;
}

int
sl_program_change_find(struct sl_program_change *p, const struct sl_change *change, size_t number,
		       struct sl_err *err)
{
	const struct sl_built *built = change->built;
	struct sl_versions *v = change->versions;
	struct sl_two_versions two;
	uint32_t *back;
	long counterpart;

	*p = (struct sl_program_change){.name = built->new.names[number],
					.new = built->new.programs[number],
					.cwd = built->new.cwd,
					.old_cwd = built->old.cwd,
					.old_root = built->old.root};
	counterpart = sl_built_counterpart(&built->old, p->name);
	if (v->old.kind == SL_VERSION_PROGRAM)
		counterpart = 0;
	if (counterpart >= 0)
		p->old = built->old.programs[counterpart];
	if (open_files(&p->new_files, p->new, p->cwd, built->new.root, err) < 0)
		return -1;
	if (p->old && open_files(&p->old_files, p->old, p->old_cwd, built->old.root, err) < 0) {
		sl_program_change_release(p);
		return -1;
	}
	if (v->old.kind == SL_VERSION_PROGRAM && give_sources(p, v, err) < 0) {
		sl_program_change_release(p);
		return -1;
	}
	p->strange = p->old && have_nothing_in_common(p);
	back = pairs_back(v);
	p->forth = sl_align(v->old.texts, v->old.text_count, v->new.texts, v->new.text_count, v->pairs);
	p->back = sl_align(v->new.texts, v->new.text_count, v->old.texts, v->old.text_count, back);
	free(back);
	two = (struct sl_two_versions){&p->old_files, &p->new_files, v->old.texts,
				       v->new.texts,  p->forth,      p->back};
	sl_points_find(&p->points, &two);
	p->codes = sl_room_zeroed(p->new_files.count, sizeof(*p->codes));
	for (size_t i = 0; i < p->new_files.count; i++)
		sl_impacted_code_find(&p->codes[i], &p->new_files, &p->new_files.items[i], &p->points);
	p->blind = sl_impacted_code_is_blind(p->codes, p->new_files.count, &p->points);
	return 0;
}

void
sl_program_change_release(struct sl_program_change *p)
{
	for (size_t i = 0; p->codes && i < p->new_files.count; i++)
		sl_impacted_code_release(&p->codes[i]);
	free(p->codes);
	sl_points_release(&p->points);
	sl_alignment_free(p->forth);
	sl_alignment_free(p->back);
	sl_binaries_release(&p->old_files);
	sl_binaries_release(&p->new_files);
	*p = (struct sl_program_change){0};
}

int
sl_program_change_fill(const struct sl_program_change *p, struct sl_impact *impact, struct sl_err *err)
{
	for (size_t i = 0; i < p->new_files.count; i++) {
		const struct sl_impacted_code *code = &p->codes[i];
		uint32_t files = impact->file_count;

		if (sl_impacted_add(impact, p->new_files.items[i].path, code->ranges, code->count, err) < 0)
			return -1;
		if (impact->file_count == files)
			continue;
		for (size_t k = 0; k < code->place_count; k++)
			if (!code->places[k].seen &&
			    !sl_impacted_add_place(impact, code->places[k].first, code->places[k].low))
				impact->reached = 1; /* too many to be watched: as if one was */
	}
	return 0;
}

size_t
sl_program_change_reached(const struct sl_program_change *p, const struct sl_impact *impact, bool *reached)
{
	bool *seen = reached ? reached : sl_room_zeroed(p->points.count, sizeof(*seen));
	size_t count = 0;

	if (p->points.count)
		memset(seen, 0, p->points.count * sizeof(*seen));
	for (size_t i = 0; i < p->new_files.count; i++)
		for (size_t k = 0; k < p->codes[i].place_count; k++) {
			const struct sl_impacted_place *place = &p->codes[i].places[k];

			if (!place->beside && !seen[place->point] &&
			    sl_impacted_is_reached(impact, p->new_files.items[i].path, place->low, place->high)) {
				seen[place->point] = true;
				count++;
			}
		}
	if (!reached)
		free(seen);
	return count;
}

size_t
sl_program_change_with_code(const struct sl_program_change *p, bool *has)
{
	bool *seen = has ? has : sl_room_zeroed(p->points.count, sizeof(*seen));
	size_t count = 0;

	if (p->points.count)
		memset(seen, 0, p->points.count * sizeof(*seen));
	for (size_t i = 0; i < p->new_files.count; i++)
		for (size_t k = 0; k < p->codes[i].place_count; k++) {
			const struct sl_impacted_place *place = &p->codes[i].places[k];

			if (!place->beside && !seen[place->point]) {
				seen[place->point] = true;
				count++;
			}
		}
	if (!has)
		free(seen);
	return count;
}

bool
sl_program_change_lacks(const struct sl_program_change *p, char *text, size_t room)
{
	if (!*p->points.without_sites)
		return false;
	snprintf(
		text, room,
		"%s was compiled without Sleave's plugin: members, variables and locked regions that are impacted there "
		"are not known, only lines, functions and files",
		sl_point_path(p->points.without_sites, p->cwd));
	return true;
}
