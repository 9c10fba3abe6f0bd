#include "trace/replay/replay_file.h"

#include "base/op_words.h"
#include "base/utf8.h"
#include "trace/replay/replay_words.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
sl_finding_kind_name(uint32_t kind)
{
	return kind < SL_FINDING_KIND_COUNT ? kind_names[kind] : "unknown";
}

/* Blanks at the ends are escaped: editors and mail programs remove them. */
static void
put_escaped(FILE *f, const char *text, size_t size)
{
	for (size_t i = 0, n; i < size; i += n) {
		unsigned char c = (unsigned char)text[i];

		n = sl_utf8_length(text + i, size - i);
		if (c == '\\')
			fputs("\\\\", f);
		else if (!n || c < 0x20 || c == 0x7f || (c == ' ' && (i == 0 || i + 1 == size)))
			fprintf(f, "\\x%02x", c);
		else
			fwrite(text + i, 1, n, f);
		if (!n)
			n = 1;
	}
}

/* One line `key text`. */
static void
put_text(FILE *f, const char *key, const char *text)
{
	size_t size = strlen(text);

	fputs(key, f);
	if (size)
		fputc(' ', f);
	put_escaped(f, text, size);
	fputc('\n', f);
}

static void
put_variable(FILE *f, const struct sl_environment_variable *v)
{
	size_t size = strlen(v->name);

	fputs(v->value ? "environment " : "unset ", f);
	/* a name that really ends with an asterisk */
	if (!v->value && !v->family && size && v->name[size - 1] == '*') {
		put_escaped(f, v->name, size - 1);
		fputs("\\x2a", f);
	} else {
		put_escaped(f, v->name, size);
	}
	if (v->value) {
		fputc('=', f);
		put_escaped(f, v->value, strlen(v->value));
	}
	fputs(v->family ? "*\n" : "\n", f);
}

static void
put_thread(FILE *f, uint32_t thread)
{
	if (thread)
		fprintf(f, "T%" PRIu32, thread);
	else
		fputs("main", f);
}

static void
put_item(FILE *f, const struct sl_pick *item)
{
	switch (item->kind) {
	case SL_PICK_RUN:
		put_thread(f, item->who);
		if (item->until == UINT64_MAX)
			fputs(" to the end\n", f);
		else
			fprintf(f, " until %" PRIu64 "\n", item->until);
		break;
	case SL_PICK_WAITER:
		fputs("wake ", f);
		put_thread(f, item->who);
		fputc('\n', f);
		break;
	default:
		fprintf(f, "choose %" PRIu32 "\n", item->who);
	}
}

/* Sixteen per line; "3*5" is the third step five times. */
static void
put_steps(FILE *f, const struct sl_steps *steps)
{
	size_t column = 0, again;

	for (size_t i = 0; i < steps->text_count; i++)
		put_text(f, "step", steps->texts[i]);
	for (size_t i = 0; i < steps->path_count; i += again) {
		for (again = 1; i + again < steps->path_count && steps->path[i + again] == steps->path[i];)
			again++;
		fprintf(f, "%s%" PRIu32, column % 16 ? " " : column ? "\npath " : "path ", steps->path[i]);
		if (again > 1)
			fprintf(f, "*%zu", again);
		column++;
	}
	if (column)
		fputc('\n', f);
	if (steps->cut)
		fputs("path-cut yes\n", f);
}

static void
put_enabler(FILE *f, const struct sl_enabler *e)
{
	const char *kind = sl_op_word(e->kind);

	fprintf(f, "enabler %s %" PRIx64 " %" PRIx64, kind ? kind : sl_op_word(SL_ATOMIC_STORE), e->address,
		e->path);
	for (int i = 0; i < SL_ENABLER_FRAMES && e->pcs[i]; i++)
		fprintf(f, " %" PRIx64, e->pcs[i]);
	fputc('\n', f);
}

