/*
 * Kinds of operations in words. The engine does not use them: tables of words need relocations, and it writes no sentences.
 */
#ifndef SL_BASE_OP_WORDS_H
#define SL_BASE_OP_WORDS_H

const char *sl_op_word(unsigned kind); /* MUTEX_LOCK; NULL: there is no such kind */
const char *sl_op_verb(unsigned kind); /* "locks", which completes "T1 …"; NULL: there is no such kind */
int sl_op_find(const char *word);      /* the kind that has the word; -1: there is none */

#endif
