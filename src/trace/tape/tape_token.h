/*
 * Predictions: what is predicted, and from what. For tape_code.c, which writes and reads items one by one,
 * tape_loop.c, which writes many at once, and tape_burst.c, which writes what can't be predicted.
 */
#ifndef SL_TRACE_TAPE_TAPE_TOKEN_H
#define SL_TRACE_TAPE_TAPE_TOKEN_H

#include "trace/tape/tape_code.h"

#define NEXT_BITS 16
#define KNOWN_BITS 10
#define BURST_MAX 1024u /* items */
#define NONE UINT32_MAX
#define SURE (1u << 31) /* in `next`: the prediction was right; it then takes two wrong ones to change it */

/* The parts of a wrongly predicted item that are written; a byte before them has these flags. */
enum {
	THREAD = 1,  /* which thread */
	TOKEN = 2, /* the number of the token; a new token follows */
	OTHER = 4, /* the address was the second guess; no bytes follow */
	OBJECT = 8, /* the distance of the address from the last one of the same token … */
	NEAR = 16, /* … or, if that is shorter, from the thread's last one */
	VALUE = 32, /* the distance of the value from the token's last one */
	GAPS = 64, /* of a loop: the distances of its other items from the first */
	BURST = 128, /* alone: a number of unpredicted items follows, see tape_burst.c */
};

/* A token: all that is the same each time a place is passed, and the last values of what is not. */
struct token {
	uint64_t pc;
	uint8_t kind, size;
	uint16_t flags;
	uint8_t near; /* the thread's last address gives the better guess */
	uint8_t sure; /* the last guess by the stride was right; it then takes two wrong ones to change it */
	uint64_t last; /* the last address */
	uint64_t stride; /* its distance from the address before */
	uint64_t offset; /* its distance from what the thread touched before */
	uint64_t value;
	uint64_t word; /* kind, size and pc as in a lane */
	uint64_t at; /* only for the writer: the number of its last item, in its thread */
};

struct sl_coded_thread {
	uint32_t epoch; /* the block to which the fields below belong */
	uint32_t last, before;
	uint64_t object;
	/* for the writer: */
	uint64_t count;    /* items so far */
	uint32_t probe; /* items until the predictions are judged */
	uint32_t wrong; /* wrong predictions since then */
	uint32_t burst; /* the length of the last bursts */
	uint32_t left; /* items left to be written in bursts */
	uint32_t patience; /* short bursts in a row */
};

/*
 * A loop is one item of the kind SL_TAPE_LOOP: its address is that of its first item, its value the number of its
 * items. Its shape (the items, and the steps of their addresses) is part of its token.
 */
struct shape {
	uint32_t period;
	uint32_t next; /* the next shape with the same hash: number + 1 */
	struct {
		uint32_t token;
		uint64_t step; /* added to the address in each round */
		uint64_t gap; /* its distance from the first item, the last time … */
		uint64_t change; /* … and how much that had changed */
	} slots[SL_REEL_PERIOD_MAX];
};
#define SHAPE_HEADS 256u

