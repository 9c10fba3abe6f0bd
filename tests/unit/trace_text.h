/*
 * Events of a test as text: `a b@T1 add{queue}@w1 lock:m@T2 queue.c:12 block@w1`.
 * A thread that is not main or T… has a number above 20 derived from its name.
 */
#ifndef SL_TESTS_TRACE_TEXT_H
#define SL_TESTS_TRACE_TEXT_H

#include "schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word_event {
	struct sl_event event;
	char text[64], thread[32];
};

static inline void
word_event_parse(struct word_event *w, const char *word)
{
	static const struct {
		const char *word;
		enum sl_event_kind kind;
	} kinds[] = {
		{"enter:", SL_EVENT_ENTER}, {"exit:", SL_EVENT_EXIT},	  {"lock:", SL_EVENT_LOCK},
		{"unlock:", SL_EVENT_UNLOCK}, {"wait:", SL_EVENT_WAIT},	  {"signal:", SL_EVENT_SIGNAL},
		{"write:", SL_EVENT_WRITE}, {"read:", SL_EVENT_READ},
	}, threads[] = {
		{"start", SL_EVENT_START}, {"end", SL_EVENT_END}, {"block", SL_EVENT_BLOCK}, {"unblock", SL_EVENT_UNBLOCK},
	};
	char *at, *brace;

	memset(w, 0, sizeof(*w));
	snprintf(w->text, sizeof(w->text), "%s", word);
	w->event.name = w->text;
	at = strrchr(w->text, '@');
	if (at) {
		*at = '\0';
		snprintf(w->thread, sizeof(w->thread), "%s", at + 1);
		if (strchr(w->thread, '=')) { /* T9=name: a thread that is named now */
			w->event.thread = (uint32_t)atoi(w->thread + 1);
			w->event.thread_name = strchr(w->thread, '=') + 1;
		} else if (w->thread[0] == 'T' && w->thread[1] >= '0' && w->thread[1] <= '9') {
			w->event.thread = (uint32_t)atoi(w->thread + 1);
		} else if (strcmp(w->thread, "main") != 0) {
			w->event.thread_name = w->thread;
			w->event.thread = 20;
			for (char *c = w->thread; *c; c++)
				w->event.thread += (unsigned char)*c % 31;
		}
	}
	brace = strchr(w->text, '{');
	if (brace) {
		*brace = '\0';
		w->event.object = brace + 1;
		brace[strlen(brace + 1)] = '\0';
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(w->text, kinds[i].word, strlen(kinds[i].word)) == 0) {
			w->event.kind = kinds[i].kind;
			w->event.name = w->text + strlen(kinds[i].word);
			return;
		}
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		if (strcmp(w->text, threads[i].word) == 0) {
			w->event.kind = threads[i].kind;
			w->event.name = NULL;
			return;
		}
	if (strchr(w->text, ':')) {
		char *colon = strrchr(w->text, ':');

		*colon = '\0';
		w->event.kind = SL_EVENT_LINE;
		w->event.line = (uint32_t)atoi(colon + 1);
	}
}

/* Calls `each` with every word. */
static inline void
trace_each(const char *trace, void (*each)(void *data, const struct sl_event *event), void *data)
{
	char copy[1024], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", trace);
	while ((word = strsep(&rest, " "))) {
		struct word_event w;

		if (!*word)
			continue;
		word_event_parse(&w, word);
		each(data, &w.event);
	}
}

#endif
