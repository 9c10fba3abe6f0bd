#include "trace/tape_code.h"

#include "base/rng.h"
#include "trace/reel.h"

#define NEXT_BITS 16
#define NONE UINT32_MAX
#define SURE (1u << 31) /* in `next`: it was right; one that is not does not change it, two do */

/* What is written of an item that did not come as predicted; the byte before it says which of these are. */
enum {
	THREAD = 1, /* which thread */
	TOKEN = 2,  /* which token: a number; if it is new, the token */
	OTHER = 4,  /* the address that was the second guess: nothing */
	OBJECT = 8, /* how far the address is from the last of the same token … */
	NEAR = 16,  /* … or, shorter, from the last of the thread */
	VALUE = 32, /* how far the value is from the last of the token */
};

/* All that is the same whenever a place is passed, and what was not, the last time. */
struct token {
	uint64_t pc;
	uint8_t kind, size;
	uint16_t flags;
	uint8_t near;    /* the address is rather guessed from the thread's last */
	uint8_t sure;    /* the last guess by stride was right: one that is not does not change it */
	uint64_t last;   /* address */
	uint64_t stride; /* from the one before */
	uint64_t offset; /* from what the thread touched before */
	uint64_t value;
	uint64_t word; /* kind, size and pc as in a lane */
	uint64_t at;   /* which item of its thread it was last; only for the writer */
};

struct thread {
	uint32_t epoch; /* of the block in which the rest counts */
	uint32_t last, before;
	uint64_t object;
	uint64_t count; /* items so far, for the writer */
};

struct sl_code {
	struct token *tokens;
	uint32_t count, capacity;
	uint32_t *slots;                /* by hash: number of a token + 1; twice as many as there is room for */
	uint32_t next[1u << NEXT_BITS]; /* by the last two tokens of a thread: number + 1, SURE */
	struct thread *threads;
	uint32_t thread_count;
	uint32_t epoch;
	uint32_t thread; /* whose item was last */
	uint64_t run;    /* items that came as predicted: not yet written, or not yet read */
	uint64_t pc;     /* of the newest token */
	bool pending;    /* reader: after the run there is one that did not */
};

static void *
must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

struct sl_code *
sl_code_new(void)
{
	struct sl_code *code = must(calloc(1, sizeof(*code)));

	code->capacity = 1024;
	code->tokens = must(malloc(code->capacity * sizeof(*code->tokens)));
	code->slots = must(calloc(2 * (size_t)code->capacity, sizeof(*code->slots)));
	return code;
}

void
sl_code_free(struct sl_code *code)
{
	if (!code)
		return;
	free(code->tokens);
	free(code->slots);
	free(code->threads);
	free(code);
}

void
sl_code_reset(struct sl_code *code)
{
	memset(code->slots, 0, 2 * (size_t)code->capacity * sizeof(*code->slots));
	memset(code->next, 0, sizeof(code->next));
	code->count = 0;
	code->epoch++;
	code->thread = 0;
	code->run = 0;
	code->pc = 0;
	code->pending = false;
}

static struct thread *
thread_get(struct sl_code *code, uint32_t id)
{
	struct thread *t;

	if (id >= code->thread_count) {
		uint32_t count = id + 1 + id / 2;

		code->threads = must(realloc(code->threads, count * sizeof(*code->threads)));
		memset(code->threads + code->thread_count, 0,
		       (count - code->thread_count) * sizeof(*code->threads));
		code->thread_count = count;
	}
	t = &code->threads[id];
	if (t->epoch != code->epoch)
		*t = (struct thread){.epoch = code->epoch, .last = NONE, .before = NONE};
	return t;
}

static uint32_t *
slot_of(const struct sl_code *code, const struct token *token)
{
	uint32_t mask = 2 * code->capacity - 1;
	uint64_t hash = sl_mix(token->pc ^ (uint64_t)token->kind << 48 ^ (uint64_t)token->size << 56 ^
			       (uint64_t)token->flags << 40);

	for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
		const struct token *t = code->slots[at] ? &code->tokens[code->slots[at] - 1] : NULL;

		if (!t || (t->pc == token->pc && t->kind == token->kind && t->size == token->size &&
			   t->flags == token->flags))
			return &code->slots[at];
	}
}

static uint32_t
token_add(struct sl_code *code, const struct token *token)
{
	if (code->count == code->capacity) {
		code->capacity *= 2;
		code->tokens = must(realloc(code->tokens, code->capacity * sizeof(*code->tokens)));
		free(code->slots);
		code->slots = must(calloc(2 * (size_t)code->capacity, sizeof(*code->slots)));
		for (uint32_t i = 0; i < code->count; i++)
			*slot_of(code, &code->tokens[i]) = i + 1;
	}
	code->tokens[code->count] = *token;
	code->tokens[code->count].word = sl_reel_word(token->kind, token->size, token->pc);
	*slot_of(code, token) = code->count + 1;
	code->pc = token->pc;
	return code->count++;
}

