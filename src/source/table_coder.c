#include "source/table_coder.h"

#include <stdlib.h>
#include <string.h>

/*
 * Two scales: a probability is a part of 4096; a stretched one is ln(p / (1 - p)) in 256ths, within the limits. Predictions are
 * added up when stretched, where the sure ones weigh most.
 */
enum {
	ONE = 4096,
	LIMIT = 2047,
	STEPS = 16, /* weights of a field: one set for each of its first decisions, the last for the rest */
	UNIT_WEIGHT = 65536,
	GROUP_BITS = 4, /* what is decided one behind the other is in memory side by side */
	LINE = 1 << GROUP_BITS,
	SURE_AFTER = 30 /* a prediction learns from so many decisions as from equals; then the old ones fade */
};

/* What one context says about one decision. */
struct slot {
	uint16_t probability; /* of 65536 */
	uint8_t seen, owner;  /* owner: some bits of whose it is */
};

struct sl_coder_model {
	int16_t stretched[ONE];
	uint16_t share[SURE_AFTER + 1]; /* of the error that is learnt, after so many decisions */
	int32_t weights[SL_CODER_FIELDS][STEPS][SL_CODER_CONTEXTS];
	bool weighted[SL_CODER_FIELDS];
	unsigned bits;              /* there are 1 << bits lines */
	struct slot (*lines)[LINE]; /* behind this, where a line of the processor's cache begins */
};

/* 4096 / (1 + e^-x), for x from -8 on in steps of a half. */
static int
squash(int stretched)
{
	static const int16_t at[33] = {1,    2,    4,    6,    10,   17,   27,   45,   74,   120,  194,
				       311,  488,  747,  1102, 1546, 2048, 2550, 2994, 3349, 3608, 3785,
				       3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095};
	int from, part;

	if (stretched > LIMIT)
		return ONE - 1;
	if (stretched < -LIMIT)
		return 1;
	from = (stretched + LIMIT + 1) >> 7;
	part = (stretched + LIMIT + 1) & 127;
	return (at[from] * (128 - part) + at[from + 1] * part + 64) >> 7;
}

static struct sl_coder_model *
model_new(size_t numbers)
{
	unsigned bits = 8;
	struct sl_coder_model *m;
	int from = 0;

	while (bits < 18 && (size_t)1 << bits < numbers)
		bits++;
	m = malloc(sizeof(*m) + (sizeof(*m->lines) << bits) + sizeof(*m->lines));
	if (!m)
		return NULL;
	m->bits = bits;
	m->lines = (struct slot(*)[LINE])(((uintptr_t)(m + 1) + sizeof(*m->lines) - 1) & ~(sizeof(*m->lines) - 1));
	for (int x = -LIMIT; x <= LIMIT; x++) {
		int p = squash(x);

		for (; from <= p; from++)
			m->stretched[from] = (int16_t)x;
	}
	for (; from < ONE; from++)
		m->stretched[from] = LIMIT;
	for (int n = 0; n <= SURE_AFTER; n++)
		m->share[n] = (uint16_t)(655360 / (10 * n + 14));
	memset(m->weighted, 0, sizeof(m->weighted));
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		for (unsigned k = 0; k < LINE; k++)
			m->lines[i][k] = (struct slot){32768, 0, 0};
	return m;
}

static void
put_byte(struct sl_coder *c, unsigned byte)
{
	if (c->size == c->room) {
		size_t room = c->room ? c->room * 2 : 4096;
		unsigned char *bytes = realloc(c->bytes, room);

		if (!bytes) {
			c->bad = true;
			return;
		}
		c->bytes = bytes;
		c->room = room;
	}
	c->bytes[c->size++] = (unsigned char)byte;
}

