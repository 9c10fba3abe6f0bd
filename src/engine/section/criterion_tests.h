/*
 * Tests that are written with Criterion, when they are explored.
 *
 * Criterion starts the program anew for each test, with a thread for its messages in it: nothing of that can be under
 * control. So in its place we call the tests ourselves, and hear what they say of themselves. In `sleave test` each test has a
 * process of its own, which is forked; under control each execution has one of the tests, and which is a choice. So nothing of one
 * test is left for the next. Out of both, all is Criterion's.
 */
#ifndef SL_ENGINE_SECTION_CRITERION_TESTS_H
#define SL_ENGINE_SECTION_CRITERION_TESTS_H

#include <stdbool.h>
#include <stdint.h>

#define SL_TEST_SHIFT 16 /* numbers of tests from 1, above those of what is counted in each */

/* The n-th of what is counted from the start of the process, with the test that is running, if any. */
uint32_t sl_test_count(uint32_t n);
uint32_t sl_test_owner(void);      /* the process that runs the tests, or this one */
const char *sl_test_expects(void); /* why the test that is running can't be explored, or NULL */
void sl_test_reset(void);          /* an execution of the whole program begins */

/* Is it Criterion's own main()? Then control begins with its tests: there is nothing of the program's before and after them. */
bool sl_criterion_has(int (*main)(int, char **, char **));

#endif
