/*
 * What is predicted, and from what: for tape_code.c, which writes and reads items one by one, tape_loop.c, which writes
 * many at once, and tape_burst.c, for what can't be predicted.
 */
#ifndef SL_TRACE_TAPE_TAPE_TOKEN_H
#define SL_TRACE_TAPE_TAPE_TOKEN_H

#include "trace/tape/tape_code.h"

#define NEXT_BITS 16
#define KNOWN_BITS 10
#define BURST_MAX 1024u /* items */
#define NONE UINT32_MAX
#define SURE (1u << 31) /* in `next`: it was right; one that is not does not change it, two do */

/* What is written of an item that did not come as predicted; the byte before it says which of these are. */
enum {
	THREAD = 1,  /* which thread */
	TOKEN = 2,   /* which token: a number; if it is new, the token */
	OTHER = 4,   /* the address that was the second guess: nothing */
	OBJECT = 8,  /* how far the address is from the last of the same token … */
	NEAR = 16,   /* … or, shorter, from the last of the thread */
	VALUE = 32,  /* how far the value is from the last of the token */
	GAPS = 64,   /* of a loop: how far its other items begin from the first */
	BURST = 128, /* alone: so many items that were not predicted, a number; see tape_burst.c */
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

struct sl_coded_thread {
	uint32_t epoch; /* of the block in which the rest counts */
	uint32_t last, before;
	uint64_t object;
	/* for the writer */
	uint64_t count;    /* items so far */
	uint32_t probe;    /* items until it is seen whether predictions are of any use … */
	uint32_t wrong;    /* … and how many were not as predicted since the last time */
	uint32_t burst;    /* so many were to be written in bursts, the last time … */
	uint32_t left;     /* … and are still to be */
	uint32_t patience; /* bursts that were too short, one after the other */
};

/*
 * A loop is one item of the kind SL_TAPE_LOOP: its address is that of its first item, its value how many items it has.
 * What the items are and by which steps their addresses go on is its shape, which is part of a token that is new.
 */
struct shape {
	uint32_t period;
	uint32_t next; /* of those with the same hash: number + 1 */
	struct {
		uint32_t token;
		uint64_t step;   /* from round to round */
		uint64_t gap;    /* where it begins, from where the first does: the last time … */
		uint64_t change; /* … and against the time before */
	} slots[SL_REEL_PERIOD_MAX];
};
#define SHAPE_HEADS 256u

struct sl_tape_code {
	struct token *tokens;
	uint32_t count, capacity;
	uint32_t *slots;                /* by hash: number of a token + 1; twice as many as there is room for */
	uint32_t next[1u << NEXT_BITS]; /* by the last two tokens of a thread: number + 1, SURE */
	struct sl_coded_thread *threads;
	uint32_t thread_count;
	uint32_t epoch;
	uint32_t thread;              /* whose item was last */
	uint64_t run;                 /* items that came as predicted: not yet written, or not yet read */
	uint64_t pc;                  /* of the newest token */
	bool pending;                 /* reader: after the run there is one that did not */
	uint64_t bare_low, bare_size; /* writer: nothing has a name there */
	/* loops: a token's `pc` is the number of one of these */
	struct shape *shapes;
	uint32_t shape_count, shape_capacity;
	uint32_t shapes_by_hash[SHAPE_HEADS]; /* number + 1 */
	struct {
		uint32_t shape;
		uint64_t at, count; /* items: read so far, in all */
		uint64_t starts[SL_REEL_PERIOD_MAX];
	} loop; /* reader: that is under way */
	/* bursts */
	struct token *known[1u << KNOWN_BITS]; /* by the first word of an item, if that may be in one */
	struct token none;                     /* … or else this */
	struct {
		uint16_t tokens[BURST_MAX];      /* their numbers */
		uint64_t differences[BURST_MAX]; /* of addresses, from what was guessed */
	} burst;                                 /* writer: what is to be written of one */
	struct {
		const uint8_t *heads;
		uint32_t at, count; /* items: read so far, in all */
		bool wide;
	} reading;       /* of the one that is under way */
	uint64_t bursts; /* that have been written */
};

static inline uint32_t *
guess_of(struct sl_tape_code *code, const struct sl_coded_thread *t)
{
	return &code->next[((t->last * 0x9e3779b1u) ^ (t->before * 0x85ebca77u)) >> (32 - NEXT_BITS)];
}

/* The two guesses of an address, the better one first. */
static inline void
guess_objects(const struct token *token, const struct sl_coded_thread *t, uint64_t guesses[2])
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is a number, there is a token */
	guesses[token->near] = token->last + token->stride;
	guesses[!token->near] = t->object + token->offset;
}

/* What the next guesses of addresses are made from. */
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

/* What the next guesses are made from. */
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
/* Where the number of this token is, + 1; 0 there: it is new. */
uint32_t *sl_code_slot(const struct sl_tape_code *code, const struct token *token);
uint32_t sl_code_shape_add(struct sl_tape_code *code, const struct shape *shape); /* returns its number */
/* `starts`: of the items of a loop, which has the shape of the number that is the item's pc; else NULL. */
bool sl_code_write_item(struct sl_tape_code *code, struct sl_bytes *to, const struct sl_item *item,
			const uint64_t *starts);

/* ---- tape_burst.c ---- */

void sl_code_forget_known(struct sl_tape_code *code);
/* After each item that was predicted, when `probe` has come to 0: is a burst to follow? */
void sl_code_probe(struct sl_coded_thread *t);
/* As sl_code_write_words(), for items that mention nothing new and have no value. */
uint64_t sl_code_write_burst(struct sl_tape_code *code, struct sl_bytes *to, struct sl_coded_thread *t,
			     const uint64_t *words, uint64_t count, uint64_t limit, uint64_t most,
			     sl_code_is_named *is_named, void *data, uint64_t *items);
bool sl_code_read_burst(struct sl_tape_code *code, struct sl_cursor *from); /* one begins; false: that is none */
bool sl_code_read_on(struct sl_tape_code *code, struct sl_cursor *from, struct sl_item *item); /* the next item of it */

#endif
