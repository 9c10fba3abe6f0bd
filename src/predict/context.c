#include "predict/context.h"

#include "base/op_words.h"

#include <stdio.h>
#include <stdlib.h>

#define REPEATS 16 /* a message counts up to so many times: longer loops do not make new contexts */
#define RADIX 0x9e3779b97f4a7c15u
#define SELF 0x5e1fu
#define RELEASED 0x7e1u
#define SHARED 0x54a7u
#define DETAILS 32 /* contexts of a statement that are kept with their words */

/* ---- the contexts of an execution ---- */

struct tracked {
	uint64_t sent;  /* the messages, as a polynomial */
	uint64_t power; /* RADIX to the number of messages; 0: the thread has not begun */
	uint64_t must;  /* those that are the same in every execution */
	uint32_t node;
	uint64_t *released; /* locks that were released since the last access */
	size_t released_count, released_room;
};

struct sl_tracker {
	struct sl_reading *r;
	struct sl_history *history;
	struct tracked *threads;
	uint32_t thread_count;
	struct sl_index times; /* by thread and message: how often it was sent */
	struct sl_index
		own; /* by thread and thing: what the messages of the thing add if it is the accessed one */
};

struct sl_tracker *
sl_tracker_new(struct sl_reading *reading, struct sl_history *history)
{
	struct sl_tracker *t = sl_room_zeroed(1, sizeof(*t));

	t->r = reading;
	t->history = history;
	t->thread_count = reading->survey->threads;
	t->threads = sl_room_zeroed(t->thread_count, sizeof(*t->threads));
	return t;
}

void
sl_tracker_free(struct sl_tracker *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->thread_count; i++)
		free(t->threads[i].released);
	free(t->threads);
	sl_index_release(&t->times);
	sl_index_release(&t->own);
	free(t);
}

static uint32_t
history_next(struct sl_history *h, uint32_t node, const struct sl_message *message)
{
	uint64_t key = sl_join(sl_join(node, message->plain), sl_join(message->own, message->thing));
	uint64_t *at = sl_index_at(&h->next, key);

	if (*at)
		return (uint32_t)*at;
	h->all = sl_room_for(h->all, h->count, &h->capacity, sizeof(*h->all));
	h->all[h->count++] = *message;
	h->all[h->count - 1].before = node;
	*at = h->count;
	return (uint32_t)h->count;
}

static struct tracked *
tracked_get(struct sl_tracker *k, uint32_t id)
{
	struct tracked *t = &k->threads[id];

	if (!t->power)
		t->power = 1;
	return t;
}

/* A thread's history begins with that of its creator: what has changed there has changed its order to other threads. */
static void
inherit(struct sl_tracker *k, const struct tracked *from)
{
	uint64_t child = k->r->item.value;
	struct tracked *t;

	if (k->r->item.kind != SL_CREATE || child >= k->thread_count || k->threads[child].power)
		return;
	t = &k->threads[child];
	t->sent = from->sent;
	t->power = from->power;
	t->must = from->must;
	t->node = from->node;
}

