/*
 * The schedule for a person: which thread ran when, with the operations that another thread could notice. Whole
 * runs and the middles of long runs are left out until it fits a screen; the operations beside a switch are the
 * last to go, because the switch is about them. Decisive steps are never left out: a signal that came before any
 * thread waited for it, a lock that is held for ever, and the end of its holder.
 */
#include "base/shown.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 24 /* of a screen of about 25 lines that has other things to show, too */
#define LABEL_MAX 24
#define PLACE_MAX 36
#define HOLDS_MAX 64

/* What is shown of a thread's turn. */
struct run {
	uint64_t first, last; /* indices of rows */
	uint32_t thread;
	uint32_t preempted; /* the thread that it preempted, plus one; 0: that one could not continue */
};

struct steps {
	const struct sl_story *story;
	const struct sl_words *words;
	uint64_t *rows; /* by row: the number of its record */
	uint64_t row_count;
	bool *decides; /* by record: it is a decisive step */
	struct run *runs;
	uint64_t run_count;
	uint64_t keep; /* rows that are kept of each run */
	uint64_t head, tail; /* runs at both ends that are kept */
	size_t label_width, place_width;
};

static bool
is_culprit(const struct sl_finding *f, const struct sl_op *op)
{
	for (uint32_t i = 0; i < f->culprit_count && i < SL_CULPRITS_MAX; i++)
		if (f->culprits[i].thread == op->thread && f->culprits[i].index == op->index)
			return true;
	return false;
}

/* The later access, at which the race can be told. */
static bool
is_the_race(const struct sl_finding *f, const struct sl_op *op)
{
	return f->kind == SL_FINDING_RACE && f->culprit_count && f->culprits[0].thread == op->thread &&
	       f->culprits[0].index == op->index;
}

/* Returns the condition's last signal that came when no thread waited for it. */
static uint64_t
lost_signal(const struct sl_trace *trace, uint64_t condition)
{
	for (uint64_t i = trace->count; i-- > 0;) {
		const struct sl_record *r = &trace->records[i];

		if (r->op.object == condition && r->value == 0 && sl_kind_is(r->op.kind, SL_KIND_WAKES))
			return i;
	}
	return UINT64_MAX;
}

#define LAST_READS 2 /* reads of the thread that failed: the reason is nearly always among them */
#define LAST_LOOKED 24

/*
 * The program itself found an error, by what the thread had read. Perhaps no other thread has touched that in this
 * execution, which may be just the error.
 */
static void
find_last_reads(struct steps *s)
{
	const struct sl_trace *trace = s->words->trace;
	const struct sl_finding *f = s->story->finding;
	unsigned looked = 0, found = 0;
	uint64_t last = 0;

	if ((f->kind != SL_FINDING_ASSERT && f->kind != SL_FINDING_ABORT && f->kind != SL_FINDING_EXIT) || !f->culprit_count)
		return;
	for (uint64_t i = trace->count; i-- > 0 && looked < LAST_LOOKED && found < LAST_READS;) {
		const struct sl_op *op = &trace->records[i].op;
		struct sl_data data;

		if (op->thread != f->culprits[0].thread)
			continue;
		looked++;
		if (sl_kind_access(op->kind) != SL_OP_READS || (op->flags & SL_OP_RANGE) || op->object == last ||
		    !s->words->names || !sl_names_data(s->words->names, op->object, op->size, &data))
			continue;
		s->decides[i] = true;
		last = op->object;
		found++;
	}
}

/* For a thread that waits for a signal: the last signal that it got before it waited, and where that was sent. */
static void
find_early_signal(struct steps *s, uint32_t thread)
{
	const struct sl_trace *trace = s->words->trace;
	uint64_t got = trace->count, number = 0;

	for (uint64_t i = trace->count; i-- > 0;) {
		const struct sl_record *r = &trace->records[i];
		uint32_t target = (uint32_t)r->value;

		if (got == trace->count && r->op.kind == SL_HANDLE && r->op.thread == thread) {
			got = i;
			number = target;
			s->decides[i] = true;
		} else if (got < trace->count && r->op.kind == SL_KILL && r->value >> 32 == number &&
			   (target == thread || target == UINT32_MAX)) {
			s->decides[i] = true;
			return;
		}
	}
}

