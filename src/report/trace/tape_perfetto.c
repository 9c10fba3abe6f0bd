/*
 * A trace for the Perfetto UI (ui.perfetto.dev) and chrome://tracing, in their JSON format: a track for each
 * thread, with slices for calls and for waiting, and instants for what the thread does to others. Held locks are
 * slices beside these, because they need not be released in the order of calls. One microsecond is one item.
 *
 * Plain accesses and branches are left out: they are most of a trace, and a dot for each says nothing.
 *
 * Each execution is a process. The numbers of threads continue through the file, and a process has the number of
 * its first thread: in some places Perfetto takes threads with one number for the same, and the thread with its
 * process's number for the main thread. There is no displayTimeUnit: some versions of Perfetto take it for the
 * unit of the timestamps.
 */
#include "report/trace/tape_report.h"

#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct track {
	uint32_t id; /* 0: it has not occurred in this execution yet */
	char name[64]; /* as it was written last */
	char **slices; /* names of the open slices: calls, and a wait */
	size_t open, room;
	bool waiting; /* the innermost slice is a wait */
};

struct perfetto {
	bool any;
	uint32_t part;
	uint32_t process; /* the id of its first thread */
	uint32_t ids; /* the last id */
	uint64_t last; /* the number of the last item */
	struct track *tracks;
	size_t count;
};

/* Begins an event: ph, ts, pid, tid; its name follows, and `close`. */
static void
open_event(struct perfetto *p, const struct sl_tape_view *view, const char *phase, uint32_t id, uint64_t time)
{
	fprintf(view->out, "%s\n{\"ph\":\"%s\",\"ts\":%" PRIu64 ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
		p->any ? "," : "", phase, time, p->process, id);
	p->any = true;
}

static void
put_name(const struct sl_tape_view *view, const char *name)
{
	fputs(",\"name\":", view->out);
	sl_json_put_string(view->out, name, strlen(name));
}

static void
put_place(const struct sl_tape_view *view, const struct sl_item *item)
{
	struct sl_place place;
	char text[512];

	fprintf(view->out, ",\"args\":{\"item\":%" PRIu64, view->tape->number);
	if (sl_tape_place(view->tape, item->pc, &place)) {
		sl_place_format(&place, text, sizeof(text));
		fputs(",\"place\":", view->out);
		sl_json_put_string(view->out, text, strlen(text));
	}
	fputc('}', view->out);
}