/* kind: of the item; of an atomic update first that it reads, then that it writes. */
static void
message(struct sl_tracker *k, struct tracked *t, unsigned kind, unsigned most)
{
	struct sl_reading *r = k->r;
	const struct sl_item *i = &r->item;
	const char *verb = sl_op_verb(kind), *name = "";
	struct sl_message m = {.plain = sl_text_hash(sl_op_word(kind))};
	bool thread = sl_kind_is(kind, SL_KIND_THREAD);
	char text[600];
	uint64_t *times;

	m.own = m.plain;
	if (thread) {
		uint64_t other = i->value < k->thread_count ? i->value : k->thread_count;
		uint64_t start = sl_index_get(&r->survey->starts, other);

		/* of a thread that is joined it matters, too, what it had joined, or had met at barriers */
		if (kind == SL_JOIN && other < k->thread_count)
			start = sl_join(start, k->threads[other].must);
		m.plain = m.own = sl_join(m.plain, start);
		name = "a thread";
	} else if (r->subject) {
		uint32_t number = sl_reading_subject(r, r->subject);
		const struct sl_read_lock *l = &r->locks[number];

		m.own = sl_join(sl_join(m.plain, l->path), SELF);
		m.plain = sl_join(m.plain, l->plain);
		m.thing = l->thing.key;
		name = l->name;
	}
	times = sl_index_at(&k->times, sl_join(i->thread, m.plain));
	if (*times >= most)
		return;
	++*times;
	snprintf(text, sizeof(text), "%s%s%s", verb ? verb : "", *name ? " " : "", name);
	m.what = sl_texts_keep(&k->history->texts, text);
	t->node = history_next(k->history, t->node, &m);
	t->sent += t->power * m.plain;
	if (m.thing)
		*sl_index_at(&k->own, sl_join(i->thread, m.thing)) += t->power * (m.own - m.plain);
	t->power *= RADIX;
	if (thread || kind == SL_BARRIER_WAIT)
		t->must = sl_join(t->must, m.plain);
}

/* An atomic sends if it writes, and receives if it reads, by whatever instruction. */
static void
sent(struct sl_tracker *k, struct tracked *t)
{
	unsigned access = k->r->access;

	if (access & SL_OP_READS)
		message(k, t, SL_ATOMIC_LOAD, 1);
	if (access & SL_OP_WRITES)
		message(k, t, SL_ATOMIC_STORE, 1);
	if (!access)
		message(k, t, k->r->item.kind, REPEATS);
}

static void
released(struct sl_tracker *k, struct tracked *t)
{
	for (size_t i = 0; i < t->released_count; i++)
		if (t->released[i] == k->r->lock)
			return;
	t->released = sl_room_for(t->released, t->released_count, &t->released_room, sizeof(*t->released));
	t->released[t->released_count++] = k->r->lock;
}

/* The statement and what it accesses, as the old version has them. */
static uint64_t
site_of(struct sl_reading *r)
{
	struct sl_coded *code = sl_survey_code(r->survey, r->item.pc);
	bool writes = r->access & SL_OP_WRITES;

	if (!code->known[writes].site || code->known[writes].kind != r->item.kind) {
		code->known[writes].kind = r->item.kind;
		code->known[writes].site =
			sl_join(sl_join(code->statement, sl_text_hash(sl_op_word(r->item.kind))),
				sl_coded_member(code, writes));
	}
	return code->known[writes].site;
}

static void
describe(struct sl_tracker *k, struct tracked *t, struct sl_access_context *c)
{
	struct sl_reading *r = k->r;
	const struct sl_read_thread *of = &r->threads[r->item.thread];
	const struct sl_coded *code = sl_survey_code(r->survey, r->item.pc);
	const uint64_t *own;

	c->fresh = code->fresh;
	c->site = site_of(r);
	c->thing = sl_reading_thing(r, r->item.object, r->size).key;
	c->history = t->node;
	own = sl_index_find(&k->own, sl_join(r->item.thread, c->thing));
	c->chain = of->call_count ? of->calls[of->call_count - 1].chain : 0;
	c->calls = NULL;
	c->bare = sl_join(t->sent + (own ? *own : 0), t->power);
	c->lock_count = 0;
	c->released = false;
	for (size_t i = 0; i < of->hold_count; i++) {
		const struct sl_read_lock *l = &r->locks[of->holds[i].lock];
		struct sl_context_lock is = {.is = l->plain, .name = l->name, .shared = of->holds[i].shared};

		if (l->thing.key == c->thing)
			is.is = sl_join(l->path, SELF);
		for (size_t n = 0; n < t->released_count; n++)
			is.released |= t->released[n] == of->holds[i].lock;
		c->released |= is.released;
		/* the order in which locks were taken does not matter */
		c->bare += sl_mix(is.is + (is.shared ? SHARED : 0) + (is.released ? RELEASED : 0));
		if (c->lock_count < SL_CONTEXT_LOCKS)
			c->locks[c->lock_count++] = is;
	}
	c->hash = sl_join(c->bare, c->chain);
	t->released_count = 0;
}

