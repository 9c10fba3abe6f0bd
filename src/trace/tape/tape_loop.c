/*
 * Writes many items at once, from the lanes of real threads (trace/lane/reel.h). The predictions are the same as
 * for items that are written one by one, except that a loop is written as one item.
 */
#include "trace/tape/tape_token.h"

#include "base/rng.h"
#include "trace/tape/tape_format.h"

/* ---- writing words ---- */

#define FULL (1u << 16) /* bytes; then the block is examined */
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * Returns whether items of the kind need no definition but that of the object, and only if it differs from the
 * last one.
 */
static bool
is_simple(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_ACCESS | SL_KIND_SYNC) || (kind >= SL_ITEM_CALL && kind < SL_ITEM_KIND_END);
}

/*
 * As sl_code_write(), for an item of which only the address or the token was predicted wrong, and the token is
 * known.
 */
static inline __attribute__((always_inline)) uint8_t *
put_number(uint8_t *to, uint64_t number)
{
	for (; number >= 128; number >>= 7)
		*to++ = (uint8_t)(number | 128);
	*to++ = (uint8_t)number;
	return to;
}

static inline __attribute__((always_inline)) void
write_wrong(struct sl_tape_code *code, struct sl_bytes *to, const struct sl_coded_thread *t,
	    const struct token *token, uint32_t number, uint64_t object, unsigned wrong)
{
	uint8_t *at = sl_bytes_reserve(to, 10 + 1 + 5 + 10);
	uint64_t guesses[2] = {0}, far, near;

	guess_objects(token, t, guesses);
	far = sl_zigzag(object - token->last);
	near = sl_zigzag(object - t->object);
	if (object != guesses[0])
		wrong |= object == guesses[1] ? OTHER : near < far ? OBJECT | NEAR : OBJECT;
	at = put_number(at, code->run);
	code->run = 0;
	*at++ = (uint8_t)wrong;
	if (wrong & TOKEN)
		at = put_number(at, number);
	if (wrong & OBJECT)
		at = put_number(at, near < far ? near : far);
	to->count = (size_t)(at - to->at);
}

/* Writes one item if it mentions nothing new: returns the number of its words, else 0. */
static inline __attribute__((always_inline)) unsigned
write_simple(struct sl_tape_code *code, struct sl_bytes *to, struct sl_coded_thread *t, const uint64_t *words,
	     sl_code_is_named *is_named, void *data)
{
	uint64_t word = words[0], rest, object;
	uint8_t kind = (uint8_t)word;
	uint32_t *guess, number;
	struct token *token;
	unsigned wrong = 0, size;

	if (!is_simple(kind))
		return 0;
	size = kind == SL_ITEM_RETURN || kind == SL_ITEM_BRANCH ? 1 : 2;
	rest = size == 1 ? 0 : words[1];
	object = rest >> 16;
	guess = guess_of(code, t);
	number = (*guess & ~SURE) - 1;
	token = &code->tokens[number];
	if (unlikely(number == NONE || token->word != word || token->flags != (uint16_t)rest)) {
		struct token wanted = {.pc = word >> 16,
				       .kind = kind,
				       .size = (uint8_t)(word >> 8),
				       .flags = (uint16_t)rest};

		wrong = TOKEN;
		number = *sl_code_slot(code, &wanted) - 1;
		if (number == NONE)
			return 0;
		token = &code->tokens[number];
	}
	size += sl_reel_has_value(kind, token->flags);
	if (token->value != (size == 3 ? words[2] : 0))
		return 0;
	if (object != token->last && (kind >= SL_ITEM_CALL ? kind != SL_ITEM_REQUEST : kind == SL_COND_WAIT))
		return 0;
	if (object != token->last && object - code->bare_low >= code->bare_size &&
	    !is_named(data, object, object, 0, sl_kind_is(kind, SL_KIND_ACCESS) ? (uint8_t)(word >> 8) : 0))
		return 0;
	if (wrong || object != (token->near ? t->object + token->offset : token->last + token->stride))
		write_wrong(code, to, t, token, number, object, wrong);
	else
		code->run++;
	learn(number, token, t, guess, object, token->value);
	return size;
}

void
sl_code_bare(struct sl_tape_code *code, uint64_t low, uint64_t high)
{
	code->bare_low = low;
	code->bare_size = high > low ? high - low : 0;
}

