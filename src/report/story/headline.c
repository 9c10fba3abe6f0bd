#include "report/words.h"

#include "base/shown.h"
#include "trace/replay/replay_file.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#define NULL_READS 4 /* operations before the use of a null pointer: the pointer has just been read */

size_t
sl_story_spots(const struct sl_story *story, struct sl_program_spot *spots, size_t max)
{
	const struct sl_finding *f = story->finding;
	size_t n = 0;

	if (f->kind == SL_FINDING_DEADLOCK) {
		for (uint32_t i = 0; i < story->trace->thread_count && n < max; i++) {
			const struct sl_thread_record *t = &story->trace->threads[i];

			if (t->state == SL_THREAD_BLOCKED || t->state == SL_THREAD_SPINNING)
				spots[n++] = (struct sl_program_spot){t->id, t->stack, t->pending.pc};
		}
		return n;
	}
	for (uint32_t i = 0; i < f->culprit_count && i < SL_CULPRITS_MAX && n < max; i++)
		spots[n++] =
			(struct sl_program_spot){f->culprits[i].thread, f->culprits[i].stack, f->culprits[i].pc};
	return n;
}

static const char *
signal_words(int signal, char *text, size_t room)
{
	switch (signal) {
	case SIGSEGV:
		return "segmentation fault (SIGSEGV)";
	case SIGBUS:
		return "bus error (SIGBUS)";
	case SIGFPE:
		return "arithmetic error (SIGFPE)";
	case SIGILL:
		return "illegal instruction (SIGILL)";
	case SIGTRAP:
		return "trap (SIGTRAP)";
	case SIGABRT:
		return "abort (SIGABRT)";
	case SIGSYS:
		return "bad system call (SIGSYS)";
	}
	return sl_words_signal((uint64_t)signal, text, room);
}

/* " in T1 worker at account.c:14 (deposit)", as far as it is known. */
static void
format_where(const struct sl_story *story, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_culprit *c = &story->finding->culprits[0];
	char label[64], place[256];

	text[0] = '\0';
	if (story->finding->culprit_count && c->pc)
		snprintf(text, room, " in %s at %s", sl_words_thread(w, c->thread, label, sizeof(label)),
			 sl_words_place(w, c->pc, c->stack, place, sizeof(place)));
	else if (story->finding->culprit_count)
		snprintf(text, room, " in %s", sl_words_thread(w, c->thread, label, sizeof(label)));
}

static void
format_race(const struct sl_story *story, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	char object[256], side[2][300], label[64], line[160];

	struct sl_op op = sl_culprit_op(f, &f->culprits[0]), earlier = sl_culprit_op(f, &f->culprits[1]);

	/* freeing a block names nothing in it: the other access does */
	if (!*sl_words_site(w, &op, object, sizeof(object)) && *sl_words_site(w, &earlier, object, sizeof(object)))
		op = earlier;
	sl_words_accessed(w, &op, op.size, UINT64_MAX, false, object, sizeof(object));
	sl_words_descriptor(object);
	for (int i = 0; i < 2; i++) {
		const struct sl_culprit *c = &f->culprits[i];

		snprintf(side[i], sizeof(side[i]), "%s %s%s at %s",
			 sl_words_thread(w, c->thread, label, sizeof(label)), sl_words_conflict(c, object),
			 sl_culprit_is_access(c, object) ? "" : " it",
			 sl_words_line(w, c->pc, c->stack, line, sizeof(line)));
	}
	snprintf(text, room, "data race on %s: %s, %s", object, side[1], side[0]);
}

/* The operations in their order; an object that two of them have one after the other is "it". */
static void
format_atomicity(const struct sl_story *story, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	char object[256], before[256] = "", label[64], line[160];
	size_t used = (size_t)snprintf(text, room, "atomicity violation");

	for (uint32_t i = f->culprit_count; i-- > 0 && used < room;) {
		const struct sl_culprit *c = &f->culprits[i];
		struct sl_op op = sl_culprit_op(f, c);

		op.object = c->object;
		sl_words_accessed(w, &op, op.size, UINT64_MAX, false, object, sizeof(object));
		used += (size_t)snprintf(text + used, room - used, "%s %s %s %s at %s", before[0] ? "," : ":",
					 sl_words_thread(w, c->thread, label, sizeof(label)),
					 sl_words_conflict(c, object), strcmp(object, before) ? object : "it",
					 sl_words_line(w, c->pc, c->stack, line, sizeof(line)));
		snprintf(before, sizeof(before), "%s", object);
	}
}

