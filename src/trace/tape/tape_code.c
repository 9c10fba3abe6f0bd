#include "trace/tape/tape_token.h"

#include "base/rng.h"
#include "trace/tape/tape_format.h"

struct sl_tape_code *
sl_code_new(void)
{
	struct sl_tape_code *code = sl_must(calloc(1, sizeof(*code)));

	code->capacity = 1024;
	code->tokens = sl_must(malloc(code->capacity * sizeof(*code->tokens)));
	code->slots = sl_must(calloc(2 * (size_t)code->capacity, sizeof(*code->slots)));
	return code;
}

void
sl_code_free(struct sl_tape_code *code)
{
	if (!code)
		return;
	free(code->tokens);
	free(code->slots);
	free(code->threads);
	free(code->shapes);
	free(code);
}

void
sl_code_reset(struct sl_tape_code *code)
{
	memset(code->slots, 0, 2 * (size_t)code->capacity * sizeof(*code->slots));
	memset(code->next, 0, sizeof(code->next));
	code->count = 0;
	code->epoch++;
	code->thread = 0;
	code->run = 0;
	code->pc = 0;
	code->pending = false;
	code->shape_count = 0;
	memset(code->shapes_by_hash, 0, sizeof(code->shapes_by_hash));
	code->loop.at = code->loop.count = 0;
	sl_code_forget_known(code);
	code->reading.at = code->reading.count = 0;
}

struct sl_coded_thread *
sl_code_thread(struct sl_tape_code *code, uint32_t id)
{
	struct sl_coded_thread *t;

	if (id >= code->thread_count) {
		uint32_t count = id + 1 + id / 2;

		code->threads = sl_must(realloc(code->threads, count * sizeof(*code->threads)));
		memset(code->threads + code->thread_count, 0,
		       (count - code->thread_count) * sizeof(*code->threads));
		code->thread_count = count;
	}
	t = &code->threads[id];
	if (t->epoch != code->epoch)
		*t = (struct sl_coded_thread){.epoch = code->epoch, .last = NONE, .before = NONE};
	return t;
}

uint32_t *
sl_code_slot(const struct sl_tape_code *code, const struct token *token)
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
token_add(struct sl_tape_code *code, const struct token *token)
{
	if (code->count == code->capacity) {
		code->capacity *= 2;
		code->tokens = sl_must(realloc(code->tokens, code->capacity * sizeof(*code->tokens)));
		sl_code_forget_known(code); /* the table has moved */
		free(code->slots);
		code->slots = sl_must(calloc(2 * (size_t)code->capacity, sizeof(*code->slots)));
		for (uint32_t i = 0; i < code->count; i++)
			*sl_code_slot(code, &code->tokens[i]) = i + 1;
	}
	code->tokens[code->count] = *token;
	code->tokens[code->count].word = sl_reel_word(token->kind, token->size, token->pc);
	*sl_code_slot(code, token) = code->count + 1;
	if (token->kind != SL_TAPE_LOOP)
		code->pc = token->pc;
	return code->count++;
}

/* ---- shapes ---- */

uint32_t
sl_code_shape_add(struct sl_tape_code *code, const struct shape *shape)
{
	if (code->shape_count == code->shape_capacity) {
		code->shape_capacity = code->shape_capacity ? 2 * code->shape_capacity : 64;
		code->shapes = sl_must(realloc(code->shapes, code->shape_capacity * sizeof(*code->shapes)));
	}
	code->shapes[code->shape_count] = *shape;
	return code->shape_count++;
}

/* ---- writing ---- */

static void
write_token(const struct sl_tape_code *code, struct sl_bytes *to, const struct token *token)
{
	sl_bytes_byte(to, token->kind);
	if (token->kind == SL_TAPE_LOOP) {
		const struct shape *shape = &code->shapes[token->pc];

		sl_bytes_number(to, shape->period);
		for (uint32_t i = 0; i < shape->period; i++) {
			sl_bytes_number(to, shape->slots[i].token);
			sl_bytes_number(to, sl_zigzag(shape->slots[i].step));
		}
		return;
	}
	sl_bytes_byte(to, token->size);
	sl_bytes_number(to, token->flags);
	sl_bytes_number(to, sl_zigzag(token->pc - code->pc));
}

static uint64_t
gap_guess(const struct shape *shape, uint32_t slot)
{
	return shape->slots[slot].gap + shape->slots[slot].change;
}

static bool
are_gaps_guessed(const struct shape *shape, const uint64_t *starts)
{
	for (uint32_t i = 1; i < shape->period; i++)
		if (starts[i] - starts[0] != gap_guess(shape, i))
			return false;
	return true;
}

static void
learn_gaps(struct shape *shape, const uint64_t *starts)
{
	for (uint32_t i = 1; i < shape->period; i++) {
		uint64_t gap = starts[i] - starts[0];

		shape->slots[i].change = gap - shape->slots[i].gap;
		shape->slots[i].gap = gap;
	}
}