bool
sl_tracker_item(struct sl_tracker *k, struct sl_access_context *context)
{
	struct sl_reading *r = k->r;
	struct tracked *t = tracked_get(k, r->item.thread);
	bool shared = r->access && r->item.object && sl_reading_shares(r, r->item.object, r->size);

	if (shared)
		describe(k, t, context);
	if (r->act == SL_LOCK_GIVES)
		released(k, t);
	if (r->message) {
		inherit(k, t);
		sent(k, t);
	}
	return shared;
}

/* ---- phase I ---- */

/* A context of a statement of the old version, for words. */
struct known_context {
	struct sl_access_context context;
	uint32_t next; /* of the same statement, plus one */
};

struct sl_contexts {
	struct sl_index seen;   /* by site and context */
	struct sl_index sites;  /* by site: the first that is known, plus one */
	struct sl_index counts; /* by site: how many contexts */
	struct sl_index guards; /* by variable: the lock that guards it */
	struct sl_index alone;  /* by site: it was executed, also if no other thread accessed the memory */
	struct known_context *known;
	size_t known_count, known_room;
	uint64_t nanoseconds;
	struct sl_history history;
	struct sl_texts texts;
};

struct sl_contexts *
sl_contexts_new(void)
{
	return sl_room_zeroed(1, sizeof(struct sl_contexts));
}

static void
history_release(struct sl_history *h)
{
	free(h->all);
	sl_index_release(&h->next);
	sl_texts_release(&h->texts);
}

void
sl_contexts_free(struct sl_contexts *c)
{
	if (!c)
		return;
	sl_index_release(&c->seen);
	sl_index_release(&c->sites);
	sl_index_release(&c->counts);
	sl_index_release(&c->alone);
	sl_index_release(&c->guards);
	free(c->known);
	history_release(&c->history);
	sl_texts_release(&c->texts);
	free(c);
}

/* An access in this context that is made in a function of this name; 0: in any. */
static uint64_t
made_in(const struct sl_access_context *context, uint64_t name)
{
	return sl_join(sl_join(context->site, context->bare), sl_join(name, 0x1e7e1));
}

static void
context_add(struct sl_contexts *c, const struct sl_access_context *context, const struct sl_read_thread *t)
{
	uint64_t *at = sl_index_at(&c->seen, sl_join(context->site, context->hash)), *count;

	if (*at)
		return;
	*at = 1;
	*sl_index_at(&c->seen, made_in(context, 0)) = 1;
	for (size_t i = 0; i < t->call_count; i++)
		if (t->calls[i].name)
			*sl_index_at(&c->seen, made_in(context, t->calls[i].name)) = 1;
	count = sl_index_at(&c->counts, context->site);
	if (++*count > DETAILS)
		return;
	c->known = sl_room_for(c->known, c->known_count, &c->known_room, sizeof(*c->known));
	at = sl_index_at(&c->sites, context->site);
	c->known[c->known_count] = (struct known_context){*context, (uint32_t)*at};
	for (size_t i = 0; i < context->lock_count; i++)
		c->known[c->known_count].context.locks[i].name = sl_texts_keep(&c->texts, context->locks[i].name);
	*at = ++c->known_count;
}

