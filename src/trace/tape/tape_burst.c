/*
 * Bursts: for items whose order can't be predicted. To look up a prediction that turns out wrong takes longer than
 * to write the item down. So a burst holds items of one thread, each complete in itself: first a head for every
 * item (the number of its token, and how many bytes its address needs), then the bytes: the difference from the
 * guessed address, in 48 bits. Nothing is learnt about the order of the items. The code hardly branches on them.
 */
#include "trace/tape/tape_token.h"

#include "trace/tape/tape_format.h"

#define BURST_MIN 16u /* shorter bursts do not pay */
#define PROBE 64u /* items that are predicted before … */
#define WRONG_MAX 8u /* … so many wrong ones among them lead to a burst … */
#define LEFT_MIN 2048u /* … of this length, doubled … */
#define LEFT_MAX 16384u /* … each time up to this one */
#define PATIENCE_MAX 10u /* how often the pause after short bursts is doubled */
#define LENGTH_BITS 3
#define OBJECT_MASK ((1ull << 48) - 1) /* addresses in a lane have 48 bits */
#define NARROW_MAX 32u /* up to so many tokens a head is one byte … */
#define TOKENS_MAX 8192u /* … and up to so many two */
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* As sl_zigzag(), for numbers of 48 bits. */
static inline uint64_t
zigzag48(uint64_t difference)
{
	int64_t high = (int64_t)(difference << 16);

	return (uint64_t)(high >> 15) ^ -(uint64_t)(high < 0);
}

/* ---- writing ---- */

/* Returns whether items of the kind can be in a burst if they have no value. */
static inline bool
is_plain(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_ACCESS) || kind == SL_ITEM_CALL || kind == SL_ITEM_RETURN ||
	       kind == SL_ITEM_BRANCH;
}

void
sl_code_probe(struct sl_coded_thread *t)
{
	if (t->wrong > WRONG_MAX << t->patience) {
		t->burst = t->burst ? 2 * t->burst : LEFT_MIN;
		t->burst = t->burst > LEFT_MAX ? LEFT_MAX : t->burst;
		t->left = t->burst;
	} else {
		t->burst = 0;
	}
	t->probe = PROBE << t->patience;
	t->wrong = 0;
}

/* Other items keep coming in between: the next attempt follows after more and more items. */
static void
give_up(struct sl_coded_thread *t)
{
	t->patience += t->patience < PATIENCE_MAX;
	t->probe = PROBE << t->patience;
	t->wrong = 0;
	t->left = 0;
}

static inline struct token **
known_of(struct sl_tape_code *code, uint64_t word)
{
	return &code->known[word * 0x9e3779b97f4a7c15u >> (64 - KNOWN_BITS)];
}

void
sl_code_forget_known(struct sl_tape_code *code)
{
	code->none.word = UINT64_MAX; /* the word of no item */
	for (uint32_t i = 0; i < 1u << KNOWN_BITS; i++)
		code->known[i] = &code->none;
}

/* NULL: the item is new, or can't be in a burst. */
static __attribute__((noinline)) struct token *
find(struct sl_tape_code *code, uint64_t word, uint64_t rest)
{
	struct token wanted = {.pc = word >> 16,
			       .kind = (uint8_t)word,
			       .size = (uint8_t)(word >> 8),
			       .flags = (uint16_t)rest};
	uint32_t number;

	if (!is_plain(wanted.kind) || sl_reel_has_value(wanted.kind, wanted.flags))
		return NULL;
	number = *sl_code_slot(code, &wanted);
	return number ? *known_of(code, word) = &code->tokens[number - 1] : NULL;
}

/* Without a branch: the choice depends on the items, so a branch would be predicted wrongly every other time. */
static inline __attribute__((always_inline)) uint64_t
choose(bool which, uint64_t yes, uint64_t no)
{
	return no ^ ((yes ^ no) & -(uint64_t)which);
}

/*
 * Simpler than learn_object(): the last stride is taken as the next, and the better guess is a majority of three.
 */
static inline __attribute__((always_inline)) void
learn_in_burst(struct token *token, uint64_t before, uint64_t object, uint64_t far, uint64_t near)
{
	token->near = (uint8_t)(token->near + (object == near) + (object != far)) / 2;
	token->stride = object - token->last;
	token->last = object;
	token->offset = object - before;
}

/*
 * The number of bytes, 0 to 6, that a number below 2^48 needs: by the exponent of 2 * number + 1, which is exact
 * and never 0.
 */
static inline __attribute__((always_inline)) unsigned
length_of(uint64_t number)
{
	double exact = (double)(int64_t)(2 * number + 1);
	uint64_t bits;

	memcpy(&bits, &exact, sizeof(bits));
	return (unsigned)(bits >> 55) - 127;
}

