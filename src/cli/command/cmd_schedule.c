/*
 * `sleave schedule`: checks and formats schedules.
 */
#include "base/shown.h"
#include "base/room.h"
#include "cli/command/commands.h"
#include "cli/result/schedule_log.h"
#include "cli/session/options.h"
#include "report/quote.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (1u << 20)
#define POOL_EACH 512 /* memory for a schedule, in bytes per byte of text, at most */

struct text {
	const char *name; /* for messages */
	char *bytes;
	size_t length;
};

static void
print_help(FILE *out)
{
	fputs("usage: sleave schedule check [--log LOG] FILE...\n"
	      "       sleave schedule fmt [-w] FILE...\n"
	      "\n"
	      "Checks and formats schedules. A file holds a list of orderings, or schedules with names.\n"
	      "The FILE - is standard input.\n"
	      "\n"
	      "    finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2\n"
	      "\n"
	      "    schedule \"blocking take\" {\n"
	      "        finishedAdd1 -> startingTake1,\n"
	      "        [startingTake2] -> startingAdd2 # the thread is blocked in take()\n"
	      "    }\n"
	      "\n"
	      "  check                    report errors in the schedules\n"
	      "  --log LOG                check: report whether an execution that wrote LOG (SLEAVE_LOG=LOG) followed them\n"
	      "  fmt                      print the schedules in the canonical layout\n"
	      "  -w, --write              fmt: write the files instead\n"
	      "  -h, --help               this text\n"
	      "\n"
	      "docs/schedules.md explains the language.\n"
	      "Exit status: 0 no error, 1 a schedule has an error or was not followed, 2 wrong usage, 3 a file can't be read or "
	      "written.\n",
	      out);
}

/* Reads a whole file. Its bytes are to be freed in any case. */
static int
read_text(struct text *text, const char *path, struct sl_err *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	*text = (struct text){.name = standard ? "standard input" : path, .bytes = malloc(TEXT_MAX + 1)};
	if (fd < 0)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	if (!text->bytes) {
		n = -1;
		errno = ENOMEM;
	} else {
		while ((n = read(fd, text->bytes + text->length, TEXT_MAX + 1 - text->length)) > 0)
			text->length += (size_t)n;
	}
	if (text->length > TEXT_MAX) {
		n = -1;
		errno = EFBIG;
	}
	if (n < 0)
		sl_err_set(err, "cannot read %s: %s", text->name, strerror(errno));
	if (!standard)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* Prints the line, and below it a caret under the place of the error. */
static void
show_place(const struct text *text, const struct sl_complaint *complaint)
{
	size_t from = complaint->place.offset, at;

	while (from && text->bytes[from - 1] != '\n')
		from--;
	fputs("    ", stderr);
	for (at = from; at < text->length && text->bytes[at] != '\n' && text->bytes[at] != '\r';) {
		size_t bytes = sl_utf8_length(text->bytes + at, text->length - at);
		unsigned char c = (unsigned char)text->bytes[at];

		if (!sl_shown_is_plain(text->bytes + at, bytes) && c != '\t')
			fputs("?", stderr);
		else
			fwrite(text->bytes + at, 1, bytes, stderr);
		at += bytes ? bytes : 1;
	}
	fputs("\n    ", stderr);
	for (at = from; at < complaint->place.offset;) {
		size_t bytes = sl_utf8_length(text->bytes + at, text->length - at);

		fputc(text->bytes[at] == '\t' ? '\t' : ' ', stderr);
		at += bytes ? bytes : 1;
	}
	fputs("^\n", stderr);
}

static void
complain(const struct text *text, const struct sl_complaint *complaint)
{
	sl_say(stderr, "%s:%u:%u: %s\n", text->name, complaint->place.line, complaint->place.column,
	       complaint->text);
	show_place(text, complaint);
}

/* The formatted text, to be freed; NULL if it has an error. */
static char *
format(const struct text *text, size_t *length, struct sl_complaint *complaint)
{
	size_t size = 65536 + text->length * POOL_EACH, room = 0;
	char *memory = malloc(size), *formatted = NULL;

	if (!memory) {
		snprintf(complaint->text, sizeof(complaint->text), "there is not enough memory for this schedule");
		complaint->place = (struct sl_spot){0, 1, 1};
		return NULL;
	}
	for (;;) {
		struct sl_pool pool = {memory, memory + size};

		*length = sl_plan_format(text->bytes, text->length, &pool, formatted, room, complaint);
		if (!*length || room)
			break;
		room = *length + 1;
		formatted = sl_must(malloc(room));
	}
	free(memory);
	return formatted;
}

/* Replaces the file atomically. */
static int
write_text(const char *path, const char *bytes, size_t length, struct sl_err *err)
{
	size_t size = strlen(path) + sizeof(".XXXXXX");
	char *name = malloc(size);
	struct stat old;
	ssize_t n = 0;
	int fd;

	if (!name)
		return sl_err_set(err, "cannot write %s: %s", path, strerror(ENOMEM));
	snprintf(name, size, "%s.XXXXXX", path);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0 || stat(path, &old) != 0 || fchmod(fd, old.st_mode & 07777) != 0)
		n = -1;
	for (size_t done = 0; n >= 0 && done < length; done += (size_t)n)
		n = write(fd, bytes + done, length - done);
	if (fd >= 0 && close(fd) != 0)
		n = -1;
	if (n < 0 || rename(name, path) != 0) {
		sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
		if (fd >= 0)
			unlink(name);
		n = -1;
	}
	free(name);
	return n < 0 ? -1 : 0;
}