static void
put_replay(FILE *f, const struct sl_replay *r)
{
	fprintf(f, "sleave replay %d\n", SL_REPLAY_FORMAT);
	put_text(f, "program", r->program ? r->program : "");
	for (size_t i = 0; i < r->argc; i++)
		put_text(f, "argument", r->argv[i]);
	put_text(f, "directory", r->cwd ? r->cwd : "");
	if (r->follows)
		put_text(f, "follows", r->follows);
	if (r->checked)
		fputs("checked yes\n", f);
	if (r->visit[0])
		fprintf(f, "section %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", r->visit[0], r->visit[1], r->visit[2]);
	put_text(f, "build", r->build_id);
	put_text(f, "strategy", r->strategy);
	fprintf(f, "seed %" PRIu64 "\n", r->seed);
	fprintf(f, "races %s\n", races_names[r->races < COUNT(races_names) ? r->races : 2]);
	fprintf(f, "spurious %s\n", spurious_names[r->spurious != 0]);
	if (r->volatiles)
		fprintf(f, "volatile %s\n", volatile_names[1]);
	if (r->again)
		fputs("again yes\n", f);
	fprintf(f, "world %s\n", world_names[r->world < COUNT(world_names) ? r->world : 0]);
	fprintf(f, "explore-call %" PRIu32 "\n", r->explore_call);
	fprintf(f, "finding %s\n", kind_names[r->kind < SL_FINDING_KIND_COUNT ? r->kind : 0]);
	put_text(f, "message", r->message);
	fprintf(f, "preemptions %" PRIu32 "\n", r->preemptions);
	fprintf(f, "signature %016" PRIx64 "\n", r->signature);
	fprintf(f, "operations %" PRIu64 "\n", r->operations);
	fprintf(f, "hash %016" PRIx64 "\n", r->hash);
	for (size_t i = 0; i < r->variable_count; i++)
		put_variable(f, &r->variables[i]);
	if (r->variables_cut)
		fputs("environment-cut yes\n", f);
	if (r->rest)
		fprintf(f, "environment-rest %016" PRIx64 "\n", r->rest);
	put_steps(f, &r->steps);
	for (size_t i = 0; i < r->enabler_count; i++)
		put_enabler(f, &r->enablers[i]);
	for (uint32_t i = 0; i < r->order.count; i++) {
		const struct sl_op_order_step *s = &r->order.steps[i];

		fprintf(f, "order %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx32 " %" PRIx32 "\n", s->thread, s->pc,
			s->address, s->size, s->occurrence);
	}
	for (size_t i = 0; i < r->mark_count; i++)
		fprintf(f, "shared %" PRIx64 "\n", r->marks[i]);
	fprintf(f, "schedule %" PRIu64 "\n", r->schedule.count);
	for (uint64_t i = 0; i < r->schedule.count; i++)
		put_item(f, &r->schedule.items[i]);
	fputs("end\n", f);
}

static int
write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		text += n;
		size -= (size_t)n;
	}
	/* Some file systems report only now that the disk is full; some do not support fsync(). */
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -1;
}

static int
write_file(const char *path, const char *text, size_t size)
{
	char temporary[PATH_MAX];
	int fd, saved;

	if ((size_t)snprintf(temporary, sizeof(temporary), "%s.%ld.tmp", path, (long)getpid()) >=
	    sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	unlink(temporary); /* left by a process with our number that was killed, or created by another user */
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	saved = errno;
	if (fd >= 0) {
		int bad = write_all(fd, text, size);

		saved = errno;
		if (close(fd) != 0 && !bad) {
			bad = -1;
			saved = errno;
		}
		if (!bad && rename(temporary, path) != 0) {
			bad = -1;
			saved = errno;
		}
		if (bad) {
			unlink(temporary);
			fd = -1;
		}
	}
	errno = saved;
	return fd < 0 ? -1 : 0;
}

int
sl_replay_format(const struct sl_replay *replay, char **text, size_t *size)
{
	FILE *f = open_memstream(text, size);

	if (!f)
		return -1;
	put_replay(f, replay);
	if (fclose(f) == 0)
		return 0;
	free(*text);
	*text = NULL;
	errno = ENOMEM;
	return -1;
}

int
sl_replay_write_text(const char *path, const char *text, size_t size, struct sl_err *err)
{
	if (write_file(path, text, size) < 0)
		return sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

int
sl_replay_write(const char *path, const struct sl_replay *replay, struct sl_err *err)
{
	char *text = NULL;
	size_t size = 0;
	int result;

	if (sl_replay_format(replay, &text, &size) < 0)
		return sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
	result = sl_replay_write_text(path, text, size, err);
	free(text);
	return result;
}

void
sl_steps_release(struct sl_steps *steps)
{
	for (size_t i = 0; i < steps->text_count; i++)
		free(steps->texts[i]);
	free(steps->texts);
	free(steps->path);
	*steps = (struct sl_steps){0};
}

void
sl_replay_release_variables(struct sl_replay *replay)
{
	for (size_t i = 0; i < replay->variable_count; i++) {
		free(replay->variables[i].name);
		free(replay->variables[i].value);
	}
	free(replay->variables);
	replay->variables = NULL;
	replay->variable_count = 0;
}

void
sl_replay_release(struct sl_replay *replay)
{
	for (size_t i = 0; i < replay->argc; i++)
		free(replay->argv[i]);
	sl_replay_release_variables(replay);
	sl_steps_release(&replay->steps);
	free(replay->argv);
	free(replay->program);
	free(replay->cwd);
	free(replay->follows);
	free(replay->marks);
	free(replay->enablers);
	free(replay->schedule.items);
	*replay = (struct sl_replay){0};
}