static uint32_t *
guess_of(struct sl_code *code, const struct thread *t)
{
	return &code->next[((t->last * 0x9e3779b1u) ^ (t->before * 0x85ebca77u)) >> (32 - NEXT_BITS)];
}

/* The two guesses of an address, the better one first. */
static void
guess_objects(const struct token *token, const struct thread *t, uint64_t guesses[2])
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is a number, there is a token */
	guesses[token->near] = token->last + token->stride;
	guesses[!token->near] = t->object + token->offset;
}

/* What the next guesses are made from. */
static void
learn(uint32_t number, struct token *token, struct thread *t, uint32_t *guess, uint64_t object, uint64_t value)
{
	bool far = object == token->last + token->stride, near = object == t->object + token->offset;

	if (far != near)
		token->near = near;
	if (!far && !token->sure)
		token->stride = object - token->last;
	token->sure = far;
	token->last = object;
	token->offset = object - t->object;
	token->value = value;
	t->object = object;
	if (number == (*guess & ~SURE) - 1)
		*guess |= SURE;
	else
		*guess = *guess & SURE ? *guess & ~SURE : number + 1;
	t->before = t->last;
	t->last = number;
	token->at = ++t->count;
}

/* ---- writing ---- */

static void
write_token(const struct sl_code *code, struct sl_bytes *to, const struct token *token)
{
	sl_bytes_byte(to, token->kind);
	sl_bytes_byte(to, token->size);
	sl_bytes_number(to, token->flags);
	sl_bytes_number(to, sl_zigzag(token->pc - code->pc));
}

bool
sl_code_write(struct sl_code *code, struct sl_bytes *to, const struct sl_item *item)
{
	struct thread *t = thread_get(code, item->thread);
	uint32_t *guess = guess_of(code, t), number = (*guess & ~SURE) - 1;
	struct token *token = number != NONE ? &code->tokens[number] : NULL;
	struct token wanted = {.pc = item->pc, .kind = item->kind, .size = item->size, .flags = item->flags};
	uint64_t guesses[2], base = 0;
	unsigned wrong = item->thread != code->thread ? THREAD : 0;
	bool new = false;

	if (!token || token->pc != item->pc || token->kind != item->kind || token->size != item->size ||
	    token->flags != item->flags) {
		wrong |= TOKEN;
		number = *slot_of(code, &wanted) - 1;
		new = number == NONE;
		token = new ? &wanted : &code->tokens[number];
	}
	guess_objects(token, t, guesses);
	if (item->object != guesses[0]) {
		if (item->object == guesses[1]) {
			wrong |= OTHER;
		} else {
			uint64_t far = sl_zigzag(item->object - token->last),
				 near = sl_zigzag(item->object - t->object);

			wrong |= near < far ? OBJECT | NEAR : OBJECT;
			base = near < far ? near : far;
		}
	}
	if (item->value != token->value)
		wrong |= VALUE;
	if (!wrong) {
		code->run++;
	} else {
		sl_bytes_number(to, code->run);
		code->run = 0;
		sl_bytes_byte(to, (uint8_t)wrong);
		if (wrong & THREAD)
			sl_bytes_number(to, item->thread);
		if (wrong & TOKEN)
			sl_bytes_number(to, new ? code->count : number);
		if (new)
			write_token(code, to, token);
		if (wrong & OBJECT)
			sl_bytes_number(to, base);
		if (wrong & VALUE)
			sl_bytes_number(to, sl_zigzag(item->value - token->value));
	}
	if (new) {
		number = token_add(code, token);
		token = &code->tokens[number];
	}
	code->thread = item->thread;
	learn(number, token, t, guess, item->object, item->value);
	return new;
}

/* ---- writing words ---- */

#define FULL (1u << 16) /* bytes after which the block is looked at */
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Of which nothing has to be defined but the object, and that only if it is another one than the last. */
static bool
is_simple(uint8_t kind)
{
	return (kind >= SL_READ && kind <= SL_ATOMIC_UPDATE) || (kind >= SL_MUTEX_LOCK && kind <= SL_SEM_VALUE) ||
	       (kind >= SL_ITEM_CALL && kind < SL_ITEM_KIND_END);
}

