/*
 * Exploring tests that are written with Criterion.
 *
 * Criterion starts the program again for each test, with a thread for its messages, which can't be under control.
 * So the engine calls the tests itself, and intercepts their reports. In `sleave test` each test has a forked
 * process; under control each execution has one of the tests, which is a choice. So no test affects the next one.
 * Otherwise Criterion itself runs the tests.
 */
#ifndef SL_ENGINE_SECTION_CRITERION_TESTS_H
#define SL_ENGINE_SECTION_CRITERION_TESTS_H

#include <stdbool.h>
#include <stdint.h>

#define SL_TEST_SHIFT 16 /* numbers of tests, from 1, are above this bit; counts within a test are below */

/* Combines a count from the start of the process with the running test, if any. */
uint32_t sl_test_count(uint32_t n);
uint32_t sl_test_owner(void);      /* the process that runs the tests, or this one */
const char *sl_test_expects(void); /* why the running test can't be explored, or NULL */
void sl_test_reset(void);          /* an execution of the whole program begins */

/*
 * Returns whether it is Criterion's own main(): then control begins with its tests, since the program has no other
 * code.
 */
bool sl_criterion_has(int (*main)(int, char **, char **));

#endif