static void
put_metadata(struct perfetto *p, const struct sl_tape_view *view, const char *what, uint32_t id, const char *name)
{
	open_event(p, view, "M", id, 0);
	fprintf(view->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	sl_json_put_string(view->out, name, strlen(name));
	fputs("}}", view->out);
}

static void *
begin(const struct sl_tape_view *view)
{
	fputs("{\"traceEvents\":[", view->out);
	return calloc(1, sizeof(struct perfetto));
}

static void
begin_slice(struct perfetto *p, const struct sl_tape_view *view, const struct sl_item *item, struct track *t,
	    const char *name)
{
	if (t->open == t->room) {
		t->room = t->room ? 2 * t->room : 16;
		t->slices = realloc(t->slices, t->room * sizeof(*t->slices));
	}
	if (!t->slices || !(t->slices[t->open++] = strdup(name)))
		abort();
	open_event(p, view, "B", t->id, view->tape->number);
	put_name(view, name);
	put_place(view, item);
	fputc('}', view->out);
}

/* The name is repeated: Perfetto of 2021 ignores an end with another name, or without one. */
static void
end_slice(struct perfetto *p, const struct sl_tape_view *view, struct track *t, uint64_t time)
{
	char *name = t->slices[--t->open];

	open_event(p, view, "E", t->id, time);
	put_name(view, name);
	fputc('}', view->out);
	free(name);
}

/* Slices of locks that are still held stay open. */
static void
close_tracks(struct perfetto *p, const struct sl_tape_view *view)
{
	for (size_t i = 0; i < p->count; i++) {
		struct track *t = &p->tracks[i];

		while (t->open)
			end_slice(p, view, t, p->last + 1);
		t->waiting = false;
	}
}

static void
begin_process(struct perfetto *p, const struct sl_tape_view *view)
{
	char label[64];

	close_tracks(p, view);
	for (size_t i = 0; i < p->count; i++) {
		p->tracks[i].id = 0;
		p->tracks[i].name[0] = '\0';
	}
	p->part = view->tape->part;
	p->process = ++p->ids;
	put_metadata(p, view, "process_name", p->process,
		     view->tape->execution ? sl_part_label(view->tape, label, sizeof(label))
					   : view->tape->head.program);
}

static struct track *
track_of(struct perfetto *p, const struct sl_tape_view *view, uint32_t thread)
{
	struct track *t;

	if (view->tape->part != p->part)
		begin_process(p, view);
	if (thread >= p->count) {
		size_t count = (size_t)thread + 1 + thread / 2;
		struct track *tracks = sl_must(realloc(p->tracks, count * sizeof(*tracks)));

		memset(tracks + p->count, 0, (count - p->count) * sizeof(*tracks));
		p->tracks = tracks;
		p->count = count;
	}
	t = &p->tracks[thread];
	if (!t->id)
		t->id = thread ? ++p->ids : p->process;
	return t;
}

static void
tell_name(struct perfetto *p, const struct sl_tape_view *view, uint32_t thread, struct track *t)
{
	char name[64];

	if (strcmp(t->name, sl_tape_thread(view, thread, name, sizeof(name))) == 0)
		return;
	memcpy(t->name, name, sizeof(name));
	put_metadata(p, view, "thread_name", t->id, name);
}

/* A thread that continues no longer waits. */
static void
end_waiting(struct perfetto *p, const struct sl_tape_view *view, struct track *t)
{
	if (t->waiting)
		end_slice(p, view, t, view->tape->number);
	t->waiting = false;
}

static void
wait_for(struct perfetto *p, const struct sl_tape_view *view, const struct sl_item *item, struct track *t,
	 const char *object)
{
	char name[800];

	snprintf(name, sizeof(name), "waits for %s", object);
	begin_slice(p, view, item, t, name);
	t->waiting = true;
}

/*
 * Names the thread by its number: Perfetto wants the same name at the end, and the thread may have got another
 * one.
 */
static void
hold(struct perfetto *p, const struct sl_tape_view *view, const struct sl_item *item, const struct track *t,
     const char *phase, uint64_t lock)
{
	char object[512], number[16] = "main", name[640];

	if (item->thread)
		snprintf(number, sizeof(number), "T%" PRIu32, item->thread);
	open_event(p, view, phase, t->id, view->tape->number);
	snprintf(name, sizeof(name), "%s holds %s", number, sl_tape_lock(view, lock, object, sizeof(object)));
	put_name(view, name);
	fprintf(view->out, ",\"cat\":\"lock\",\"id2\":{\"local\":\"%" PRIu32 ".%" PRIx64 "\"}", t->id, lock);
	put_place(view, item);
	fputc('}', view->out);
}

static void
instant(struct perfetto *p, const struct sl_tape_view *view, const struct sl_item *item, const struct track *t)
{
	char name[1800];

	sl_item_tell(view, item, name, sizeof(name));
	open_event(p, view, "i", t->id, view->tape->number);
	put_name(view, name);
	fputs(",\"s\":\"t\"", view->out);
	put_place(view, item);
	fputc('}', view->out);
}

static void
item(void *state, const struct sl_tape_view *view, const struct sl_item *item)
{
	struct perfetto *p = state;
	struct track *t = track_of(p, view, item->thread);
	char object[768];
	enum sl_lock_act act;
	uint64_t lock;

	p->last = view->tape->number;
	if (sl_kind_is_plain(item->kind) || item->kind == SL_ITEM_BRANCH) {
		end_waiting(p, view, t);
		return;
	}
	tell_name(p, view, item->thread, t);
	sl_item_object(view, item, object, sizeof(object));
	end_waiting(p, view, t);
	act = sl_item_lock_act(item, &lock);
	if (act == SL_LOCK_TAKES)
		hold(p, view, item, t, "b", lock);
	else if (act == SL_LOCK_GIVES)
		hold(p, view, item, t, "e", lock);
	switch (item->kind) {
	case SL_ITEM_CALL:
		begin_slice(p, view, item, t, object);
		break;
	case SL_ITEM_RETURN:
		if (t->open)
			end_slice(p, view, t, view->tape->number);
		break;
	case SL_ITEM_REQUEST:
	case SL_COND_WAIT:
	case SL_BARRIER_WAIT:
		wait_for(p, view, item, t, object);
		break;
	default:
		instant(p, view, item, t);
		break;
	}
}

static void
damage(void *state, const struct sl_tape_view *view)
{
	close_tracks(state, view);
}

static void
end(void *state, const struct sl_tape_view *view)
{
	struct perfetto *p = state;

	close_tracks(p, view);
	fputs("\n]}\n", view->out);
	for (size_t i = 0; i < p->count; i++)
		free(p->tracks[i].slices);
	free(p->tracks);
	free(p);
}

const struct sl_tape_format sl_tape_perfetto = {begin, item, damage, end};
