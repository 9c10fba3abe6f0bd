#include "base/op_words.h"
#include "predict/accept.h"
#include "predict/pattern.h"

#include <stdio.h>
#include <stdlib.h>

struct sl_violations_inside {
	struct sl_texts texts;
	struct sl_violation_step (*others)[SL_PATTERN_STEPS]; /* of all violations */
	struct sl_violation_lock *locks;                      /* of all steps */
	size_t lock_count, lock_room;
};

/* ---- the order of violations ---- */

/* Lost updates first, and units that are one function. */
static unsigned
rank(const struct sl_suspect *m, const struct sl_classes *c)
{
	static const unsigned char by_pattern[SL_PATTERN_COUNT] = {
		[SL_PATTERN_RWW] = 0,          [SL_PATTERN_RWR] = 2,          [SL_PATTERN_WWR] = 1,
		[SL_PATTERN_WRW] = 5,          [SL_PATTERN_WWW] = 6,          [SL_PATTERN_RWWR] = 3,
		[SL_PATTERN_WWWW] = 4,         [SL_PATTERN_WRRW] = 4,         [SL_PATTERN_RWWR_CROSSED] = 3,
		[SL_PATTERN_WWWW_CROSSED] = 4, [SL_PATTERN_WRRW_CROSSED] = 4,
	};
	const struct sl_pair_class *p = &c->pairs[m->pair];
	bool root = p->root || (m->other_pair && c->pairs[m->other].root);

	return (unsigned)m->verdict << 16 | (unsigned)root << 8 | by_pattern[m->pattern];
}

struct ranked {
	const struct sl_suspect *match;
	unsigned rank;
};

static int
by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	for (int i = 0; i < SL_PATTERN_STEPS; i++)
		if (x->match->first.numbers[i] != y->match->first.numbers[i])
			return x->match->first.numbers[i] < y->match->first.numbers[i] ? -1 : 1;
	if (x->match->pattern != y->match->pattern)
		return x->match->pattern < y->match->pattern ? -1 : 1;
	return 0;
}

/* ---- what is known of the steps ---- */

/* A step of a violation, to be found in the execution. */
struct sought {
	uint64_t number;
	struct sl_violation_step *step;
	uint64_t since; /* the number of the violation's first step */
	size_t first_lock;
};

