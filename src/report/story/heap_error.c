/*
 * Errors of the heap: which block, what happened to it before, and where the access lies. And misuse of other
 * objects.
 */
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

/* "reads 4 bytes of ctx->stop_flag (struct mg_context)", "locks a mutex": what the later thread did. */
static void
format_act(const struct sl_finding *f, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_culprit *c = &f->culprits[0];
	const char *verb = sl_kind_verb(c->kind);
	struct sl_op op = sl_culprit_op(f, c);
	size_t length = strlen(verb);
	char site[256];

	sl_words_site(w, &op, site, sizeof(site));
	if (sl_kind_is(c->kind, SL_KIND_ACCESS))
		snprintf(text, room, "%s %" PRIu64 " byte%s%s%s", verb, f->extent, f->extent == 1 ? "" : "s",
			 *site ? " of " : "", site);
	else if (length > 6 && !strcmp(verb + length - 6, " futex"))
		snprintf(text, room, "%.*s a futex", (int)length - 6, verb);
	else
		snprintf(text, room, "%s what is there", verb);
}

/* "4 bytes after", "at +8 in", "past the end of": the position of the first wrong byte. */
static void
format_offset(const struct sl_finding *f, char *text, size_t room)
{
	uint64_t end = f->block + f->block_size, n;

	if (f->object >= f->block && f->object < end) {
		snprintf(text, room, f->object > f->block ? "at +%" PRIu64 " in" : "at the start of",
			 f->object - f->block);
		return;
	}
	if (f->start >= f->block && f->start < end) {
		snprintf(text, room, "past the end of");
		return;
	}
	n = f->object < f->block ? f->block - f->object : f->object - end;
	if (!n)
		snprintf(text, room, "right after");
	else
		snprintf(text, room, "%" PRIu64 " byte%s %s", n, n == 1 ? "" : "s",
			 f->object < f->block ? "before" : "after");
}

static void
format_size(const struct sl_finding *f, char *text, size_t room)
{
	snprintf(text, room, "a block of %" PRIu64 " byte%s", f->block_size, f->block_size == 1 ? "" : "s");
}

void
sl_heap_format(const struct sl_story *story, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	const struct sl_culprit *c = f->culprits;
	char label[64], other[64], line[160], before[160], act[320], offset[64], size[64];

	sl_words_thread(w, c[0].thread, label, sizeof(label));
	sl_words_line(w, c[0].pc, c[0].stack, line, sizeof(line));
	format_act(f, w, act, sizeof(act));
	format_offset(f, offset, sizeof(offset));
	format_size(f, size, sizeof(size));
	if (f->kind == SL_FINDING_DOUBLE_FREE)
		snprintf(text, room, "double free: %s frees %s at %s, which %s freed at %s", label, size, line,
			 sl_words_thread(w, c[1].thread, other, sizeof(other)),
			 sl_words_line(w, c[1].pc, c[1].stack, before, sizeof(before)));
	else if (f->kind == SL_FINDING_USE_AFTER_FREE)
		snprintf(text, room, "use after free: %s at %s %s, %s %s, freed by %s at %s", label, line, act,
			 offset, size, sl_words_thread(w, c[1].thread, other, sizeof(other)),
			 sl_words_line(w, c[1].pc, c[1].stack, before, sizeof(before)));
	else if (f->block)
		snprintf(text, room, "out of bounds: %s at %s %s, %s %s, allocated at %s", label, line, act,
			 offset, size,
			 sl_words_line(w, c[f->culprit_count - 1].pc, c[f->culprit_count - 1].stack, before,
				       sizeof(before)));
	else
		snprintf(text, room, "out of bounds: %s at %s %s of the heap where there is no block", label, line,
			 act);
}

void
sl_leak_format(const struct sl_story *story, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	char label[64], line[160], fewest[48] = "not";

	if (f->start)
		snprintf(fewest, sizeof(fewest), "only %" PRIu64, f->start);
	snprintf(text, room,
		 "leak: %" PRIu64 " block%s (%" PRIu64
		 " bytes) that %s allocated at %s %s lost at the end of some "
		 "schedules, %s of others",
		 f->block_size, f->block_size == 1 ? "" : "s", f->extent,
		 sl_words_thread(w, f->culprits[0].thread, label, sizeof(label)),
		 sl_words_line(w, f->culprits[0].pc, f->culprits[0].stack, line, sizeof(line)),
		 f->block_size == 1 ? "is" : "are", fewest);
}

/* In the words of the source where the call is given one object: of several it is not known which is misused. */
static void
format_misused(const struct sl_finding *f, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_culprit *c = &f->culprits[0];
	struct sl_op op = sl_culprit_op(f, c);

	op.object = f->object;
	if (w->names && sl_names_site(w->names, c->pc, false) == sl_names_site(w->names, c->pc, true))
		sl_words_accessed(w, &op, 0, UINT64_MAX, false, text, room);
	else
		sl_words_object(w, f->object, 0, UINT64_MAX, false, text, room);
}

/* The engine's message is a verb and what follows; % is the object, @ the thread of the earlier act. */
void
sl_misuse_format(const struct sl_story *story, const struct sl_words *w, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	const struct sl_culprit *c = f->culprits;
	char message[512] = "", part[256], label[64], line[160];
	size_t used = 0;

	for (const char *from = f->message; *from && used < sizeof(message) - 1; from++) {
		part[0] = *from;
		part[1] = '\0';
		if (*from == '%')
			format_misused(f, w, part, sizeof(part));
		else if (*from == '@')
			sl_words_thread(w, f->culprit_count > 1 ? c[1].thread : 0, part, sizeof(part));
		used += (size_t)snprintf(message + used, sizeof(message) - used, "%s", part);
	}
	snprintf(text, room, "misuse: %s %s at %s", sl_words_thread(w, c[0].thread, label, sizeof(label)), message,
		 sl_words_line(w, c[0].pc, c[0].stack, line, sizeof(line)));
}

/* An earlier act, without which there would be no misuse. */
static const char *
what_it_did(const struct sl_finding *f, const struct sl_culprit *c)
{
	switch (c->kind) {
	case SL_FREE:
		return "freed the block";
	case SL_ALLOC:
		return "allocated the block";
	case SL_DESTROY:
		return "destroyed it";
	case SL_KEY_DELETE:
		return "deleted it";
	case SL_JOIN:
		return "joined it";
	case SL_DETACH:
		return "detached it";
	default:
		break;
	}
	if (sl_kind_is((uint8_t)c->kind, SL_KIND_WAITS) && !sl_kind_is((uint8_t)c->kind, SL_KIND_TAKES))
		return "waits";
	if (f->kind == SL_FINDING_LOCK_ORDER)
		return "locks in another order";
	if (f->kind == SL_FINDING_ATOMICITY)
		return c->flags & SL_OP_WRITES ? "wrote before" : "read before";
	return c->kind == SL_CREATE ? "was created" : "locked it";
}

/* The latest act first: backwards from the error. */
void
sl_heap_print(FILE *out, const struct sl_style *style, const struct sl_story *story, const struct sl_words *words)
{
	const struct sl_finding *f = story->finding;
	char label[64];

	for (uint32_t i = 1; i < f->culprit_count && i < SL_CULPRITS_MAX; i++) {
		const struct sl_culprit *c = &f->culprits[i];

		fprintf(out, "\n  %s%s%s %s:\n", sl_ink(style, SL_INK_BOLD),
			sl_words_thread(words, c->thread, label, sizeof(label)), sl_ink(style, SL_INK_NONE),
			what_it_did(f, c));
		sl_stack_print(out, style, words, c->pc, c->stack);
	}
}