/* Behind the end there are zeros: the writer leaves those out. */
static unsigned
next_byte(struct sl_coder *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

/* The arithmetic coder: `low` to `high` is what is left for all that follows. `one`: how likely a 1 is, of 65536. */
static unsigned
decide(struct sl_coder *c, unsigned bit, uint32_t one)
{
	uint32_t middle = c->low + (uint32_t)((uint64_t)(c->high - c->low) * one >> 16);

	if (c->reads)
		bit = c->code <= middle;
	if (bit)
		c->high = middle;
	else
		c->low = middle + 1;
	while (!((c->low ^ c->high) >> 24)) {
		if (c->reads)
			c->code = c->code << 8 | next_byte(c);
		else
			put_byte(c, c->high >> 24);
		c->low <<= 8;
		c->high = c->high << 8 | 0xff;
	}
	return bit;
}

/* What belongs to the number that is coded. */
struct number {
	struct sl_coder *c;
	int32_t (*weights)[SL_CODER_CONTEXTS];
	uint64_t contexts[SL_CODER_CONTEXTS];
	struct slot *lines[SL_CODER_CONTEXTS]; /* of each context, for the decisions that come next */
	uint8_t owners[SL_CODER_CONTEXTS];
	unsigned count;
};

static void
begin(struct number *n, struct sl_coder *c, unsigned field, const uint32_t *contexts, unsigned count)
{
	struct sl_coder_model *m = c->model;

	n->c = c;
	n->count = count;
	n->weights = m->weights[field];
	if (!m->weighted[field]) {
		m->weighted[field] = true;
		for (unsigned i = 0; i < STEPS; i++)
			for (unsigned k = 0; k < count; k++)
				n->weights[i][k] =
					count > 1 ? UNIT_WEIGHT * 13 / 10 / (int32_t)count : UNIT_WEIGHT;
	}
	for (unsigned i = 0; i < count; i++)
		n->contexts[i] =
			((uint64_t)sl_coder_both(contexts[i], field * SL_CODER_CONTEXTS + i) << 32 | contexts[i]) *
			0x9e3779b97f4a7c15;
}

/* What follows are decisions of this group of the number's, at most LINE. */
static void
group(struct number *n, unsigned which)
{
	const struct sl_coder_model *m = n->c->model;

	for (unsigned i = 0; i < n->count; i++) {
		uint64_t place = (n->contexts[i] + which) * 0xd6e8feb86659fd93;

		n->lines[i] = n->c->model->lines[(place ^ place >> 32) & (((uint32_t)1 << m->bits) - 1)];
		n->owners[i] = (uint8_t)(place >> 56);
	}
}

/* One decision of the group; `step` says which of the number's it is. */
static unsigned
bit(struct number *n, unsigned which, unsigned step, unsigned value)
{
	const struct sl_coder_model *m = n->c->model;
	int32_t *weights = n->weights[step < STEPS ? step : STEPS - 1];
	int stretched[SL_CODER_CONTEXTS] = {0}, one, error;
	int64_t sum = 0;

	for (unsigned i = 0; i < n->count; i++) {
		struct slot *s = &n->lines[i][which];

		if (s->owner != n->owners[i])
			*s = (struct slot){32768, 0, n->owners[i]};
		stretched[i] = m->stretched[s->probability >> 4];
		sum += (int64_t)weights[i] * stretched[i];
	}
	sum >>= 16; /* of UNIT_WEIGHT; gcc and clang keep the sign */
	one = squash(sum > LIMIT ? LIMIT : sum < -LIMIT ? -LIMIT : (int)sum);
	value = decide(n->c, value, (uint32_t)one << 4);
	error = (value ? ONE : 0) - one;
	for (unsigned i = 0; i < n->count; i++) {
		struct slot *s = &n->lines[i][which];
		int32_t target = value ? 65535 : 0, move = (target - s->probability) * m->share[s->seen] >> 16;

		weights[i] += stretched[i] * error * 5 >> 12;
		s->probability = (uint16_t)(s->probability + move);
		s->seen += s->seen < SURE_AFTER;
	}
	return value;
}

/* So many bits, the first one first: each has those before it as a context. Returns them behind a 1. `steps`: each counts as a step. */
static uint32_t
bits_of(struct number *n, uint32_t number, unsigned bits, unsigned first_group, bool steps)
{
	uint32_t node = 1, in_group = 1;

	for (unsigned i = 0; i < bits; i++) {
		if (i % GROUP_BITS == 0) {
			group(n, first_group + (i < 3 * GROUP_BITS ? node : i));
			in_group = 1;
		}

		unsigned one = bit(n, in_group, steps ? node : STEPS, number >> (bits - 1 - i) & 1);

		in_group = in_group * 2 + one;
		node = node * 2 + one;
	}
	return node;
}

/* Counts a number. false: none is coded, it is 0, or what was returned in *number. */
static bool
counted(struct sl_coder *c, uint64_t *number)
{
	c->numbers++;
	if (c->reads && c->numbers > c->most)
		c->bad = true;
	if (c->bad) {
		*number = 0;
		return false;
	}
	if (!c->plain)
		return true;
	if (!c->reads) {
		uint64_t rest = *number;

		do {
			put_byte(c, (unsigned)(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
			rest >>= 7;
		} while (rest);
		return false;
	}
	*number = 0;
	for (unsigned shift = 0, byte = 0x80; byte & 0x80; shift += 7) {
		if (c->at == c->end || shift > 63) {
			c->bad = true;
			*number = 0;
			return false;
		}
		byte = *c->at++;
		*number |= (uint64_t)(byte & 0x7f) << shift;
	}
	return false;
}

uint32_t
sl_coder_number(struct sl_coder *c, unsigned field, uint32_t number, const uint32_t *contexts, unsigned count)
{
	uint64_t whole = number;
	struct number n;
	unsigned bits = 0, more;
	uint32_t rest;

	if (!counted(c, &whole)) {
		c->bad |= whole > UINT32_MAX;
		return c->bad ? 0 : (uint32_t)whole;
	}
	/* how many bits the number plus one has behind its first one, then those bits */
	begin(&n, c, field, contexts, count);
	whole++;
	do {
		if (bits % LINE == 0)
			group(&n, bits / LINE);
		more = bit(&n, bits % LINE, bits, whole >> bits > 1);
	} while (more && ++bits <= 32);
	if (bits > 32) {
		c->bad = true;
		return 0;
	}
	rest = bits_of(&n, (uint32_t)whole, bits, (bits + 1) * 1024, false);
	return c->reads ? (uint32_t)((bits < 32 ? rest : (uint64_t)1 << 32 | rest) - 1) : number;
}

uint32_t
sl_coder_symbol(struct sl_coder *c, unsigned field, uint32_t number, unsigned bits, const uint32_t *contexts,
		unsigned count)
{
	uint64_t whole = number;
	struct number n;

	if (!counted(c, &whole)) {
		c->bad |= whole >> bits != 0;
		return c->bad ? 0 : (uint32_t)whole;
	}
	begin(&n, c, field, contexts, count);
	return bits_of(&n, number, bits, 0, true) - (1u << bits);
}

uint64_t
sl_coder_random(struct sl_coder *c, uint64_t number, unsigned bits)
{
	uint64_t whole = number, read = 0;

	if (!counted(c, &whole)) {
		c->bad |= bits < 64 && whole >> bits;
		return c->bad ? 0 : whole;
	}
	for (unsigned i = bits; i-- > 0;)
		read = read * 2 + decide(c, whole >> i & 1, 32768);
	return read;
}

static void
start(struct sl_coder *c, bool plain, size_t most)
{
	c->plain = plain;
	c->most = most;
	c->high = UINT32_MAX;
	if (!plain)
		c->model = model_new(most);
	c->bad = !plain && !c->model;
}

void
sl_coder_write(struct sl_coder *c, bool plain, size_t most)
{
	memset(c, 0, sizeof(*c));
	start(c, plain, most);
}

void
sl_coder_read(struct sl_coder *c, bool plain, size_t most, const void *bytes, size_t size)
{
	memset(c, 0, sizeof(*c));
	c->reads = true;
	c->at = bytes;
	c->end = c->at + size;
	start(c, plain, most);
	for (unsigned i = 0; i < 4 && !plain; i++)
		c->code = c->code << 8 | next_byte(c);
}

void
sl_coder_finish(struct sl_coder *c)
{
	/* the number with the fewest bytes that is between both ends: they differ in their first byte */
	if (!c->plain && c->low)
		put_byte(c, (c->low >> 24) + 1);
}

void
sl_coder_release(struct sl_coder *c)
{
	free(c->bytes);
	free(c->model);
	c->bytes = NULL;
	c->model = NULL;
}