static int
by_number(const void *a, const void *b)
{
	const struct sought *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void
fill_step(struct sl_violations_inside *inside, struct sought *sought, struct sl_reading *r,
	  const struct sl_index *counts)
{
	const struct sl_read_thread *t = &r->threads[r->item.thread];
	const struct sl_coded *code = sl_survey_code(r->survey, r->item.pc);
	struct sl_violation_step *s = sought->step;
	const char *path = r->survey->of->thread_path
				   ? r->survey->of->thread_path(r->survey->of->data, r->item.thread)
				   : NULL;
	const char *object = sl_coded_object(code, s->access & SL_OP_WRITES);
	uint64_t at_pc = sl_join(r->item.thread, r->item.pc);

	s->thread = r->item.thread;
	s->thread_path = sl_texts_keep(&inside->texts, path);
	s->pc = r->item.pc;
	s->place = code->place;
	s->place.function = sl_texts_keep(&inside->texts, code->place.function);
	s->place.file = sl_texts_keep(&inside->texts, code->place.file);
	s->place.path = code->place.path ? sl_texts_keep(&inside->texts, code->place.path) : NULL;
	s->place.stable = sl_texts_keep(&inside->texts, code->place.stable);
	s->place.module = sl_texts_keep(&inside->texts, code->place.module);
	s->address = r->item.object;
	s->size = (uint32_t)(r->size > UINT32_MAX ? UINT32_MAX : r->size);
	s->kind = r->item.kind;
	s->occurrence = sl_index_get(counts, sl_join(at_pc, r->item.object));
	s->at_pc = sl_index_get(counts, at_pc);
	s->number = r->number;
	s->gate = sl_reading_gate(r, sought->since);
	s->object =
		sl_texts_keep(&inside->texts, *object ? object : sl_reading_object(r, r->item.object, r->size));
	s->lock_count = t->hold_count;
	sought->first_lock = inside->lock_count;
	for (size_t i = 0; i < t->hold_count; i++) {
		const struct sl_read_lock *l = &r->locks[t->holds[i].lock];

		inside->locks =
			sl_room_for(inside->locks, inside->lock_count, &inside->lock_room, sizeof(*inside->locks));
		inside->locks[inside->lock_count++] =
			(struct sl_violation_lock){l->address, t->holds[i].shared,
						   sl_texts_keep(&inside->texts, l->name)};
	}
}

/* Reads the execution once more, and counts how often each thread was where a step is. */
static int
fill_steps(struct sl_violations_inside *inside, struct sl_survey *survey, struct sought *sought, size_t count,
	   const struct sl_index *places, struct sl_err *err)
{
	struct sl_reading *r = sl_reading_new(survey, err);
	struct sl_index counts = {0};
	size_t at = 0;

	if (!r)
		return -1;
	while (at < count && sl_reading_next(r)) {
		uint64_t at_pc = sl_join(r->item.thread, r->item.pc);

		if (!r->access || !sl_index_find(places, at_pc))
			continue;
		++*sl_index_at(&counts, at_pc);
		++*sl_index_at(&counts, sl_join(at_pc, r->item.object));
		for (; at < count && sought[at].number == r->number; at++)
			fill_step(inside, &sought[at], r, &counts);
	}
	sl_index_release(&counts);
	sl_reading_free(r);
	for (size_t i = 0; i < count; i++)
		sought[i].step->locks = sought[i].step->lock_count ? inside->locks + sought[i].first_lock : NULL;
	return at == count ? 0 : sl_err_set(err, "the execution is another one when it is read again");
}

/* ---- a violation ---- */

static const char *
unit_name(struct sl_violations_inside *inside, const struct sl_survey *survey, const struct sl_pair_class *pair)
{
	const char *name = pair->unit ? survey->of->function(survey->of->data, pair->unit) : NULL;

	return sl_texts_keep(&inside->texts, name ? name : "");
}

static const char *
reason_of(struct sl_violations_inside *inside, struct sl_survey *survey, const struct sl_suspect *m)
{
	const char *word = m->order.known ? sl_op_verb(m->order.kind) : NULL;
	const struct sl_coded *code;
	char text[600], place[256];

	if (m->lock) {
		snprintf(text, sizeof(text),
			 "%s is held from the first of these accesses to the last, and for what comes between",
			 m->lock);
	} else if (m->order.known) {
		code = sl_survey_code(survey, m->order.pc);
		sl_line_format(&code->place, place, sizeof(place));
		snprintf(
			text, sizeof(text),
			"in every execution one of the threads %s (%s) between accesses that would come the other way round",
			word ? word : "is ordered", place);
	} else {
		return "";
	}
	return sl_texts_keep(&inside->texts, text);
}

static void
violation_fill(struct sl_violation *v, struct sl_violations_inside *inside, struct sl_collection *c,
	       const struct sl_suspect *m, struct sl_violation_step (*others)[SL_PATTERN_STEPS],
	       struct sl_index *places)
{
	const struct sl_pattern_rule *rule = &sl_pattern_rules[m->pattern];
	const struct sl_pair_class *pair = &c->classes.pairs[m->pair];
	const struct sl_pair_class *other = m->other_pair ? &c->classes.pairs[m->other] : NULL;

	*v = (struct sl_violation){.pattern = m->pattern,
				   .step_count = rule->count,
				   .set = sl_texts_keep(&inside->texts, m->set),
				   .unit = unit_name(inside, c->survey, pair),
				   .other_unit = other ? unit_name(inside, c->survey, other) : "",
				   .verdict = m->verdict,
				   .reason = reason_of(inside, c->survey, m),
				   .alike = m->alike};
	for (unsigned i = 0; i < rule->count; i++) {
		uint32_t class = i == 0 ? pair->first : i + 1 == rule->count ? pair->second : m->other;
		const struct sl_access_class *a;

		if (rule->steps[i].other && other)
			class = i == 1 ? other->first : other->second;
		a = &c->classes.accesses[class];
		v->steps[i].other = rule->steps[i].other;
		v->steps[i].access = rule->steps[i].access;
		v->steps[i].impacted =
			rule->steps[i].other && !other
				? a->impacted & 1
				: sl_impact_in(a->impacted, rule->steps[i].other ? other->depth : pair->depth);
		v->steps[i].number = m->first.numbers[i];
		*sl_index_at(places,
			     sl_join(rule->steps[i].other ? m->first.other_thread : m->first.thread, a->pc)) = 1;
		for (uint32_t k = 0; k < m->kept_count; k++) {
			const struct sl_suspect_alike *alike = &m->kept[k];

			others[k][i] = v->steps[i];
			others[k][i].number = alike->numbers[i];
			*sl_index_at(places, sl_join(rule->steps[i].other ? alike->other_thread : alike->thread,
						     a->pc)) = 1;
		}
	}
	v->others = (const struct sl_violation_step(*)[SL_PATTERN_STEPS])others;
	v->other_count = m->kept_count;
}

static int
report(struct sl_violations *violations, struct sl_collection *c, const struct sl_suspects *matches,
       const struct sl_predict_options *options, struct sl_err *err)
{
	struct sl_violations_inside *inside = violations->inside;
	struct ranked *ranked = sl_room_zeroed(matches->count, sizeof(*ranked));
	struct sl_index places = {0};
	struct sought *sought;
	size_t count = 0, kept, steps = 0, alike = 0;
	int failed;

	for (size_t i = 0; i < matches->count; i++) {
		const struct sl_suspect *m = &matches->items[i];

		violations->certain += m->verdict == SL_PREDICTED_CERTAIN;
		violations->possible += m->verdict == SL_PREDICTED_POSSIBLE;
		violations->infeasible += m->verdict == SL_PREDICTED_INFEASIBLE;
		if (m->verdict != SL_PREDICTED_INFEASIBLE || options->infeasible)
			ranked[count++] = (struct ranked){m, rank(m, &c->classes)};
	}
	qsort(ranked, count, sizeof(*ranked), by_rank);
	kept = options->most && options->most < count ? options->most : count;
	violations->items = sl_room_zeroed(kept, sizeof(*violations->items));
	violations->count = kept;
	for (size_t i = 0; i < kept; i++)
		alike += ranked[i].match->kept_count;
	inside->others = sl_room_zeroed(alike, sizeof(*inside->others));
	sought = sl_room_zeroed((kept + alike) * SL_PATTERN_STEPS, sizeof(*sought));
	alike = 0;
	for (size_t i = 0; i < kept; i++) {
		struct sl_violation *v = &violations->items[i];

		violation_fill(v, inside, c, ranked[i].match, inside->others + alike, &places);
		alike += v->other_count;
		for (unsigned s = 0; s < v->step_count; s++)
			sought[steps++] = (struct sought){.number = v->steps[s].number,
							  .since = v->steps[0].number,
							  .step = &v->steps[s]};
		for (struct sl_violation_step(*other)[SL_PATTERN_STEPS] = inside->others + alike - v->other_count;
		     other < inside->others + alike; other++)
			for (unsigned s = 0; s < v->step_count; s++)
				sought[steps++] =
					(struct sought){.number = (*other)[s].number,
							.since = (*other)[0].number,
							.step = &(*other)[s]};
	}
	free(ranked);
	qsort(sought, steps, sizeof(*sought), by_number);
	failed = fill_steps(inside, c->survey, sought, steps, &places, err);
	sl_index_release(&places);
	free(sought);
	return failed;
}

/* ---- phase II ---- */

static void
set_complete(void *data, struct sl_collection *collection, const struct sl_atomic_set *set)
{
	struct sl_suspects *matches = data;

	sl_suspects_find(matches, collection, set);
	if (collection->options->unmerged)
		sl_suspects_count(matches, collection, set);
}

int
sl_predict(struct sl_violations *violations, const struct sl_observed *execution,
	   const struct sl_predict_options *options, struct sl_err *err)
{
	struct sl_survey own = {.of = execution, .options = options};
	struct sl_suspects matches = {.infeasible = options->infeasible, .impact = options->impact};
	struct sl_collection collection = {.survey = options->impact ? &options->impact->inside->survey : &own,
					   .options = options,
					   .complete = set_complete,
					   .data = &matches};
	uint64_t began = sl_processor_time();
	int failed = 0, failed_late;

	*violations = (struct sl_violations){.inside = sl_room_zeroed(1, sizeof(*violations->inside))};
	if (options->impact) {
		collection.survey->options = options;
		collection.survey->of = execution;
		sl_survey_declare(collection.survey);
	} else {
		failed = sl_survey_make(&own, err);
	}
	failed_late = sl_collect(&collection, err);
	if (collection.reading) {
		violations->accesses = collection.accesses;
		violations->shared = collection.shared;
		violations->declared = collection.declared;
		violations->classes = collection.classes.access_count;
		violations->pairs = collection.classes.pair_count;
		violations->compared = matches.compared;
		violations->unmerged = matches.unmerged;
		if (sl_accept(&matches, collection.survey, err) < 0 ||
		    report(violations, &collection, &matches, options, err) < 0)
			failed_late = -1;
	}
	collection.survey->options = NULL;
	sl_collection_release(&collection);
	sl_suspects_release(&matches);
	sl_survey_release(&own);
	violations->nanoseconds = sl_processor_time() - began;
	return failed < 0 || failed_late < 0 ? -1 : 0;
}

void
sl_violations_release(struct sl_violations *violations)
{
	if (violations->inside) {
		sl_texts_release(&violations->inside->texts);
		free(violations->inside->locks);
		free(violations->inside->others);
		free(violations->inside);
	}
	free(violations->items);
	*violations = (struct sl_violations){0};
}
