#include "trace/tape_code.h"

#include "base/rng.h"

#define NEXT_BITS 16
#define NONE UINT32_MAX

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
	uint64_t last;   /* address */
	uint64_t stride; /* from the one before */
	uint64_t offset; /* from what the thread touched before */
	uint64_t value;
};

struct thread {
	uint32_t epoch; /* of the block in which the rest counts */
	uint32_t last, before;
	uint64_t object;
};

struct sl_code {
	struct token *tokens;
	uint32_t count, capacity;
	uint32_t *slots;                /* by hash: number of a token + 1; twice as many as there is room for */
	uint32_t next[1u << NEXT_BITS]; /* by the last two tokens of a thread: number + 1 */
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
	token->stride = object - token->last;
	token->last = object;
	token->offset = object - t->object;
	token->value = value;
	t->object = object;
	*guess = number + 1;
	t->before = t->last;
	t->last = number;
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
	uint32_t *guess = guess_of(code, t), number = *guess - 1;
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
	uint64_t guesses[2], object, value, id;
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
	number = *guess - 1;
	if ((wrong & TOKEN) && !read_token(code, from, &number))
		return false;
	if (number >= code->count)
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