static int
check_log(const struct text *text, const char *log)
{
	size_t size = 65536 + text->length * POOL_EACH;
	char *memory = malloc(size);
	struct sl_pool pool = {memory, memory + size};
	struct sl_complaint complaint;
	struct sl_err err = {0};
	const struct sl_plan *plan = memory ? sl_plan_parse(text->bytes, text->length, &pool, &complaint) : NULL;
	int kept = plan ? sl_schedule_log_check(log, plan, &err) : -1;

	if (!plan)
		sl_err_set(&err, "there is not enough memory for %s", text->name);
	if (kept < 0)
		fprintf(stderr, "sleave: %s\n", err.text);
	free(memory);
	return kept < 0 ? SL_EXIT_UNDECIDED : kept ? SL_EXIT_FINDING : SL_EXIT_CLEAN;
}

static int
do_file(const char *path, bool formats, bool writes, const char *log)
{
	struct sl_complaint complaint;
	struct sl_err err = {0};
	struct text text;
	size_t length;
	char *formatted;
	int status = SL_EXIT_CLEAN;

	if (read_text(&text, path, &err) < 0 || !text.bytes) {
		fprintf(stderr, "sleave: %s\n", err.text);
		free(text.bytes);
		return SL_EXIT_UNDECIDED;
	}
	formatted = format(&text, &length, &complaint);
	if (!formatted) {
		complain(&text, &complaint);
		status = SL_EXIT_FINDING;
	} else if (log) {
		status = check_log(&text, log);
	} else if (formats && !writes) {
		fwrite(formatted, 1, length, stdout);
	} else if (writes && (length != text.length || memcmp(formatted, text.bytes, length) != 0)) {
		if (write_text(path, formatted, length, &err) < 0) {
			fprintf(stderr, "sleave: %s\n", err.text);
			status = SL_EXIT_UNDECIDED;
		}
	}
	free(formatted);
	free(text.bytes);
	return status;
}

static int
wrong(const char *what, const char *word)
{
	sl_say(stderr, "sleave: %s%s (sleave schedule --help)\n", what, word);
	return SL_EXIT_USAGE;
}

int
sl_command_schedule(int argc, char **argv)
{
	const char *verb = NULL, *log = NULL;
	bool writes = false, options = true;
	int status = SL_EXIT_CLEAN, files = 0;

	/* moves the names of files to the front */
	for (int i = 1; i < argc; i++) {
		char *word = argv[i];

		if (!options || word[0] != '-' || !word[1]) {
			if (verb)
				argv[1 + files++] = word;
			else
				verb = word;
		} else if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
			print_help(stdout);
			return SL_EXIT_CLEAN;
		} else if (strcmp(word, "-w") == 0 || strcmp(word, "--write") == 0) {
			writes = true;
		} else if (strcmp(word, "--log") == 0 && i + 1 < argc) {
			log = argv[++i];
		} else if (strncmp(word, "--log=", 6) == 0) {
			log = word + 6;
		} else if (strcmp(word, "--") == 0) {
			options = false;
		} else {
			return wrong("there is no option ", word);
		}
	}
	if (!verb || (strcmp(verb, "check") != 0 && strcmp(verb, "fmt") != 0))
		return wrong("expected `check` or `fmt` after `sleave schedule`", "");
	if (writes && strcmp(verb, "check") == 0)
		return wrong("-w is for fmt: check writes nothing", "");
	if (log && strcmp(verb, "check") != 0)
		return wrong("--log is for check", "");
	if (!files)
		return wrong("no file is given (- is standard input)", "");
	for (int i = 1; i <= files && writes; i++)
		if (strcmp(argv[i], "-") == 0)
			return wrong("-w cannot write standard input: leave it out", "");
	for (int i = 1; i <= files; i++) {
		int one = do_file(argv[i], strcmp(verb, "fmt") == 0, writes, log);

		status = one > status ? one : status;
	}
	return status;
}