uint64_t
sl_words_null_read(const struct sl_words *w, const struct sl_finding *f)
{
	const struct sl_trace *trace = w->trace;
	unsigned looked = 0;

	if (f->kind != SL_FINDING_CRASH || f->object >= 4096 || (f->status != SIGSEGV && f->status != SIGBUS))
		return UINT64_MAX;
	for (uint64_t i = trace->count; f->culprit_count && i-- > 0 && looked < NULL_READS;) {
		const struct sl_record *r = &trace->records[i];

		if (r->op.thread != f->culprits[0].thread)
			continue;
		looked++;
		if (!(r->op.flags & SL_OP_READS) || r->op.flags & SL_OP_RANGE || r->op.size != sizeof(void *) ||
		    !sl_kind_is(r->op.kind, SL_KIND_ACCESS) || r->op.object < 4096)
			continue;
		return r->value ? UINT64_MAX : i;
	}
	return UINT64_MAX;
}

static void
format_crash(const struct sl_story *story, const struct sl_words *w, const char *where, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	char signal[32], object[256] = "", at[320] = "";
	uint64_t read = sl_words_null_read(w, f);

	if ((f->status == SIGSEGV || f->status == SIGBUS) && strncmp(f->message, "the signal was sent", 19) != 0) {
		if (f->object < 4096)
			snprintf(at, sizeof(at), f->object ? " near the null pointer" : ": null pointer");
		else
			snprintf(at, sizeof(at), " at address 0x%" PRIx64, f->object);
		if (read < w->trace->count) {
			sl_words_accessed(w, &w->trace->records[read].op, sizeof(void *), read, false, object,
					  sizeof(object));
			snprintf(at + strlen(at), sizeof(at) - strlen(at), " (%s is null)", object);
		}
		/* a page of the heap can only fault after its memory was freed */
		if (f->object >= 4096 && w->block_count &&
		    !strncmp(sl_words_object(w, f->object, 1, UINT64_MAX, false, object, sizeof(object)), "heap",
			     4))
			snprintf(at, sizeof(at), ": %s", object);
	}
	snprintf(text, room, "crash: %s%s%s%s%s", signal_words(f->status, signal, sizeof(signal)), at, where,
		 f->message[0] ? ": " : "", f->message);
}

/* std::thread's destructor and assignment call std::terminate() for one reason only. */
static bool
is_joinable_thread(const struct sl_words *w, const struct sl_finding *f)
{
	struct sl_place places[8];
	const struct sl_culprit *c = &f->culprits[0];
	uint64_t pc = c->pc;
	uint32_t stack = c->stack;

	if (strncmp(f->message, "std::terminate()", 16) != 0 || !f->culprit_count || !w->names)
		return false;
	for (int frames = 0; frames < 3 && pc; frames++) { /* the library has a helper or two in between */
		size_t n = sl_names_places(w->names, pc, places, 8);

		for (size_t i = 0; i < n; i++)
			if (strstr(places[i].file, "std_thread.h"))
				return true;
		if (!stack || stack >= w->trace->frame_count)
			break;
		pc = w->trace->frames[stack].pc;
		stack = w->trace->frames[stack].parent;
	}
	return false;
}

/* "lock-order inversion: T1 locks b at x.c:5 holding a, T2 locks a at x.c:9 holding b" */
static void
format_order(const struct sl_finding *f, const struct sl_words *w, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "lock-order inversion");

	for (uint32_t i = 0; i < f->culprit_count && i < SL_CULPRITS_MAX && used < room; i++) {
		const struct sl_culprit *c = &f->culprits[i];
		const struct sl_culprit *before = &f->culprits[(i + f->culprit_count - 1) % f->culprit_count];
		struct sl_op op = sl_culprit_op(f, c), other = sl_culprit_op(f, before);
		char thread[64], wanted[160], held[160], line[320];

		op.object = c->object;
		other.object = before->object;
		used += (size_t)snprintf(text + used, room - used, "%s %s locks %s at %s holding %s",
					 i ? "," : ":", sl_thread_short(c->thread, thread, sizeof(thread)),
					 sl_words_accessed(w, &op, 0, 0, false, wanted, sizeof(wanted)),
					 sl_words_line(w, c->pc, c->stack, line, sizeof(line)),
					 sl_words_accessed(w, &other, 0, 0, false, held, sizeof(held)));
	}
	if (used < room)
		snprintf(text + used, room - used, "; not confirmed: no schedule that deadlocks was found");
}

