/* A shared library, in C: a sum that threads add to. */
#ifndef TALLY_H
#define TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

void tally_add(int n);
int tally_sum(void);

#ifdef __cplusplus
}
#endif

#endif