uint64_t
sl_code_write_words(struct sl_tape_code *code, struct sl_bytes *to, uint32_t thread, const uint64_t *words,
		    uint64_t count, uint64_t limit, uint64_t most, sl_code_is_named *is_named, void *data,
		    uint64_t *items)
{
	struct sl_coded_thread *t = sl_code_thread(code, thread);
	uint64_t at = 0, done = 0, full = to->count + FULL;

	if (code->thread != thread)
		return 0;
	while (at < count && done < most && to->count < full) {
		size_t before;
		unsigned size;

		if ((uint8_t)words[at] == SL_REEL_PAD ||
		    ((uint8_t)words[at] == SL_REEL_TICKET && words[at] >> 8 <= limit)) {
			at++;
			continue;
		}
		if (t->left) {
			at += sl_code_write_burst(code, to, t, words + at, count - at, limit, most - done,
						  is_named, data, &done);
			if (at >= count || done >= most)
				break;
		}
		before = to->count;
		size = write_simple(code, to, t, words + at, is_named, data);
		if (!size)
			break;
		at += size;
		done++;
		t->wrong += to->count != before;
		if (!t->probe--)
			sl_code_probe(t);
	}
	*items += done;
	return at;
}

/* ---- loops ---- */

/* A loop that is to be written, turned so that its first item is in its first slot. */
struct loop {
	uint32_t period;
	uint32_t tokens[SL_REEL_PERIOD_MAX];
	const struct sl_reel_slot *slots[SL_REEL_PERIOD_MAX];
	uint64_t starts[SL_REEL_PERIOD_MAX];
};

/* The destination of the loop. */
struct target {
	struct sl_tape_code *code;
	struct sl_bytes *to;
	struct sl_coded_thread *t;
	uint32_t thread;
	sl_code_is_named *is_named;
	void *data;
};

/* objects: the addresses in round 0 of the loop. */
static void
loop_from(struct loop *l, const struct sl_reel_loop *loop, const uint64_t *objects, uint64_t first)
{
	uint32_t period = sl_reel_period(loop);

	l->period = period;
	for (uint32_t i = 0; i < period; i++) {
		uint32_t at = (uint32_t)((first + i) % period);

		l->slots[i] = &loop->slots[at];
		l->starts[i] = objects[at] + loop->slots[at].step * ((first + i) / period);
	}
}

/* Does the object have a name? A function that is called has one if it was the last one called from there. */
static bool
has_name(const struct token *token, uint64_t object)
{
	return token->kind < SL_ITEM_CALL || token->last == object;
}

static bool
is_shape(const struct sl_tape_code *code, const struct shape *shape, const struct loop *l)
{
	if (shape->period != l->period)
		return false;
	for (uint32_t i = 0; i < l->period; i++) {
		const struct token *token = &code->tokens[shape->slots[i].token];

		if (token->word != l->slots[i]->word || token->flags != l->slots[i]->flags ||
		    shape->slots[i].step != l->slots[i]->step || !has_name(token, l->starts[i]))
			return false;
	}
	return true;
}

/* Returns whether everything that the loop touches has a name. */
static bool
can_be_one(const struct target *w, const struct loop *l, uint64_t count)
{
	for (uint32_t i = 0; i < l->period; i++) {
		const struct sl_reel_slot *slot = l->slots[i];
		uint64_t start = l->starts[i], end = start + slot->step * ((count - 1 - i) / l->period);
		uint8_t kind = (uint8_t)slot->word, size = (uint8_t)(slot->word >> 8);
		bool up = (int64_t)slot->step >= 0;

		if (start >> 48 || end >> 48 || (kind >= SL_ITEM_CALL && slot->step))
			return false;
		if (kind < SL_ITEM_CALL &&
		    !w->is_named(w->data, up ? start : end, up ? end : start, slot->step, size))
			return false;
	}
	return true;
}

static bool
find_tokens(const struct sl_tape_code *code, struct loop *l)
{
	for (uint32_t i = 0; i < l->period; i++) {
		const struct sl_reel_slot *slot = l->slots[i];
		struct token wanted = {.pc = slot->word >> 16,
				       .kind = (uint8_t)slot->word,
				       .size = (uint8_t)(slot->word >> 8),
				       .flags = slot->flags};

		l->tokens[i] = *sl_code_slot(code, &wanted) - 1;
		if (l->tokens[i] == NONE || !has_name(&code->tokens[l->tokens[i]], l->starts[i]))
			return false;
	}
	return true;
}

