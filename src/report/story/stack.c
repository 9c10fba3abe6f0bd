/*
 * Call stacks, and which place of a stack is the program's own: in C++ the innermost one is often in libstdc++ or
 * its headers, which says nothing to the author of the program.
 */
#include "report/words.h"

#include "base/shown.h"

#include <inttypes.h>
#include <string.h>

#define FRAMES_MAX 12
#define WALK_MAX 64 /* libstdc++ nests a dozen calls of its own */

static bool
starts_with_one(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(text, *list, strlen(*list)))
			return true;
	return false;
}

/* Frames below main or a start function belong to the engine or libc, not to the program. */
bool
sl_place_is_foreign(const struct sl_place *place)
{
	static const char *const functions[] = {"sl_thread_main", "sl_explore", "sleave_explore", "host_main"};
	static const char *const modules[] = {"libsleave", "libc.so", "libc-", "ld-linux", NULL};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(place->function, functions[i]))
			return true;
	return !place->module[0] || starts_with_one(place->module, modules);
}

/* The C++ library: its headers and the library itself. */
bool
sl_place_is_library(const struct sl_place *place)
{
	static const char *const modules[] = {"libstdc++", "libc++", NULL};

	if (place->path)
		return (strstr(place->path, "/include/") && strstr(place->path, "/c++/")) ||
		       strstr(place->path, "/sleave-c++/");
	return starts_with_one(place->module, modules);
}

/* Steps through the places of a stack, innermost first. */
struct walk {
	const struct sl_words *words;
	uint64_t pc, at; /* `at`: of the places that are here */
	uint32_t stack;
	struct sl_place here[8];
	size_t count, next;
};

static bool
step(struct walk *w, struct sl_place *place)
{
	const struct sl_trace *trace = w->words->trace;

	if (w->next == w->count) {
		if (!w->pc)
			return false;
		w->count = sl_names_places(w->words->names, w->pc, w->here, 8);
		w->next = 0;
		w->at = w->pc;
		w->pc = 0;
		if (w->stack && w->stack < trace->frame_count) {
			w->pc = trace->frames[w->stack].pc;
			w->stack = trace->frames[w->stack].parent;
		}
	}
	*place = w->here[w->next++];
	return true;
}

static struct walk
walk_from(const struct sl_words *words, uint64_t pc, uint32_t stack)
{
	return (struct walk){.words = words, .pc = words->names ? pc : 0, .stack = stack};
}

size_t
sl_stack_places(const struct sl_words *words, uint64_t pc, uint32_t stack, struct sl_place *places, size_t max)
{
	struct walk w = walk_from(words, pc, stack);
	size_t count = 0;

	while (count < max && step(&w, &places[count])) {
		if (count && sl_place_is_foreign(&places[count]))
			break;
		count++;
	}
	return count;
}

bool
sl_stack_own(const struct sl_words *words, uint64_t pc, uint32_t stack, struct sl_place *place)
{
	struct walk w = walk_from(words, pc, stack);
	struct sl_place p;

	if (!words->names || !sl_names_place(words->names, pc, place))
		return false;
	for (unsigned i = 0; i < WALK_MAX && step(&w, &p); i++) {
		if (i && sl_place_is_foreign(&p))
			break;
		if (!sl_place_is_library(&p)) {
			*place = p;
			break;
		}
	}
	return true;
}

bool
sl_stack_block(const struct sl_words *words, uint64_t pc, uint32_t stack, struct sl_place *place)
{
	struct walk w = walk_from(words, pc, stack);
	struct sl_place p;

	if (!words->names || !sl_names_place(words->names, pc, place))
		return false;
	for (unsigned i = 0; i < WALK_MAX && step(&w, &p); i++) {
		if (i && sl_place_is_foreign(&p))
			break;
		if (sl_place_is_library(&p))
			continue;
		*place = p;
		if (!sl_names_hands_on(words->names, w.at, &p))
			break;
	}
	return true;
}

bool
sl_stack_is_library(const struct sl_words *words, uint64_t pc, uint32_t stack)
{
	struct sl_place place;

	return sl_stack_own(words, pc, stack, &place) && sl_place_is_library(&place);
}

static void
print_frame(FILE *out, const struct sl_style *style, const struct sl_place *place, bool innermost)
{
	char text[320], source[160];

	sl_place_format(place, text, sizeof(text));
	sl_shown_in_place(text, sizeof(text));
	fprintf(out, "      %s%s\n", innermost ? "" : "called from ", text);
	if (innermost && sl_source_line(place->path, place->line, source, sizeof(source)))
		fprintf(out, "      %s%5" PRIu32 " | %s%s%s\n", sl_ink(style, SL_INK_DIM), place->line,
			sl_ink(style, SL_INK_BOLD), source, sl_ink(style, SL_INK_NONE));
}

void
sl_stack_print(FILE *out, const struct sl_style *style, const struct sl_words *words, uint64_t pc, uint32_t stack)
{
	struct sl_place places[WALK_MAX], library;
	size_t count = sl_stack_places(words, pc, stack, places, WALK_MAX), shown = 0;
	bool in_library = false;
	char text[320];

	for (size_t i = 0; i < count; i++) {
		/*
		 * of the library, only the function that the program has called is shown, and only if it happened
		 * there
		 */
		if (sl_place_is_library(&places[i])) {
			library = places[i];
			in_library = !shown;
			continue;
		}
		if (shown++ == FRAMES_MAX) {
			fputs("      …\n", out);
			return;
		}
		print_frame(out, style, &places[i], shown == 1);
		if (in_library) {
			sl_place_format(&library, text, sizeof(text));
			sl_shown_in_place(text, sizeof(text));
			fprintf(out, "      in %s, which it calls\n", text);
			in_library = false;
		}
	}
	for (size_t i = 0; !shown && i < count && i < FRAMES_MAX; i++)
		print_frame(out, style, &places[i], i == 0);
}
