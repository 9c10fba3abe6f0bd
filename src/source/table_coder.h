/*
 * Numbers as few bytes, and back: how the body of a table of sites is packed (table_format.h). Used by the writer in the
 * compiler plugins and by the reader, which must take the same steps.
 *
 * Each number is coded as a few decisions between 0 and 1, each of which an arithmetic coder writes in the less than a bit that it is worth.
 * How likely a 1 is, is learnt from the numbers before, in several contexts at once: the caller says which ones, for example "the same
 * field of the record before". The predictions of the contexts are weighted by how well each one has done, as in PAQ (Mahoney 2005).
 * All arithmetic is with whole numbers, so that every machine gets the same result.
 */
#ifndef SL_SOURCE_TABLE_CODER_H
#define SL_SOURCE_TABLE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	SL_CODER_FIELDS = 96, /* each has its own weights */
	SL_CODER_CONTEXTS = 8 /* of one number, at most */
};

struct sl_coder_model;

struct sl_coder {
	bool reads;
	bool plain; /* the numbers are ULEB128, one behind the other */
	bool bad; /* what is read is not there or makes no sense, or there is no memory; from then on all numbers are 0 */
	size_t numbers, most;          /* that there have been; reading: that there are */
	const unsigned char *at, *end; /* reading */
	unsigned char *bytes;          /* writing */
	size_t size, room;
	uint32_t low, high, code;
	struct sl_coder_model *model;
};

/* Writes so many numbers (`most`; plain: any). */
void sl_coder_write(struct sl_coder *c, bool plain, size_t most);

/* Nothing more is written: c->bytes has c->size bytes. */
void sl_coder_finish(struct sl_coder *c);

void sl_coder_read(struct sl_coder *c, bool plain, size_t most, const void *bytes, size_t size);
void sl_coder_release(struct sl_coder *c);

/* Each writes the number, or reads and returns it. */

/* Best if small numbers are frequent. */
uint32_t sl_coder_number(struct sl_coder *c, unsigned field, uint32_t number, const uint32_t *contexts,
			 unsigned count);

/* Of so many bits (at most 8): of a number that is a name or a set of flags, not an amount. */
uint32_t sl_coder_symbol(struct sl_coder *c, unsigned field, uint32_t number, unsigned bits,
			 const uint32_t *contexts, unsigned count);

/* All numbers of so many bits (at most 64) are as likely. */
uint64_t sl_coder_random(struct sl_coder *c, uint64_t number, unsigned bits);

/* Of bytes, so that damage is noticed. */
static inline uint16_t
sl_coder_sum(const void *bytes, size_t size)
{
	uint32_t sum = 1;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x01000193u;
	return (uint16_t)(sum ^ (sum >> 16));
}

/* A context of two parts. */
static inline uint32_t
sl_coder_both(uint32_t a, uint32_t b)
{
	uint32_t sum = (a ^ (a >> 15)) * 0x85ebca6bu + b + 0x9e3779b9u;

	return (sum ^ (sum >> 13)) * 0xc2b2ae35u;
}

#ifdef __cplusplus
}
#endif

#endif