/* Returns the number of the loop's shape, which may be new; NONE: the loop can't have a shape yet. */
static uint32_t
shape_of(const struct target *w, struct loop *l)
{
	struct sl_tape_code *code = w->code;
	uint32_t number = (*guess_of(code, w->t) & ~SURE) - 1, *head;
	struct shape shape = {.period = l->period};
	uint64_t hash = l->period;

	if (number != NONE && code->tokens[number].kind == SL_TAPE_LOOP &&
	    is_shape(code, &code->shapes[code->tokens[number].pc], l))
		return (uint32_t)code->tokens[number].pc;
	if (!find_tokens(code, l))
		return NONE;
	for (uint32_t i = 0; i < l->period; i++) {
		shape.slots[i].token = l->tokens[i];
		shape.slots[i].step = l->slots[i]->step;
		hash = sl_mix(hash ^ l->tokens[i] ^ l->slots[i]->step << 32);
	}
	head = &code->shapes_by_hash[hash % SHAPE_HEADS];
	for (number = *head; number; number = code->shapes[number - 1].next)
		if (is_shape(code, &code->shapes[number - 1], l))
			return number - 1;
	shape.next = *head;
	number = sl_code_shape_add(code, &shape);
	*head = number + 1;
	return number;
}

/* Writes the loop as one item. False: its items have to be written one by one. */
static bool
write_whole(const struct target *w, struct loop *l, uint64_t count)
{
	struct sl_item item = {.kind = SL_TAPE_LOOP, .thread = w->thread, .object = l->starts[0], .value = count};
	uint32_t shape;

	if (count < 4 || count < l->period || !can_be_one(w, l, count))
		return false;
	shape = shape_of(w, l);
	if (shape == NONE)
		return false;
	item.pc = shape;
	sl_code_write_item(w->code, w->to, &item, l->starts);
	return true;
}

/* Returns the number of items written; *whole: as one item. */
static uint64_t
write_flat(const struct target *w, const struct sl_reel_loop *loop, const uint64_t *objects, uint64_t first,
	   uint64_t count, bool *whole)
{
	uint64_t done = 0, full = w->to->count + FULL;
	uint32_t period = sl_reel_period(loop);
	struct loop l;

	loop_from(&l, loop, objects, first);
	*whole = write_whole(w, &l, count);
	if (*whole)
		return count;
	for (; done < count && w->to->count < full; done++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is no loop without a slot */
		uint64_t at = done % period;
		uint64_t words[3] = {l.slots[at]->word,
				     sl_reel_object_word(l.slots[at]->flags,
							 l.starts[at] + l.slots[at]->step * (done / period)),
				     0};

		if (!write_simple(w->code, w->to, w->t, words, w->is_named, w->data))
			break;
	}
	return done;
}

/* ---- loops with a loop in them ---- */

/* The last round: the tokens of its items, ending with the inner loop. */
struct walk {
	const struct sl_reel_loop *loop;
	const struct sl_reel_nest *nest;
	uint32_t period; /* with the inner loop as one item */
	uint32_t tokens[SL_REEL_PERIOD_MAX + 1];
	uint64_t steps[SL_REEL_PERIOD_MAX + 1];
};

static bool
inner_goes_on(const struct target *w, const struct walk *walk, uint64_t round, uint64_t rounds)
{
	const struct sl_reel_loop *inner = walk->loop;
	const struct token *token = &w->code->tokens[walk->tokens[walk->period - 1]];
	const struct shape *shape = &w->code->shapes[token->pc];
	uint32_t period = sl_reel_period(inner);

	if (token->kind != SL_TAPE_LOOP || token->value != walk->nest->count || shape->period != period)
		return false;
	for (uint32_t i = 0; i < period; i++) {
		const struct sl_reel_slot *slot = &inner->slots[i];
		uint64_t step = walk->nest->slots[i].step, start = walk->nest->slots[i].start + step * round,
			 far = step * rounds, wide = slot->step * (walk->nest->count / period), low = start,
			 high = start;

		if (i && shape->slots[i].change != step - walk->nest->slots[0].step)
			return false;
		*((int64_t)far < 0 ? &low : &high) += far;
		*((int64_t)wide < 0 ? &low : &high) += wide;
		if (low >> 48 || high >> 48 || ((uint8_t)slot->word >= SL_ITEM_CALL && step))
			return false;
		if ((uint8_t)slot->word < SL_ITEM_CALL &&
		    (!w->is_named(w->data, low, high, step, (uint8_t)(slot->word >> 8)) ||
		     !w->is_named(w->data, low, high, slot->step, (uint8_t)(slot->word >> 8))))
			return false;
	}
	return true;
}

/*
 * The last round came as predicted. All others will, too, if each token is passed once in a round and its address
 * advances by the predicted step. Also false if something in these rounds needs a name.
 */