/* For a deadlock: why each stuck thread is stuck. */
static void
find_decisive(struct steps *s)
{
	const struct sl_trace *trace = s->words->trace;
	struct sl_hold holds[HOLDS_MAX];

	s->decides = sl_must(calloc(trace->count + 1, sizeof(*s->decides)));
	for (uint64_t i = 0; i < trace->count; i++)
		for (uint32_t k = 0; k < s->story->finding->culprit_count && k < SL_CULPRITS_MAX; k++)
			s->decides[i] |= s->story->finding->culprits[k].thread == trace->records[i].op.thread &&
					 s->story->finding->culprits[k].index == trace->records[i].op.index;
	find_last_reads(s);

	uint64_t null = sl_words_null_read(s->words, s->story->finding);

	s->decides[null < trace->count ? null : trace->count] = true;
	for (uint32_t i = 0; s->story->finding->kind == SL_FINDING_DEADLOCK && i < trace->thread_count; i++) {
		const struct sl_thread_record *t = &trace->threads[i], *holder;
		uint64_t object = sl_words_awaited(t);

		if (t->state != SL_THREAD_BLOCKED)
			continue;
		if (sl_kind_awaits_signal(t->pending.kind)) {
			find_early_signal(s, t->id);
			continue;
		}
		if (sl_kind_awaits_wakeup(t->pending.kind)) {
			uint64_t lost = lost_signal(trace, object);

			s->decides[lost < trace->count ? lost : trace->count] = true;
			continue;
		}
		holder = t->waits_for >= 0 && t->pending.kind != SL_JOIN
				 ? sl_words_find_thread(s->words, (uint32_t)t->waits_for)
				 : NULL;
		if (!holder)
			continue;
		for (size_t n = sl_words_holds(s->words, holder->id, UINT64_MAX, holds, HOLDS_MAX); n-- > 0;)
			if (holds[n].object == object)
				s->decides[holds[n].taken] = true;
		for (uint64_t k = trace->count; holder->state == SL_THREAD_ENDED && k-- > 0;)
			if (trace->records[k].op.thread == holder->id && trace->records[k].op.kind == SL_END) {
				s->decides[k] = true;
				break;
			}
	}
}

static bool
is_notable(const struct steps *s, uint64_t record)
{
	const struct sl_op *op = &s->words->trace->records[record].op;

	if (s->decides[record])
		return true;
	if (sl_kind_is(op->kind, SL_KIND_TOLD))
		return true;
	if (op->kind == SL_EXIT)
		return s->story->finding->kind == SL_FINDING_EXIT;
	if (is_culprit(s->story->finding, op))
		return true;
	return !sl_kind_is(op->kind, SL_KIND_ASIDE) && s->words->shared[record] &&
	       !sl_words_is_machinery(s->words, record);
}

/*
 * A turn in which nothing notable happens is left out; if the turns around it are of one thread, they become one.
 */
static void
collect(struct steps *s)
{
	const struct sl_trace *trace = s->words->trace;
	const struct sl_culprit *c = s->story->finding->culprits;
	uint64_t count = trace->count, last;
	uint32_t preempted = 0, running = 0;

	/* after a race the program continues, but its story has ended */
	if (s->story->finding->kind == SL_FINDING_RACE && s->story->finding->culprit_count &&
	    (last = sl_words_find_record(s->words, c[0].thread, c[0].index)) < count)
		count = last + 1;
	s->rows = sl_must(malloc((trace->count + 1) * sizeof(*s->rows)));
	s->runs = sl_must(malloc((trace->count + 1) * sizeof(*s->runs)));
	for (uint64_t i = 0; i < count; i++) {
		const struct sl_record *r = &trace->records[i];
		struct run *run = s->run_count ? &s->runs[s->run_count - 1] : NULL;

		if (running != r->op.thread)
			preempted = r->cost ? running + 1 : 0;
		if (r->op.kind != SL_START &&
		    r->op.kind != SL_BARRIER_LEAVE) /* it happens on behalf of another thread: no choice */
			running = r->op.thread;
		if (!is_notable(s, i))
			continue;
		if (!run || run->thread != r->op.thread) {
			run = &s->runs[s->run_count++];
			*run = (struct run){s->row_count, s->row_count, r->op.thread, preempted};
			preempted = 0;
		}
		s->rows[s->row_count++] = i;
		run->last = s->row_count;
	}
}

static uint64_t
rows_of(const struct run *run, uint64_t keep)
{
	uint64_t n = run->last - run->first;

	return n <= keep + 1 ? n : keep + 1; /* the line that says how many are left out */
}

static uint64_t
rows_in_all(const struct steps *s)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < s->run_count; i++)
		n += rows_of(&s->runs[i], s->keep);
	return n;
}