/* Takes items that are known and have names. Returns their number; *words then points behind them. */
static uint32_t
take(struct sl_tape_code *code, struct sl_coded_thread *t, const uint64_t **words, const uint64_t *end,
     uint64_t limit, uint32_t most, sl_code_is_named *is_named, void *data)
{
	const uint64_t bare_low = code->bare_low, bare_size = code->bare_size, *at = *words;
	uint64_t before = t->object;
	uint32_t n = 0;

	while (n < most && at < end) {
		uint64_t word = at[0], rest = 0, object, far, near;
		struct token *token = *known_of(code, word);
		unsigned size = 1;

		if (likely((uint8_t)(word - SL_ITEM_RETURN) > SL_ITEM_BRANCH - SL_ITEM_RETURN)) {
			rest = at[1];
			size = 2;
		}
		object = rest >> 16;
		if (unlikely(token->word != word || token->flags != (uint16_t)rest)) {
			if ((uint8_t)word == SL_REEL_PAD ||
			    ((uint8_t)word == SL_REEL_TICKET && word >> 8 <= limit)) {
				at++;
				continue;
			}
			token = find(code, word, rest);
			if (!token)
				break;
		}
		if (unlikely(object - bare_low >= bare_size || (uint8_t)word >= SL_ITEM_CALL) &&
		    object != token->last &&
		    ((uint8_t)word >= SL_ITEM_CALL || !is_named(data, object, object, 0, token->size)))
			break;
		far = token->last + token->stride;
		near = before + token->offset;
		code->burst.differences[n] = zigzag48(object - choose(token->near, near, far));
		code->burst.tokens[n++] = (uint16_t)(token - code->tokens);
		learn_in_burst(token, before, object, far, near);
		before = object;
		at += size;
	}
	t->object = before;
	*words = at;
	return n;
}

/*
 * A pass of its own: the position of an item's bytes depends on all items before it, so in one pass the processor
 * could not read a token before it knew that these bytes are not written there.
 */
static void
put(struct sl_tape_code *code, struct sl_bytes *to, uint32_t count)
{
	bool wide = code->count > NARROW_MAX;
	uint16_t *heads = code->burst.tokens;
	uint8_t *start, *at;

	sl_bytes_number(to, code->run);
	code->run = 0;
	sl_bytes_byte(to, BURST);
	sl_bytes_number(to, count);
	start = sl_bytes_reserve(to, (2 + sizeof(uint64_t)) * ((size_t)count + 1));
	at = start + (wide ? 2 : 1) * (size_t)count;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t difference = code->burst.differences[i];
		unsigned length = length_of(difference);

		memcpy(at, &difference, sizeof(difference)); /* the least significant byte first */
		at += length;
		heads[i] = (uint16_t)(heads[i] << LENGTH_BITS | length);
	}
	if (wide)
		memcpy(start, heads, 2 * (size_t)count);
	for (uint32_t i = 0; !wide && i < count; i++)
		start[i] = (uint8_t)heads[i];
	to->count = (size_t)(at - to->at);
}

uint64_t
sl_code_write_burst(struct sl_tape_code *code, struct sl_bytes *to, struct sl_coded_thread *t,
		    const uint64_t *words, uint64_t count, uint64_t limit, uint64_t most,
		    sl_code_is_named *is_named, void *data, uint64_t *items)
{
	const uint64_t *at = words;
	uint32_t n;

	if (code->count > TOKENS_MAX) {
		give_up(t);
		return 0;
	}
	if (most > BURST_MAX)
		most = BURST_MAX;
	if (most > t->left)
		most = t->left;
	n = take(code, t, &at, words + count, limit, (uint32_t)most, is_named, data);
	if (n)
		put(code, to, n);
	t->left -= n;
	if (n >= BURST_MIN)
		t->patience = 0;
	else if (n < most && at < words + count)
		give_up(t);
	*items += n;
	code->bursts += n > 0;
	return (uint64_t)(at - words);
}

/* ---- reading ---- */

bool
sl_code_read_burst(struct sl_tape_code *code, struct sl_cursor *from)
{
	uint64_t count = sl_cursor_number(from);

	code->reading.wide = code->count > NARROW_MAX;
	if (!count || count > BURST_MAX || (code->reading.wide ? 2 : 1) * count > (uint64_t)(from->end - from->at))
		return false;
	code->reading.heads = from->at;
	code->reading.at = 0;
	code->reading.count = (uint32_t)count;
	from->at += (code->reading.wide ? 2 : 1) * count;
	return true;
}

bool
sl_code_read_on(struct sl_tape_code *code, struct sl_cursor *from, struct sl_item *item)
{
	struct sl_coded_thread *t = sl_code_thread(code, code->thread);
	uint32_t at = code->reading.at++, head = code->reading.heads[at], length;
	uint64_t far, near, object, difference = 0;
	struct token *token;

	if (code->reading.wide)
		head = code->reading.heads[2 * at] | (uint32_t)code->reading.heads[2 * at + 1] << 8;
	length = head & ((1u << LENGTH_BITS) - 1);
	if (head >> LENGTH_BITS >= code->count || length > (size_t)(from->end - from->at))
		return false;
	token = &code->tokens[head >> LENGTH_BITS];
	if (token->kind == SL_TAPE_LOOP || token->kind == SL_TAPE_PART)
		return false;
	memcpy(&difference, from->at, length);
	from->at += length;
	far = token->last + token->stride;
	near = t->object + token->offset;
	object = ((token->near ? near : far) + sl_unzigzag(difference)) & OBJECT_MASK;
	learn_in_burst(token, t->object, object, far, near);
	t->object = object;
	*item = (struct sl_item){
		.kind = token->kind,
		.size = token->size,
		.flags = token->flags,
		.thread = code->thread,
		.object = object,
		.pc = token->pc,
	};
	return true;
}