/* As sl_code_write(): only the address was predicted wrong, or what it is, but that is known. */
static void
write_wrong(struct sl_code *code, struct sl_bytes *to, const struct thread *t, const struct token *token,
	    uint32_t number, uint64_t object, unsigned wrong)
{
	uint64_t guesses[2], far, near;

	guess_objects(token, t, guesses);
	far = sl_zigzag(object - token->last);
	near = sl_zigzag(object - t->object);
	if (object != guesses[0])
		wrong |= object == guesses[1] ? OTHER : near < far ? OBJECT | NEAR : OBJECT;
	sl_bytes_number(to, code->run);
	code->run = 0;
	sl_bytes_byte(to, (uint8_t)wrong);
	if (wrong & TOKEN)
		sl_bytes_number(to, number);
	if (wrong & OBJECT)
		sl_bytes_number(to, near < far ? near : far);
}

/*
 * One item if it mentions nothing that is new: returns how many words it has, else 0. The number of its token is negative if
 * it did not come as predicted.
 */
static inline __attribute__((always_inline)) unsigned
write_simple(struct sl_code *code, struct sl_bytes *to, struct thread *t, const uint64_t *words,
	     sl_code_is_named *is_named, void *data, int64_t *number_of)
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
		number = *slot_of(code, &wanted) - 1;
		if (number == NONE)
			return 0;
		token = &code->tokens[number];
	}
	size += sl_reel_has_value(kind, token->flags);
	if (token->value != (size == 3 ? words[2] : 0))
		return 0;
	if (object != token->last && (kind >= SL_ITEM_CALL ? kind != SL_ITEM_REQUEST : kind == SL_COND_WAIT))
		return 0;
	if (object != token->last &&
	    !is_named(data, object, object, 0, kind <= SL_ATOMIC_UPDATE ? (uint8_t)(word >> 8) : 0))
		return 0;
	*number_of = number;
	if (wrong || object != (token->near ? t->object + token->offset : token->last + token->stride)) {
		write_wrong(code, to, t, token, number, object, wrong);
		*number_of = -1;
	} else {
		code->run++;
	}
	learn(number, token, t, guess, object, token->value);
	return size;
}

uint64_t
sl_code_write_words(struct sl_code *code, struct sl_bytes *to, uint32_t thread, const uint64_t *words,
		    uint64_t count, uint64_t limit, uint64_t most, sl_code_is_named *is_named, void *data,
		    uint64_t *items)
{
	struct thread *t = thread_get(code, thread);
	uint64_t at = 0, done = 0, full = to->count + FULL;
	int64_t number;

	if (code->thread != thread)
		return 0;
	while (at < count && done < most && to->count < full) {
		unsigned size;

		if ((uint8_t)words[at] == SL_REEL_PAD ||
		    ((uint8_t)words[at] == SL_REEL_TICKET && words[at] >> 8 <= limit)) {
			at++;
			continue;
		}
		size = write_simple(code, to, t, words + at, is_named, data, &number);
		if (!size)
			break;
		at += size;
		done++;
	}
	*items += done;
	return at;
}

/* ---- writing loops ---- */

/* Of a loop, where it has come to; `numbers` are the tokens of its slots, as they were passed last. */
struct walk {
	const struct sl_reel_loop *loop;
	uint32_t period, slot;
	uint64_t round;
	uint32_t numbers[SL_REEL_PERIOD_MAX];
};

static uint32_t
after(const struct walk *walk, uint32_t slot)
{
	return slot + 1 == walk->period ? 0 : slot + 1;
}

/*
 * The last round came as predicted: all the others will, too, if each token is passed once in a round, and its address goes on
 * by the step that it is predicted by. False as well if something in so many rounds needs a name.
 */
static bool
goes_on(const struct sl_code *code, const struct thread *t, const struct walk *walk, uint64_t rounds,
	sl_code_is_named *is_named, void *data)
{
	const struct sl_reel_slot *before = &walk->loop->slots[walk->slot ? walk->slot - 1 : walk->period - 1];
	uint32_t at = walk->slot;

	for (uint32_t i = 0; i < walk->period; i++, at = after(walk, at)) {
		const struct sl_reel_slot *slot = &walk->loop->slots[at];
		const struct token *token = &code->tokens[walk->numbers[at]];
		uint64_t step = slot->step, end = token->last + step * rounds;

		if (token->at != t->count - walk->period + 1 + i || token->stride != step ||
		    (token->near && step != before->step) || end >> 48 /* words have no more */)
			return false;
		if (step && (token->kind >= SL_ITEM_CALL ||
			     !is_named(data, token->last < end ? token->last : end,
				       token->last < end ? end : token->last, step, token->size)))
			return false;
		before = slot;
	}
	return true;
}