static void
fit(struct steps *s)
{
	s->keep = UINT64_MAX - 1;
	s->head = s->run_count;
	s->tail = 0;
	if (rows_in_all(s) <= ROWS_MAX)
		return;
	for (s->keep = 12; s->keep > 3 && rows_in_all(s) > ROWS_MAX; s->keep--)
		;
	if (rows_in_all(s) <= ROWS_MAX * 2)
		return;
	/* the end shows the failure, the beginning shows how the schedule starts */
	uint64_t rows = 0;

	for (s->tail = 0; s->tail < s->run_count && rows < ROWS_MAX; s->tail++)
		rows += rows_of(&s->runs[s->run_count - 1 - s->tail], s->keep);
	s->head = s->run_count - s->tail < 2 ? s->run_count - s->tail : 2;
}

/* The function is shown if the thread's name does not say it. */
static void
format_place(const struct steps *s, const struct sl_record *r, char *text, size_t room)
{
	const struct sl_thread_record *thread = sl_words_find_thread(s->words, r->op.thread);
	const char *start = thread && thread->start && s->words->names
				    ? sl_names_function(s->words->names, thread->start)
				    : "main";
	struct sl_place place;

	if (sl_stack_own(s->words, r->op.pc, r->stack, &place) && place.line && start &&
	    strcmp(place.function, start) != 0 && strcmp(place.function, "??") != 0)
		sl_place_format(&place, text, room);
	else
		sl_words_line(s->words, r->op.pc, r->stack, text, room);
	/*
	 * a text that is too long for its column loses the function first, then the beginning of the file's name
	 */
	if (sl_columns(text) > PLACE_MAX)
		sl_words_line(s->words, r->op.pc, r->stack, text, room);
	sl_shown_in_place(text, room);
	if (sl_columns(text) > PLACE_MAX) {
		const char *rest = text;
		char end[256];

		for (size_t over = sl_columns(text) - PLACE_MAX + 1; over && *rest; over--)
			do
				rest++;
			while (((unsigned char)*rest & 0xc0) == 0x80);
		snprintf(end, sizeof(end), "…%s", rest);
		snprintf(text, room, "%s", end);
	}
}

static bool
run_is_shown(const struct steps *s, uint64_t run)
{
	return run < s->head || run >= s->run_count - s->tail;
}

/* Returns whether row k is in the middle of the run that is left out. */
static bool
is_elided(const struct steps *s, const struct run *run, uint64_t row)
{
	uint64_t n = run->last - run->first, first = (s->keep + 1) / 2, last = s->keep / 2;

	return n > s->keep + 1 && row - run->first >= first && run->last - row > last && !s->decides[s->rows[row]];
}

/* Returns whether the run has a decisive step. */
static bool
run_decides(const struct steps *s, const struct run *run)
{
	for (uint64_t k = run->first; k < run->last; k++)
		if (s->decides[s->rows[k]])
			return true;
	return false;
}

static void
measure(struct steps *s)
{
	char text[256];

	for (uint64_t i = 0; i < s->run_count; i++) {
		size_t n;

		if (!run_is_shown(s, i))
			continue;
		n = sl_columns(sl_words_thread(s->words, s->runs[i].thread, text, sizeof(text)));
		if (n > s->label_width)
			s->label_width = n < LABEL_MAX ? n : LABEL_MAX;
		for (uint64_t k = s->runs[i].first; k < s->runs[i].last; k++) {
			if (is_elided(s, &s->runs[i], k))
				continue;
			format_place(s, &s->words->trace->records[s->rows[k]], text, sizeof(text));
			n = sl_columns(text);
			if (n > s->place_width)
				s->place_width = n < PLACE_MAX ? n : PLACE_MAX;
		}
	}
}

static void
pad(FILE *out, const char *text, size_t width)
{
	size_t n = sl_columns(text);

	fputs(text, out);
	fprintf(out, "%*s", n < width ? (int)(width - n) : 0, "");
}

/* Cuts at a column, not inside a character. */
static void
cut(char *text, size_t columns)
{
	size_t n = 0;

	for (char *s = text; *s; s++) {
		if (((unsigned char)*s & 0xc0) == 0x80)
			continue;
		if (n++ == columns) {
			*s = '\0';
			return;
		}
	}
}

/* The same, with a mark that shows it. */
static void
shorten(char *text, size_t room, size_t columns)
{
	if (sl_columns(text) <= columns || columns < 2)
		return;
	cut(text, columns - 1);
	if (strlen(text) + sizeof("…") <= room)
		strcat(text, "…");
}