int
sl_contexts_collect(struct sl_contexts *c, const struct sl_observed *old, unsigned k, struct sl_err *err)
{
	struct sl_survey survey = {.of = old, .calls = k};
	uint64_t began = sl_processor_time();
	int failed = sl_survey_make(&survey, err);
	struct sl_reading *r = sl_reading_new(&survey, err);
	struct sl_access_context context;
	struct sl_tracker *tracker;

	if (!r) {
		sl_survey_release(&survey);
		return -1;
	}
	tracker = sl_tracker_new(r, &c->history);
	while (sl_reading_next(r))
		if (sl_tracker_item(tracker, &context))
			context_add(c, &context, &r->threads[r->item.thread]);
		else if (r->access)
			*sl_index_at(&c->alone, site_of(r)) = 1;
	for (size_t i = 0; i < survey.guard_count; i++)
		if (survey.guard[i].count)
			*sl_index_at(&c->guards, survey.guard[i].variable) = survey.guard[i].locks[0];
	sl_tracker_free(tracker);
	sl_reading_free(r);
	sl_survey_release(&survey);
	c->nanoseconds += sl_processor_time() - began;
	return failed;
}

/* ---- what has changed, in words ---- */

struct words {
	char text[400];
	size_t used;
	unsigned count; /* of differences; text has the first three */
};

static void
add_words(struct words *w, const char *before, const char *what, const char *after)
{
	if (w->count++ < 3 && w->used < sizeof(w->text))
		w->used += (size_t)snprintf(w->text + w->used, sizeof(w->text) - w->used, "%s%s%s%s",
					    w->used ? "; " : "", before, what, after);
}

static const struct sl_context_lock *
lock_find(const struct sl_access_context *c, const struct sl_context_lock *lock)
{
	for (size_t i = 0; i < c->lock_count; i++)
		if (c->locks[i].is == lock->is)
			return &c->locks[i];
	return NULL;
}

/* Does the one have a lock of that name which the other does not have? */
static bool
lock_named(const struct sl_access_context *c, const struct sl_access_context *other, const char *name)
{
	for (size_t i = 0; i < c->lock_count; i++)
		if (!lock_find(other, &c->locks[i]) && !strcmp(c->locks[i].name, name))
			return true;
	return false;
}

static uint64_t
message_is(const struct sl_message *m, const struct sl_access_context *c)
{
	return m->thing && m->thing == c->thing ? m->own : m->plain;
}

/* Adds what the first has sent or received and the other has not. */
static void
compare_messages(struct words *w, const struct sl_history *h, const struct sl_access_context *c,
		 const struct sl_history *other, const struct sl_access_context *than, const char *how)
{
	struct sl_index left = {0};

	for (uint32_t n = than->history; n; n = other->all[n - 1].before)
		++*sl_index_at(&left, message_is(&other->all[n - 1], than));
	for (uint32_t n = c->history; n; n = h->all[n - 1].before) {
		uint64_t *count = sl_index_at(&left, message_is(&h->all[n - 1], c));

		if (*count)
			--*count;
		else
			add_words(w, how, h->all[n - 1].what, " before");
	}
	sl_index_release(&left);
}

/* "the heap block from …" */
static const char *
without_article(const char *name)
{
	return strncmp(name, "the ", 4) == 0 ? name + 4 : name;
}

static void
compare(struct words *w, const struct sl_contexts *old, const struct sl_access_context *was,
	const struct sl_history *h, const struct sl_access_context *is)
{
	*w = (struct words){.count = 0};
	for (size_t i = 0; i < was->lock_count; i++) {
		if (lock_find(is, &was->locks[i]))
			continue;
		if (lock_named(is, was, was->locks[i].name))
			add_words(w, "is protected by another ", without_article(was->locks[i].name),
				  " than before");
		else
			add_words(w, "is no longer protected by ", was->locks[i].name, "");
	}
	for (size_t i = 0; i < is->lock_count; i++) {
		const struct sl_context_lock *l = lock_find(was, &is->locks[i]);

		if (!l && lock_named(was, is, is->locks[i].name))
			continue; /* it has been said */
		if (!l)
			add_words(w, "is now protected by ", is->locks[i].name, "");
		else if (l->shared != is->locks[i].shared)
			add_words(w, is->locks[i].shared ? "now only shares " : "no longer shares ",
				  is->locks[i].name, "");
		else if (l->released != is->locks[i].released)
			add_words(w, "", is->locks[i].name,
				  is->locks[i].released
					  ? " is now released between the access before and this one"
					  : " is no longer released between the access before and this one");
	}
	if (was->chain != is->chain)
		add_words(w, "is now made in ", is->calls, "");
	compare_messages(w, h, is, &old->history, was, "its thread now ");
	compare_messages(w, &old->history, was, h, is, "its thread no longer ");
	if (!w->count)
		add_words(w, "its thread sends and receives in another order", "", "");
}

