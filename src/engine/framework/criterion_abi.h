/*
 * Criterion's structures (ABI 3, version 2.4), as in its public headers. Used by criterion_tests.c and
 * criterion_run.c.
 */
#ifndef SL_ENGINE_FRAMEWORK_CRITERION_ABI_H
#define SL_ENGINE_FRAMEWORK_CRITERION_ABI_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parameters {
	size_t size;
	char *items;
	size_t count;
	void (*release)(struct parameters *);
};

struct sl_criterion_facts {
	int sentinel, compiler, language, kind;
	struct parameters (*parameters)(void);
	const char *identifier, *file; /* "suite/name" */
	unsigned line;
	void (*begin)(void);
	void (*end)(void);
	int signal, status; /* the expected signal or status */
	bool disabled;
	const char *description;
	double limit;
	void *data;
};

struct test {
	const char *name, *suite;
	void (*run)(void); /* calls the three criterion_internal_test_… */
	struct sl_criterion_facts *facts;
};

struct suite {
	const char *name;
	struct sl_criterion_facts *facts; /* or NULL */
};

struct sl_criterion_node { /* a list node's header, before its contents */
	struct sl_criterion_node *next;
};

struct list {
	struct sl_criterion_node *first;
	size_t count;
	int (*compare)(void *, void *);
	void (*release)(void *, void *);
};

struct suite_set {
	struct suite suite;
	struct list *tests; /* of struct test; or NULL */
};

struct criterion_test_set {
	struct list *suites; /* of struct suite_set */
	size_t tests;
};

struct options { /* the members that the engine needs */
	int threshold;
	void *logger;
	bool no_early_exit, always_succeed, ascii, fail_fast;
	const char *pattern;
};

struct criterion_assert_stats {
	const char *message;
	bool passed;
	unsigned line;
	const char *file;
	struct criterion_assert_stats *next;
};

struct cri_assert_node {
	const char *text, *message;
	struct {
		const char *name, *value;
		int type;
	} parameters[4];
	unsigned pass : 1, own_text : 1, children_count : 30;
	uint32_t room;
	struct cri_assert_node *children;
};

_Static_assert(offsetof(struct sl_criterion_facts, begin) == 48 &&
		       offsetof(struct sl_criterion_facts, signal) == 64 &&
		       offsetof(struct sl_criterion_facts, disabled) == 72 && sizeof(struct test) == 32 &&
		       offsetof(struct options, pattern) == 24 && sizeof(struct cri_assert_node) == 128 &&
		       offsetof(struct criterion_assert_stats, file) == 16,
	       "as Criterion's headers have it");

/* The running test. */
struct sl_test_now {
	const struct test *test;
	const struct suite *suite;
	uint32_t number;      /* from 1; 0: none is running */
	const char *argument; /* the argument of a test with parameters, or NULL */
	uint32_t owner;       /* the process that forked this one; 0: none */
	int tid;              /* the thread that runs it */
	uint64_t pc;          /* the place of the call that ran it */
	jmp_buf way_out;      /* leaves the running part of the test */
};

/* What the test has reported to the process that waits for it. */
struct sl_test_said {
	uint32_t wrong, skipped;
};

extern struct sl_test_now sl_test_now;
extern struct sl_test_said *sl_test_said; /* NULL: no process waits */

bool sl_criterion_is_ours(void); /* whether the engine runs Criterion's tests */
void sl_criterion_say(const char *head, const char *text, const char *file, unsigned line);
_Noreturn void sl_criterion_refuse(const char *what, uint64_t pc);
_Noreturn void sl_criterion_child_end(int status);
size_t sl_criterion_choose(size_t count, uint64_t pc); /* under control: a choice among `count` */

#endif