bool
sl_code_write_item(struct sl_tape_code *code, struct sl_bytes *to, const struct sl_item *item, const uint64_t *starts)
{
	struct sl_coded_thread *t = sl_code_thread(code, item->thread);
	uint32_t *guess = guess_of(code, t), number = (*guess & ~SURE) - 1;
	struct token *token = number != NONE ? &code->tokens[number] : NULL;
	struct token wanted = {.pc = item->pc, .kind = item->kind, .size = item->size, .flags = item->flags};
	struct shape *shape = starts ? &code->shapes[item->pc] : NULL;
	uint64_t guesses[2], base = 0;
	unsigned wrong = item->thread != code->thread ? THREAD : 0;
	bool new = false;

	if (!token || token->pc != item->pc || token->kind != item->kind || token->size != item->size ||
	    token->flags != item->flags) {
		wrong |= TOKEN;
		number = *sl_code_slot(code, &wanted) - 1;
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
	if (starts && !are_gaps_guessed(shape, starts))
		wrong |= GAPS;
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
		for (uint32_t i = 1; wrong & GAPS && i < shape->period; i++)
			sl_bytes_number(to, sl_zigzag(starts[i] - starts[0] - gap_guess(shape, i)));
	}
	if (new) {
		number = token_add(code, token);
		token = &code->tokens[number];
	}
	if (starts)
		learn_gaps(shape, starts);
	code->thread = item->thread;
	learn(number, token, t, guess, item->object, item->value);
	return new;
}

bool
sl_code_write(struct sl_tape_code *code, struct sl_bytes *to, const struct sl_item *item)
{
	return sl_code_write_item(code, to, item, NULL);
}

void
sl_code_write_end(struct sl_tape_code *code, struct sl_bytes *to)
{
	sl_bytes_number(to, code->run);
	code->run = 0;
}

/* ---- reading ---- */

/* Returns false unless the loop's items have known kinds and are no loops themselves. */
static bool
read_shape(struct sl_tape_code *code, struct sl_cursor *from)
{
	struct shape shape = {.period = (uint32_t)sl_cursor_number(from)};

	if (!shape.period || shape.period > SL_REEL_PERIOD_MAX)
		return false;
	for (uint32_t i = 0; i < shape.period; i++) {
		uint64_t token = sl_cursor_number(from);

		if (token >= code->count || code->tokens[token].kind == SL_TAPE_LOOP ||
		    code->tokens[token].kind == SL_TAPE_PART)
			return false;
		shape.slots[i].token = (uint32_t)token;
		shape.slots[i].step = sl_unzigzag(sl_cursor_number(from));
	}
	sl_code_shape_add(code, &shape);
	return true;
}

static bool
read_token(struct sl_tape_code *code, struct sl_cursor *from, uint32_t *number)
{
	uint64_t n = sl_cursor_number(from);
	struct token token = {0};

	if (n > code->count)
		return false;
	*number = (uint32_t)n;
	if (n < code->count)
		return true;
	token.kind = sl_cursor_byte(from);
	if (token.kind == SL_TAPE_LOOP) {
		token.pc = code->shape_count;
		if (!read_shape(code, from))
			return false;
	} else {
		token.size = sl_cursor_byte(from);
		token.flags = (uint16_t)sl_cursor_number(from);
		token.pc = code->pc + sl_unzigzag(sl_cursor_number(from));
	}
	if (from->short_ || *sl_code_slot(code, &token))
		return false;
	token_add(code, &token);
	return true;
}

/* Reads the next item of the running loop. */
static void
read_on(struct sl_tape_code *code, struct sl_item *item)
{
	const struct shape *shape = &code->shapes[code->loop.shape];
	uint64_t slot = code->loop.at % shape->period, round = code->loop.at / shape->period;
	const struct token *token = &code->tokens[shape->slots[slot].token];

	code->loop.at++;
	*item = (struct sl_item){
		.kind = token->kind,
		.size = token->size,
		.flags = token->flags,
		.thread = code->thread,
		.object = (code->loop.starts[slot] + shape->slots[slot].step * round),
		.pc = token->pc,
	};
}

/* Begins a loop. */
static bool
read_loop(struct sl_tape_code *code, struct sl_cursor *from, uint64_t number, uint64_t object, uint64_t count,
	  bool gaps)
{
	struct shape *shape = &code->shapes[number];

	code->loop.starts[0] = object;
	for (uint32_t i = 1; i < shape->period; i++)
		code->loop.starts[i] =
			object + gap_guess(shape, i) + (gaps ? sl_unzigzag(sl_cursor_number(from)) : 0);
	learn_gaps(shape, code->loop.starts);
	code->loop.shape = (uint32_t)number;
	code->loop.at = 0;
	code->loop.count = count;
	return count;
}

bool
sl_code_read(struct sl_tape_code *code, struct sl_cursor *from, struct sl_item *item)
{
	unsigned wrong = 0;
	uint64_t guesses[2] = {0}, object, value, id;
	uint32_t *guess, number;
	struct token *token;
	struct sl_coded_thread *t;

	if (code->loop.at < code->loop.count) {
		read_on(code, item);
		return true;
	}
	if (code->reading.at < code->reading.count)
		return sl_code_read_on(code, from, item);
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
	if (wrong & BURST)
		return wrong == BURST && sl_code_read_burst(code, from) && sl_code_read_on(code, from, item);
	if (wrong & THREAD) {
		id = sl_cursor_number(from);
		if (id >= SL_TAPE_THREADS_MAX)
			return false;
		code->thread = (uint32_t)id;
	}
	t = sl_code_thread(code, code->thread);
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
	if (wrong & GAPS && token->kind != SL_TAPE_LOOP)
		return false;
	if (token->kind == SL_TAPE_LOOP && !read_loop(code, from, token->pc, object, value, wrong & GAPS))
		return false;
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
	if (token->kind == SL_TAPE_LOOP)
		read_on(code, item);
	return true;
}