/* By the known context that differs least. */
static bool
is_released(const struct sl_access_context *is, const struct sl_access_context *was)
{
	for (size_t i = 0; i < is->lock_count; i++) {
		const struct sl_context_lock *l = lock_find(was, &is->locks[i]);

		if (is->locks[i].released && (!l || !l->released))
			return true;
	}
	return false;
}

static const char *
why(struct sl_impact_set *impact, const struct sl_contexts *old, const struct sl_access_context *is,
    bool *released)
{
	struct words best = {.count = UINT32_MAX}, words;
	const struct sl_access_context *was = NULL;

	for (uint64_t at = sl_index_get(&old->sites, is->site); at; at = old->known[at - 1].next) {
		compare(&words, old, &old->known[at - 1].context, &impact->inside->history, is);
		if (words.count <= best.count) {
			best = words;
			was = &old->known[at - 1].context;
		}
	}
	*released = was && is_released(is, was);
	return sl_texts_keep(&impact->inside->texts, best.text);
}

/* ---- the impact set ---- */

/* "main() > queue_take()": the functions that the thread is in and that are not static. */
static const char *
calls_text(struct sl_texts *texts, struct sl_reading *r)
{
	const struct sl_read_thread *t = &r->threads[r->item.thread];
	char text[400] = "no function with a name";
	size_t used = 0;

	for (size_t i = 0; i < t->call_count && used < sizeof(text); i++) {
		const char *name = r->survey->of->function(r->survey->of->data, t->calls[i].function);

		if (name && t->calls[i].chain != (i ? t->calls[i - 1].chain : 0))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s()", used ? " > " : "",
						 name);
	}
	return sl_texts_keep(texts, text);
}

static struct sl_impacted *
impacted_new(struct sl_impact_set *impact, size_t *room, struct sl_reading *r)
{
	const struct sl_coded *code = sl_survey_code(r->survey, r->item.pc);
	struct sl_texts *texts = &impact->inside->texts;
	const char *object = sl_coded_object(code, r->access & SL_OP_WRITES);
	struct sl_impacted *i;

	if (!*object)
		object = sl_reading_object(r, r->item.object, r->size);
	impact->items = sl_room_for(impact->items, impact->count, room, sizeof(*impact->items));
	i = &impact->items[impact->count++];
	*i = (struct sl_impacted){.pc = r->item.pc,
				  .place = code->place,
				  .object = sl_texts_keep(texts, object),
				  .access = r->access,
				  .thread = r->item.thread,
				  .address = r->item.object,
				  .gate = sl_reading_gate(r, 0),
				  .number = r->number};
	i->place.function = sl_texts_keep(texts, code->place.function);
	i->place.file = sl_texts_keep(texts, code->place.file);
	i->place.path = code->place.path ? sl_texts_keep(texts, code->place.path) : NULL;
	i->place.stable = sl_texts_keep(texts, code->place.stable);
	i->place.module = sl_texts_keep(texts, code->place.module);
	return i;
}

uint64_t
sl_impact_of(const struct sl_impact_inside *inside, const struct sl_access_context *context)
{
	return sl_index_get(&inside->levels, sl_join(context->site, context->hash));
}

static uint64_t
impact_of(const struct sl_contexts *old, const struct sl_read_thread *t, const struct sl_access_context *c)
{
	uint64_t impacted = 0;

	if (c->fresh || !sl_index_find(&old->seen, made_in(c, 0)))
		return UINT64_MAX;
	for (size_t i = 0; i < t->call_count; i++) {
		uint32_t depth = t->calls[i].depth < SL_DEPTHS ? t->calls[i].depth : SL_DEPTHS;

		if (t->calls[i].name && !sl_index_find(&old->seen, made_in(c, t->calls[i].name)))
			impacted |= 1ul << depth;
	}
	return impacted;
}