static void
print_row(FILE *out, const struct sl_style *style, const struct steps *s, const struct run *run, uint64_t row)
{
	static const enum sl_ink inks[] = {SL_INK_NONE, SL_INK_CYAN, SL_INK_YELLOW, SL_INK_GREEN};
	const struct sl_record *r = &s->words->trace->records[s->rows[row]];
	char label[64], place[256], what[512], other[64], note[96] = "";
	size_t used = 2 + s->label_width + 2 + s->place_width + 2, room;

	bool preempts = row == run->first && run->preempted, race = is_the_race(s->story->finding, &r->op);

	if (preempts || race)
		snprintf(note, sizeof(note), "<- %s%s%s%s", preempts ? "preempts " : "",
			 preempts ? sl_thread_short(run->preempted - 1, other, sizeof(other)) : "",
			 preempts && race ? ", " : "", race ? "the race" : "");
	sl_words_thread(s->words, run->thread, label, sizeof(label));
	shorten(label, sizeof(label), s->label_width);
	format_place(s, r, place, sizeof(place));
	sl_words_operation(s->words, s->rows[row], what, sizeof(what));
	if (style->width > 0) {
		room = (size_t)style->width > used + 16 ? (size_t)style->width - used : 16;
		if (note[0])
			room = room > sl_columns(note) + 2 + 16 ? room - sl_columns(note) - 2 : 16;
		cut(what, room);
	}

	fprintf(out, "  %s", sl_ink(style, inks[run->thread % 4]));
	pad(out, label, s->label_width);
	fprintf(out, "%s  ", sl_ink(style, SL_INK_NONE));
	pad(out, place, s->place_width);
	fputs("  ", out);
	if (note[0]) {
		pad(out, what, 36);
		fprintf(out, "  %s%s%s\n", sl_ink(style, SL_INK_RED), note, sl_ink(style, SL_INK_NONE));
	} else {
		fprintf(out, "%s\n", what);
	}
}

static void
print_run(FILE *out, const struct sl_style *style, const struct steps *s, const struct run *run)
{
	char text[64], number[32];
	uint64_t missing = 0;

	for (uint64_t k = run->first; k <= run->last; k++) {
		if (k < run->last && is_elided(s, run, k)) {
			missing++;
			continue;
		}
		if (missing) {
			sl_words_thread(s->words, run->thread, text, sizeof(text));
			shorten(text, sizeof(text), s->label_width);
			fprintf(out, "  %s", sl_ink(style, SL_INK_DIM));
			pad(out, text, s->label_width);
			fprintf(out, "  … %s more operation%s%s\n", sl_count_format(missing, number),
				missing == 1 ? "" : "s", sl_ink(style, SL_INK_NONE));
			missing = 0;
		}
		if (k < run->last)
			print_row(out, style, s, run, k);
	}
}

void
sl_steps_print(FILE *out, const struct sl_style *style, const struct sl_story *story, const struct sl_words *words)
{
	struct steps s = {.story = story, .words = words};
	char number[32];

	find_decisive(&s);
	collect(&s);
	fit(&s);
	measure(&s);
	if (s.row_count) {
		if (story->preemptions)
			fprintf(out, "\nThe schedule, with %u preemption%s:\n\n", story->preemptions,
				story->preemptions == 1 ? "" : "s");
		else
			fprintf(out, "\nThe schedule, without any preemption:\n\n");
		if (words->trace->dropped)
			fprintf(out, "  %s… %s earlier operations%s\n", sl_ink(style, SL_INK_DIM),
				sl_count_format(words->trace->dropped, number), sl_ink(style, SL_INK_NONE));
	}
	for (uint64_t i = 0, missing = 0; i < s.run_count; i++) {
		bool shown = run_is_shown(&s, i), decides = !shown && run_decides(&s, &s.runs[i]);

		missing += !shown && !decides;
		if (missing && (shown || decides || i + 1 == s.run_count)) {
			fprintf(out, "  %s… %s more turn%s of the threads%s\n", sl_ink(style, SL_INK_DIM),
				sl_count_format(missing, number), missing == 1 ? "" : "s",
				sl_ink(style, SL_INK_NONE));
			missing = 0;
		}
		if (shown)
			print_run(out, style, &s, &s.runs[i]);
		for (uint64_t k = s.runs[i].first; decides && k < s.runs[i].last; k++)
			if (s.decides[s.rows[k]])
				print_row(out, style, &s, &s.runs[i], k);
	}
	free(s.decides);
	free(s.rows);
	free(s.runs);
}