/* As if they had been learned from, one after the other. */
static void
skip(struct sl_code *code, struct thread *t, const struct walk *walk, uint64_t rounds)
{
	const struct token *last = &code->tokens[walk->numbers[walk->slot ? walk->slot - 1 : walk->period - 1]];
	uint32_t at = walk->slot;

	t->object = last->last + last->stride * (rounds - 1);
	for (uint32_t i = 0; i < walk->period; i++, at = after(walk, at)) {
		struct token *token = &code->tokens[walk->numbers[at]];

		token->last += token->stride * rounds;
		token->at += rounds * walk->period;
		token->sure = 1;
		token->offset = token->last - t->object;
		t->object = token->last;
	}
	t->count += rounds * walk->period;
	code->run += rounds * walk->period;
}

uint64_t
sl_code_write_loop(struct sl_code *code, struct sl_bytes *to, uint32_t thread, const struct sl_reel_loop *loop,
		   uint64_t first, uint64_t count, sl_code_is_named *is_named, void *data)
{
	struct thread *t = thread_get(code, thread);
	uint64_t left = count, right = 0, full = to->count + FULL;
	struct walk walk = {.loop = loop, .period = (uint32_t)loop->period};
	uint64_t
		next; /* so many have to be right before the rest is skipped: what was predicted from is in the loop as well */

	if (code->thread != thread)
		return 0;
	walk.slot = (uint32_t)(first % walk.period);
	walk.round = first / walk.period;
	next = walk.period + 2;
	while (left && to->count < full) {
		const struct sl_reel_slot *slot = &loop->slots[walk.slot];
		uint64_t words[3] = {slot->word,
				     sl_reel_object_word(slot->flags, slot->object + slot->step * walk.round), 0};
		int64_t number;

		if (!write_simple(code, to, t, words, is_named, data, &number))
			break;
		if (number < 0) {
			right = 0;
			next = walk.period + 2;
		} else {
			right++;
		}
		walk.numbers[walk.slot] = (uint32_t)number;
		walk.slot = after(&walk, walk.slot);
		walk.round += !walk.slot;
		left--;
		if (right < next || left < walk.period)
			continue;
		next = right + walk.period;
		if (goes_on(code, t, &walk, left / walk.period, is_named, data)) {
			uint64_t rounds = left / walk.period;

			skip(code, t, &walk, rounds);
			walk.round += rounds;
			left -= rounds * walk.period;
		}
	}
	return count - left;
}

void
sl_code_write_end(struct sl_code *code, struct sl_bytes *to)
{
	sl_bytes_number(to, code->run);
	code->run = 0;
}

/* ---- reading ---- */

static bool
read_token(struct sl_code *code, struct sl_cursor *from, uint32_t *number)
{
	uint64_t n = sl_cursor_number(from);
	struct token token = {0};

	if (n > code->count)
		return false;
	*number = (uint32_t)n;
	if (n < code->count)
		return true;
	token.kind = sl_cursor_byte(from);
	token.size = sl_cursor_byte(from);
	token.flags = (uint16_t)sl_cursor_number(from);
	token.pc = code->pc + sl_unzigzag(sl_cursor_number(from));
	if (from->short_ || *slot_of(code, &token))
		return false;
	token_add(code, &token);
	return true;
}

bool
sl_code_read(struct sl_code *code, struct sl_cursor *from, struct sl_item *item)
{
	unsigned wrong = 0;
	uint64_t guesses[2] = {0}, object, value, id;
	uint32_t *guess, number;
	struct token *token;
	struct thread *t;

	if (!code->pending) {
		code->run = sl_cursor_number(from);
		code->pending = true;
	}
	if (code->run) {
		code->run--;
	} else {
		wrong = sl_cursor_byte(from);
		code->pending = false;
	}
	if (wrong & THREAD) {
		id = sl_cursor_number(from);
		if (id >= SL_TAPE_THREADS_MAX)
			return false;
		code->thread = (uint32_t)id;
	}
	t = thread_get(code, code->thread);
	guess = guess_of(code, t);
	number = (*guess & ~SURE) - 1;
	if ((wrong & TOKEN) && !read_token(code, from, &number))
		return false;
	if (!code->tokens || number >= code->count)
		return false;
	token = &code->tokens[number];
	guess_objects(token, t, guesses);
	object = guesses[wrong & OTHER ? 1 : 0];
	if (wrong & OBJECT)
		object = (wrong & NEAR ? t->object : token->last) + sl_unzigzag(sl_cursor_number(from));
	value = token->value;
	if (wrong & VALUE)
		value += sl_unzigzag(sl_cursor_number(from));
	if (from->short_)
		return false;
	*item = (struct sl_item){
		.kind = token->kind,
		.size = token->size,
		.flags = token->flags,
		.thread = code->thread,
		.object = object,
		.pc = token->pc,
		.value = value,
	};
	learn(number, token, t, guess, object, value);
	return true;
}
