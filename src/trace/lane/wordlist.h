/*
 * Numbered words in memory that processes share: the names of events and threads. Used by recorders and by readers
 * of what was recorded (trace/lane/reel.h, search/arena.h).
 *
 * A word keeps its number. Any thread may add a word at any moment, also in a signal handler: there is no lock.
 * Zeroed memory is an empty list.
 */
#ifndef SL_TRACE_LANE_WORDLIST_H
#define SL_TRACE_LANE_WORDLIST_H

#include "base/rng.h"
#include "base/text.h"
#include "trace/records.h"

#include <stdint.h>

#define SL_WORDS_MAX 65536u
#define SL_WORD_SLOTS (2 * SL_WORDS_MAX)

/* Events of schedules that have no name: numbers above those of words. */
enum sl_nameless {
	SL_NAMELESS_START = SL_WORDS_MAX + 1,
	SL_NAMELESS_NAMING,
	SL_NAMELESS_END,
	SL_NAMELESS_SECTION_END
};

static inline const char *
sl_nameless(uint64_t number)
{
	switch (number) {
	case SL_NAMELESS_START:
		return "its start";
	case SL_NAMELESS_NAMING:
		return "its new name";
	case SL_NAMELESS_END:
		return "its end";
	case SL_NAMELESS_SECTION_END:
		return "the end of the section";
	default:
		return NULL;
	}
}

struct sl_wordlist {
	uint32_t count; /* words that were ever added: more than SL_WORDS_MAX if there was no room for some */
	uint32_t slots[SL_WORD_SLOTS]; /* numbers, by hash; 0: free */
	char words[SL_WORDS_MAX][SL_EVENT_NAME];
};

static inline uint64_t
sl_wordlist_hash(const char *word)
{
	uint64_t hash = 0;

	for (; *word; word++)
		hash = sl_mix(hash ^ (unsigned char)*word);
	return hash;
}

/* The slot of the word, or the free slot where it belongs. At most half of the slots are ever taken. */
static inline uint32_t *
sl_wordlist_slot(struct sl_wordlist *list, const char *word, uint64_t *hash)
{
	for (;; ++*hash) {
		uint32_t *slot = &list->slots[*hash % SL_WORD_SLOTS],
			 number = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!number || sl_text_same(list->words[number - 1], word))
			return slot;
	}
}

/* The number of the word, from 1; 0: it is not in the list. A long word is cut. */
static inline uint32_t
sl_wordlist_find(struct sl_wordlist *list, const char *word)
{
	char cut[SL_EVENT_NAME] = "";
	uint64_t hash;

	sl_text_copy(cut, sizeof(cut), word);
	hash = sl_wordlist_hash(cut);
	return __atomic_load_n(sl_wordlist_slot(list, cut, &hash), __ATOMIC_ACQUIRE);
}

/* The same, but a missing word is added; 0: there is no room. */
static inline uint32_t
sl_wordlist_number(struct sl_wordlist *list, const char *word)
{
	char cut[SL_EVENT_NAME] = "";
	uint32_t own = 0;
	uint64_t hash;

	sl_text_copy(cut, sizeof(cut), word);
	for (hash = sl_wordlist_hash(cut);;) {
		uint32_t *slot = sl_wordlist_slot(list, cut, &hash),
			 number = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (number)
			return number; /* if another thread has added it meanwhile, ours is never used */
		if (!own) {
			if (__atomic_load_n(&list->count, __ATOMIC_RELAXED) > SL_WORDS_MAX)
				return 0;
			own = __atomic_add_fetch(&list->count, 1, __ATOMIC_RELAXED);
			if (own > SL_WORDS_MAX)
				return 0;
			sl_text_copy(list->words[own - 1], sizeof(cut), cut);
		}
		if (__atomic_compare_exchange_n(slot, &number, own, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return own;
	}
}

#endif