static bool
goes_on(const struct target *w, const struct walk *walk, uint64_t round, uint64_t rounds)
{
	for (uint32_t i = 0; i < walk->period; i++) {
		const struct token *token = &w->code->tokens[walk->tokens[i]];
		uint64_t step = walk->steps[i], end = token->last + step * rounds;

		if (token->at != w->t->count - walk->period + 1 + i || token->stride != step ||
		    (token->near && step != walk->steps[i ? i - 1 : walk->period - 1]) || end >> 48)
			return false;
		if (i + 1 < walk->period && step &&
		    (token->kind >= SL_ITEM_CALL ||
		     !w->is_named(w->data, token->last < end ? token->last : end,
				  token->last < end ? end : token->last, step, token->size)))
			return false;
	}
	return inner_goes_on(w, walk, round, rounds);
}

/* Updates the tokens as if the items of these rounds had been learnt one after the other. */
static void
skip(const struct target *w, const struct walk *walk, uint64_t rounds)
{
	struct token *last = &w->code->tokens[walk->tokens[walk->period - 1]];
	struct shape *shape = &w->code->shapes[last->pc];

	w->t->object = last->last + last->stride * (rounds - 1);
	for (uint32_t i = 0; i < walk->period; i++) {
		struct token *token = &w->code->tokens[walk->tokens[i]];

		token->last += token->stride * rounds;
		token->at += rounds * walk->period;
		token->sure = 1;
		token->offset = token->last - w->t->object;
		w->t->object = token->last;
	}
	for (uint32_t i = 1; i < shape->period; i++)
		shape->slots[i].gap += shape->slots[i].change * rounds;
	w->t->count += rounds * walk->period;
	w->code->run += rounds * walk->period;
}

/* Writes `count` items of the inner loop of this round, from its item `first` on. */
static uint64_t
write_inner(const struct target *w, const struct walk *walk, uint64_t round, uint64_t first, uint64_t count,
	    bool *whole)
{
	const struct sl_reel_loop *inner = walk->loop;
	uint64_t objects[SL_REEL_PERIOD_MAX];

	for (uint32_t i = 0; i < sl_reel_period(inner); i++)
		objects[i] = walk->nest->slots[i].start + walk->nest->slots[i].step * round;
	return write_flat(w, inner, objects, first, count, whole);
}

static uint64_t
write_nest(const struct target *w, const struct sl_reel_loop *loop, uint64_t first, uint64_t count)
{
	struct walk walk = {.loop = loop, .nest = sl_reel_nest(loop), .period = sl_reel_around(loop) + 1};
	uint64_t done = 0, right = 0, full = w->to->count + FULL, all = sl_reel_round(loop),
		 rounds = sl_reel_rounds(loop);
	/*
	 * so many items must come as predicted before the rest is skipped: then all predictions stem from the loop
	 * itself
	 */
	uint64_t next = walk.period + 2;

	for (uint32_t i = 0; i + 1 < walk.period; i++)
		walk.steps[i] = loop->slots[sl_reel_period(loop) + i].step;
	walk.steps[walk.period - 1] = walk.nest->slots[0].step;
	while (done < count && w->to->count < full) {
		uint64_t at, round = sl_reel_round_of(loop, first + done, &at), bytes = w->to->count, more;
		bool whole = true;

		if (at + 1 < walk.period) {
			uint64_t words[3];

			sl_reel_loop_item(loop, first + done, words);
			if (!write_simple(w->code, w->to, w->t, words, w->is_named, w->data))
				break;
			done++;
		} else {
			uint64_t from = at - (walk.period - 1),
				 wanted = round == rounds || count - done < all - at ? count - done : all - at,
				 wrote = write_inner(w, &walk, round, from, wanted, &whole);

			done += wrote;
			if (wrote < wanted)
				break;
			whole = whole && wanted == walk.nest->count;
			at = walk.period - 1;
		}
		right = whole && w->to->count == bytes ? right + 1 : 0;
		walk.tokens[at] = w->t->last;
		more = (count - done) / all < rounds - round ? (count - done) / all : rounds - round - 1;
		if (at + 1 < walk.period || right < next || round == rounds || !more)
			continue;
		next = right + walk.period;
		if (goes_on(w, &walk, round, more)) {
			skip(w, &walk, more);
			done += more * all;
		}
	}
	return done;
}

uint64_t
sl_code_write_loop(struct sl_tape_code *code, struct sl_bytes *to, uint32_t thread, const struct sl_reel_loop *loop,
		   uint64_t first, uint64_t count, sl_code_is_named *is_named, void *data)
{
	struct target w = {code, to, sl_code_thread(code, thread), thread, is_named, data};
	uint64_t objects[SL_REEL_PERIOD_MAX];
	bool whole;

	if (code->thread != thread)
		return 0;
	if (sl_reel_around(loop))
		return write_nest(&w, loop, first, count);
	for (uint32_t i = 0; i < sl_reel_period(loop); i++)
		objects[i] = loop->slots[i].object;
	return write_flat(&w, loop, objects, first, count, &whole);
}