static void
format(const struct sl_story *story, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	char where[400];
	struct sl_place place;
	const char *base;
	char label[64], line[160], last[400];

	format_where(story, w, where, sizeof(where));
	switch ((enum sl_finding_kind)f->kind) {
	case SL_FINDING_ASSERT:
		/* the message usually has the place: it is not repeated */
		where[0] = '\0';
		if (f->culprit_count && w->names && sl_names_place(w->names, f->culprits[0].pc, &place)) {
			base = strrchr(place.file, '/');
			if (!strstr(f->message, base ? base + 1 : place.file))
				snprintf(where, sizeof(where), " (%s at %s)",
					 sl_words_thread(w, f->culprits[0].thread, label, sizeof(label)),
					 sl_words_line(w, f->culprits[0].pc, f->culprits[0].stack, line,
						       sizeof(line)));
		}
		snprintf(text, room, "assertion failed: %s%s", f->message, where);
		break;
	case SL_FINDING_ABORT:
		snprintf(text, room, "abort%s%s%s%s", where, f->message[0] ? ": " : "", f->message,
			 is_joinable_thread(w, f)
				 ? ": a std::thread was destroyed that had been neither joined nor detached"
			 : f->message[0] ? ""
					 : sl_said_last(story, last, sizeof(last)));
		break;
	case SL_FINDING_CRASH:
		format_crash(story, w, where, text, room);
		break;
	case SL_FINDING_EXIT:
		snprintf(text, room, "the program ended with status %d%s%s%s", f->status, where,
			 f->message[0] ? ": " : "",
			 f->message[0] ? f->message : sl_said_last(story, last, sizeof(last)));
		break;
	case SL_FINDING_DEADLOCK:
		sl_deadlock_format(story, w, text, room);
		break;
	case SL_FINDING_RACE:
		format_race(story, w, text, room);
		break;
	case SL_FINDING_USE_AFTER_FREE:
	case SL_FINDING_DOUBLE_FREE:
	case SL_FINDING_OUT_OF_BOUNDS:
		sl_heap_format(story, w, text, room);
		break;
	case SL_FINDING_LIVELOCK:
		sl_livelock_format(story, w, text, room);
		break;
	case SL_FINDING_ENDLESS:
		sl_endless_format(story, w, text, room);
		break;
	case SL_FINDING_ATOMICITY:
		format_atomicity(story, w, text, room);
		break;
	case SL_FINDING_LOCK_ORDER:
		format_order(f, w, text, room);
		break;
	case SL_FINDING_LEAK:
		sl_leak_format(story, w, text, room);
		break;
	case SL_FINDING_MISUSE:
		sl_misuse_format(story, w, text, room);
		break;
	default:
		snprintf(text, room, "%s", f->message);
	}
}

void
sl_headline_format(const struct sl_story *story, char *text, size_t size)
{
	struct sl_words words;

	sl_words_init(&words, story->trace, story->names);
	format(story, &words, text, size);
	sl_shown_in_place(text, size);
	sl_words_release(&words);
}

void
sl_outline_init(struct sl_outline *outline, const struct sl_story *story)
{
	struct sl_program_spot spots[SL_OUTLINE_PLACES];
	struct sl_words words;

	memset(outline, 0, sizeof(*outline));
	outline->kind = sl_finding_kind_name(story->finding->kind);
	outline->preemptions = story->preemptions;
	snprintf(outline->replay, sizeof(outline->replay), "%s", story->replay ? story->replay : "");
	sl_said_lines(story, 0, outline->output, sizeof(outline->output));
	sl_said_lines(story, 1, outline->errors, sizeof(outline->errors));
	sl_words_init(&words, story->trace, story->names);
	format(story, &words, outline->message, sizeof(outline->message));
	sl_shown_in_place(outline->message, sizeof(outline->message));
	if (sl_story_is_delayed(story)) {
		outline->delayed = story->finding->delayed;
		sl_words_thread(&words, story->finding->delayed_thread, outline->delayed_thread,
				sizeof(outline->delayed_thread));
	}
	if (story->enablers) {
		struct sl_wait waits[SL_OUTLINE_WAITS];

		outline->wait_count = (unsigned)sl_cycle_find(story, &words, waits, SL_OUTLINE_WAITS);
		for (unsigned i = 0; i < outline->wait_count; i++)
			sl_wait_describe(&words, &waits[i], &outline->waits[i]);
	}
	outline->place_count = (unsigned)sl_story_spots(story, spots, SL_OUTLINE_PLACES);
	for (unsigned i = 0; i < outline->place_count; i++) {
		struct sl_outline_place *p = &outline->places[i];
		struct sl_place places[SL_OUTLINE_FRAMES] = {{.function = "??", .file = "??"}};
		size_t count = sl_stack_places(&words, spots[i].pc, spots[i].stack, places, SL_OUTLINE_FRAMES);

		sl_words_thread(&words, spots[i].thread, p->thread, sizeof(p->thread));
		p->frame_count = count ? (unsigned)count : 1;
		snprintf(p->path, sizeof(p->path), "%s", count && places[0].path ? places[0].path : "");
		for (unsigned k = 0; k < p->frame_count; k++) {
			snprintf(p->frames[k].function, sizeof(p->frames[k].function), "%s", places[k].function);
			snprintf(p->frames[k].file, sizeof(p->frames[k].file), "%s", places[k].file);
			p->frames[k].line = places[k].line;
		}
	}
	sl_words_release(&words);
}