struct sl_tape_code {
	struct token *tokens;
	uint32_t count, capacity;
	uint32_t *slots; /* by hash: number of a token + 1; twice as many as tokens */
	uint32_t next[1u << NEXT_BITS]; /* by a thread's last two tokens: number + 1, SURE */
	struct sl_coded_thread *threads;
	uint32_t thread_count;
	uint32_t epoch;
	uint32_t thread; /* the thread of the last item */
	uint64_t run; /* items that came as predicted, and are not written, or not read, yet */
	uint64_t pc;                  /* of the newest token */
	bool pending; /* reader: an unpredicted item follows the run */
	uint64_t bare_low, bare_size; /* writer: addresses without names */
	/* of loops: a token's `pc` is the number of its shape */
	struct shape *shapes;
	uint32_t shape_count, shape_capacity;
	uint32_t shapes_by_hash[SHAPE_HEADS]; /* number + 1 */
	struct {
		uint32_t shape;
		uint64_t at, count; /* items read so far, and in all */
		uint64_t starts[SL_REEL_PERIOD_MAX];
	} loop; /* reader: the running loop */
	/* Bursts. */
	struct token *known[1u << KNOWN_BITS]; /* by the first word of an item that may be in a burst */
	struct token none; /* … or this one */
	struct {
		uint16_t tokens[BURST_MAX];      /* their numbers */
		uint64_t differences[BURST_MAX]; /* from the guessed addresses */
	} burst; /* writer: the items of the next burst */
	struct {
		const uint8_t *heads;
		uint32_t at, count; /* items read so far, and in all */
		bool wide;
	} reading; /* reader: the running burst */
	uint64_t bursts; /* the number of bursts that were written */
};

static inline uint32_t *
guess_of(struct sl_tape_code *code, const struct sl_coded_thread *t)
{
	return &code->next[((t->last * 0x9e3779b1u) ^ (t->before * 0x85ebca77u)) >> (32 - NEXT_BITS)];
}

/* Stores two guesses of an address, the better one first. */
static inline void
guess_objects(const struct token *token, const struct sl_coded_thread *t, uint64_t guesses[2])
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is a number, there is a token */
	guesses[token->near] = token->last + token->stride;
	guesses[!token->near] = t->object + token->offset;
}

/* Notes the address for the next guesses. */
static inline void
learn_object(struct token *token, struct sl_coded_thread *t, uint64_t object)
{
	bool far = object == token->last + token->stride, near = object == t->object + token->offset;

	token->near = far != near ? near : token->near;
	token->stride = far | token->sure ? token->stride : object - token->last;
	token->sure = far;
	token->last = object;
	token->offset = object - t->object;
	t->object = object;
}

/* Notes the item for the next predictions. */
static inline void
learn(uint32_t number, struct token *token, struct sl_coded_thread *t, uint32_t *guess, uint64_t object,
      uint64_t value)
{
	learn_object(token, t, object);
	token->value = value;
	if (number == (*guess & ~SURE) - 1)
		*guess |= SURE;
	else
		*guess = *guess & SURE ? *guess & ~SURE : number + 1;
	t->before = t->last;
	t->last = number;
	token->at = ++t->count;
}

/* ---- tape_code.c ---- */

struct sl_coded_thread *sl_code_thread(struct sl_tape_code *code, uint32_t id);
/* Returns where the token's number + 1 is stored; 0 there: the token is new. */
uint32_t *sl_code_slot(const struct sl_tape_code *code, const struct token *token);
uint32_t sl_code_shape_add(struct sl_tape_code *code, const struct shape *shape); /* returns its number */
/* starts: the addresses of a loop's items, whose shape has the item's pc as its number; otherwise NULL. */
bool sl_code_write_item(struct sl_tape_code *code, struct sl_bytes *to, const struct sl_item *item,
			const uint64_t *starts);

/* ---- tape_burst.c ---- */

void sl_code_forget_known(struct sl_tape_code *code);
/* To be called after a predicted item when `probe` has reached 0: decides whether a burst follows. */
void sl_code_probe(struct sl_coded_thread *t);
/* As sl_code_write_words(), for items that mention nothing new and have no value. */
uint64_t sl_code_write_burst(struct sl_tape_code *code, struct sl_bytes *to, struct sl_coded_thread *t,
			     const uint64_t *words, uint64_t count, uint64_t limit, uint64_t most,
			     sl_code_is_named *is_named, void *data, uint64_t *items);
bool sl_code_read_burst(struct sl_tape_code *code, struct sl_cursor *from); /* reads the head of a burst; false: it is none */
bool sl_code_read_on(struct sl_tape_code *code, struct sl_cursor *from, struct sl_item *item); /* reads its next item */

#endif