static void
make_hot(struct sl_impact_inside *inside, uint64_t thing)
{
	uint64_t *at = sl_index_at(&inside->hot, thing);

	if (*at)
		return;
	*at = 1;
	inside->things =
		sl_room_for(inside->things, inside->thing_count, &inside->thing_room, sizeof(*inside->things));
	inside->things[inside->thing_count++] = thing;
}

static void
look(struct sl_impact_set *impact, size_t *room, const struct sl_contexts *old, struct sl_reading *r,
     struct sl_access_context *c)
{
	struct sl_impact_inside *inside = impact->inside;
	struct sl_read_thread *t = &r->threads[r->item.thread];
	uint64_t *at, impacted;

	impact->accesses++;
	impacted = !c->fresh && sl_index_find(&old->seen, sl_join(c->site, c->hash)) ? 0 : impact_of(old, t, c);
	if (!impacted) {
		if (t->cut > t->floor)
			make_hot(inside, c->thing);
		return;
	}
	*sl_index_at(&inside->levels, sl_join(c->site, c->hash)) = impacted;
	impact->impacted++;
	make_hot(inside, c->thing);
	if (c->released)
		t->cut = r->number;
	at = sl_index_at(&inside->classes, sl_join(c->site, c->hash));
	if (!*at) {
		struct sl_impacted *i = impacted_new(impact, room, r);

		*at = impact->count;
		i->new = c->fresh || !sl_index_find(&old->sites, c->site);
		if (c->fresh)
			i->why = sl_texts_keep(&inside->texts, "is new");
		else if (i->new)
			i->why = sl_texts_keep(
				&inside->texts,
				sl_index_find(&old->alone, c->site)
					? "accesses memory that no other thread accessed before the change"
					: "was not executed before the change");
		else {
			c->calls = calls_text(&inside->texts, r);
			i->why = why(impact, old, c, &i->released);
		}
	}
	impact->items[*at - 1].count++;
}

int
sl_impact_find(struct sl_impact_set *impact, const struct sl_contexts *old, const struct sl_observed *new,
	       const struct sl_place_map *map, unsigned k, struct sl_err *err)
{
	struct sl_access_context context;
	struct sl_tracker *tracker;
	struct sl_reading *r;
	uint64_t began = sl_processor_time();
	size_t room = 0;
	int failed;

	*impact = (struct sl_impact_set){.inside = sl_room_zeroed(1, sizeof(*impact->inside))};
	impact->inside->survey = (struct sl_survey){.of = new, .calls = k};
	if (map)
		impact->inside->survey.map = *map;
	impact->inside->guards = sl_index_copy(&old->guards);
	failed = sl_survey_make(&impact->inside->survey, err);
	r = sl_reading_new(&impact->inside->survey, err);
	if (!r)
		return -1;
	tracker = sl_tracker_new(r, &impact->inside->history);
	while (sl_reading_next(r))
		if (sl_tracker_item(tracker, &context))
			look(impact, &room, old, r, &context);
	sl_tracker_free(tracker);
	sl_reading_free(r);
	impact->nanoseconds = old->nanoseconds + sl_processor_time() - began;
	return failed;
}

void
sl_impact_set_release(struct sl_impact_set *impact)
{
	if (impact->inside) {
		sl_survey_release(&impact->inside->survey);
		history_release(&impact->inside->history);
		sl_index_release(&impact->inside->classes);
		sl_index_release(&impact->inside->levels);
		sl_index_release(&impact->inside->hot);
		free(impact->inside->things);
		sl_index_release(&impact->inside->guards);
		sl_texts_release(&impact->inside->texts);
		free(impact->inside);
	}
	free(impact->items);
	*impact = (struct sl_impact_set){0};
}
