/*
 * Which of the violations that nothing rules out are possible for certain: for each a schedule is built from the recorded one, and
 * shown to be one of the same program. One reading of the execution decides about all of them.
 *
 * The schedule is the recorded one up to a point. From there on one thread or both threads of the violation are held: the disturbed one
 * before its last access, and the one that interferes before its first, where that comes too early in the recorded execution;
 * each where it takes the outermost lock that it has there. What the others do stays in its recorded order. A thread that would see
 * something else than it saw stops: a read whose value came from what was held back, a lock whose holder is held, a join, a use of any
 * other object of synchronisation that would come out of turn. At the end what was held is done: the interfering thread's accesses, then the
 * last one. All threads have then done a prefix of what they have done in the recorded execution, each read up to there has read the same
 * write, and critical sections do not overlap: so no thread can have taken another branch. Only the last access of each of the two
 * threads may read another value.
 *
 * This is a sync-preserving closure (Mathur, Pavlogiannis and Viswanathan, POPL 2021), extended to orders of up to four accesses, and found
 * forwards: what the held operations are needed for is left out, and not what the accesses need taken in. Other than there, the events
 * of a lock that is used by a held thread may change places with those of others.
 *
 * What is not accepted may still be possible: most lost updates are not, since the value that is read is another one.
 */
#ifndef SL_PREDICT_ACCEPT_H
#define SL_PREDICT_ACCEPT_H

#include "predict/suspects.h"

/*
 * Reads the execution once more. The verdict of what is possible for certain becomes so. Where only a violation by other threads that is
 * alike is, the two change places. Negative and a sentence: it could not be read.
 */
int sl_accept(struct sl_suspects *suspects, struct sl_survey *survey, struct sl_err *err);

#endif
