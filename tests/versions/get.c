/*
 * Gets two versions of a program and builds them, by the interface that the commands use; for tests/versions.sh. What there is is
 * printed as lines of words:
 *
 *     versions_get [--old REV] [--new REV] [--old-tree DIR] [--new-tree DIR] [--old-program FILE] [--build COMMAND]
 *                  [--keep N] [--keep-bytes N] [--sleave COMMAND] [--all] [--list] [--texts] [--wait] [-q] [-v] -- PROGRAM…
 *     versions_get --old-program FILE --sources OLD-LIST NEW-LIST -- PROGRAM
 *     versions_get --clean
 *
 * --list: nothing is built; --texts: the texts, too; --wait: ends when standard input does. Status 3: an error, 130: interrupted.
 */
#include "cli/version/build_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
print_lines(const char *what, const struct sl_line_list *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		printf("%s %s\n", what, lines->items[i]);
}

static void
print_texts(const char *what, const struct sl_version *version, bool whole)
{
	for (uint32_t i = 0; i < version->text_count; i++) {
		printf("text %s %s %zu\n", what, version->texts[i].path, version->texts[i].size);
		if (whole)
			fwrite(version->texts[i].bytes, 1, version->texts[i].size, stdout);
	}
}

static void
print_versions(const struct sl_versions *v, bool whole)
{
	printf("label old %s\nlabel new %s\nid old %s\nid new %s\n", v->old.label, v->new.label, v->old.id,
	       v->new.id);
	printf("identical %s\nsources %s\nhome %s\nsubfolder '%s'\n", v->identical ? "yes" : "no",
	       v->sources_same ? "same" : "differ", v->home, v->subfolder);
	print_lines("note", &v->notes);
	print_lines("detail", &v->details);
	print_lines("lost", &v->lost);
	print_texts("old", &v->old, whole);
	print_texts("new", &v->new, whole);
	for (uint32_t i = 0; i < v->new.text_count; i++)
		printf("pair %s <- %s\n", v->new.texts[i].path,
		       v->pairs[i] == SL_NO_FILE ? "nothing" : v->old.texts[v->pairs[i]].path);
}

static void
print_built(const char *what, const struct sl_built_version *b)
{
	printf("root %s %s\ncwd %s %s\nlog %s %s\nreused %s %s\n", what, b->root ? b->root : "none", what,
	       b->cwd ? b->cwd : "none", what, b->log ? b->log : "none", what, b->reused ? "yes" : "no");
	for (size_t i = 0; i < b->program_count; i++)
		printf("program %s %s %s\n", what, b->names[i], b->programs[i]);
	for (size_t i = 0; i < b->missing.count; i++)
		printf("missing %s %s\n", what, b->missing.items[i]);
}

static void
read_list(const char *path, struct sl_line_list *list)
{
	FILE *from = fopen(path, "r");
	char line[4096];

	while (from && fgets(line, sizeof(line), from)) {
		line[strcspn(line, "\n")] = '\0';
		sl_line_add(list, "%s", line);
	}
	if (from)
		fclose(from);
}

static int
clean(void)
{
	uint32_t removed, in_use;
	struct sl_err err;

	if (sl_versions_clean(NULL, &removed, &in_use, &err) < 0) {
		printf("error %s\n", err.text);
		return 3;
	}
	printf("removed %u in use %u\n", removed, in_use);
	return 0;
}

static int
build(struct sl_versions *versions, const struct sl_build_wish *wish, bool wait)
{
	struct sl_built *built;
	struct sl_err err;
	int status = 0;

	if (sl_versions_build(versions, wish, &built, &err) < 0) {
		printf("error %s\n%s", err.text, built->said ? built->said : "");
		status = built->interrupted ? 130 : 3;
	} else {
		printf("command %s\n", built->command ? built->command : "none");
		print_built("old", &built->old);
		print_built("new", &built->new);
	}
	fflush(stdout);
	while (wait && status == 0 && getchar() != EOF)
		;
	sl_built_free(built);
	return status;
}

int
main(int argc, char **argv)
{
	struct sl_version_wish wish = {0};
	struct sl_build_wish how = {0};
	const struct {
		const char *name, **value;
	} options[] = {
		{"--old", &wish.old_revision},
		{"--new", &wish.new_revision},
		{"--old-tree", &wish.old_tree},
		{"--new-tree", &wish.new_tree},
		{"--build", &how.command},
		{"--sleave", &how.sleave},
		{"--old-program", &wish.old_program},
	};
	struct sl_line_list old_paths = {0}, new_paths = {0};
	bool list = false, texts = false, wait = false, sources = false;
	struct sl_versions *versions;
	struct sl_err err;
	int at = 1, status = 0;

	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		bool known = false;

		for (size_t i = 0; i < sizeof(options) / sizeof(*options) && at + 1 < argc && !known; i++)
			if ((known = strcmp(argv[at], options[i].name) == 0))
				*options[i].value = argv[++at];
		if (known)
			continue;
		if (strcmp(argv[at], "--clean") == 0)
			return clean();
		if (strcmp(argv[at], "--keep") == 0)
			how.keep = (uint32_t)atoi(argv[++at]);
		else if (strcmp(argv[at], "--keep-bytes") == 0)
			how.keep_bytes = strtoull(argv[++at], NULL, 10);
		else if (strcmp(argv[at], "--sources") == 0) {
			sources = true;
			read_list(argv[++at], &old_paths);
			read_list(argv[++at], &new_paths);
		} else if (strcmp(argv[at], "--all") == 0)
			wish.all_texts = true;
		else if (strcmp(argv[at], "--list") == 0)
			list = true;
		else if (strcmp(argv[at], "--texts") == 0)
			texts = true;
		else if (strcmp(argv[at], "--wait") == 0)
			wait = true;
		else if (strcmp(argv[at], "-q") == 0)
			how.quiet = true;
		else if (strcmp(argv[at], "-v") == 0)
			how.verbose = true;
		else
			return 2;
	}
	at += at < argc;
	how.programs = (const char *const *)argv + at;
	how.program_count = (size_t)(argc - at);
	wish.new_program = wish.old_program && at < argc ? argv[at] : NULL;
	if (sl_versions_open(&versions, &wish, &err) < 0) {
		printf("error %s\n", err.text);
		return 3;
	}
	if (sources && sl_versions_sources(versions, (const char *const *)old_paths.items, old_paths.count,
					   (const char *const *)new_paths.items, new_paths.count, &err) < 0) {
		printf("error %s\n", err.text);
		status = 3;
	} else {
		print_versions(versions, texts);
		if (!list)
			status = build(versions, &how, wait);
	}
	sl_line_release(&old_paths);
	sl_line_release(&new_paths);
	sl_versions_free(versions);
	return status;
}
