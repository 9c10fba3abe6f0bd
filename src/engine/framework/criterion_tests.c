/*
 * Runs Criterion's tests: their reports, and their parts. See criterion_tests.h.
 */
#define SL_DEFINES_STDIO_FUNCTIONS
#include "engine/section/criterion_tests.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/framework/criterion_abi.h"
#include "engine/realtime/rt.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

#define TEXT_MAX 1024

struct sl_test_now sl_test_now;
struct sl_test_said *sl_test_said;

/* ---- running the tests ---- */

bool
sl_criterion_is_ours(void)
{
	return E.control || sl_sections_explore();
}

uint32_t
sl_test_count(uint32_t n)
{
	if (!sl_test_now.number)
		return n;
	if (n >> SL_TEST_SHIFT)
		sl_criterion_refuse("too many sections in one Criterion test", 0);
	return sl_test_now.number << SL_TEST_SHIFT | n;
}

uint32_t
sl_test_owner(void)
{
	return sl_test_now.owner ? sl_test_now.owner : (uint32_t)sl_raw(SYS_getpid);
}

void
sl_test_reset(void)
{
	if (E.body.whole_program)
		sl_test_now.number = 0;
}

const char *
sl_test_expects(void)
{
	if (sl_test_now.number && sl_test_now.test->facts->signal)
		return "a Criterion test that must end by a signal (.signal)";
	if (sl_test_now.number && sl_test_now.test->facts->status)
		return "a Criterion test that must end with a status (.exit_code)";
	return NULL;
}

/* ---- messages ---- */

void
sl_criterion_say(const char *head, const char *text, const char *file, unsigned line)
{
	char all[TEXT_MAX] = "";
	size_t used = 0;

	sl_text_add(all, sizeof(all), &used, head);
	if (sl_test_now.number) {
		sl_text_add(all, sizeof(all), &used, sl_test_now.test->suite);
		sl_text_add(all, sizeof(all), &used, "::");
		sl_text_add(all, sizeof(all), &used, sl_test_now.test->name);
		sl_text_add(all, sizeof(all), &used, ": ");
	}
	if (file) {
		sl_text_add(all, sizeof(all), &used, file);
		sl_text_add(all, sizeof(all), &used, ":");
		sl_text_add_number(all, sizeof(all), &used, line);
		sl_text_add(all, sizeof(all), &used, ": ");
	}
	sl_text_add(all, sizeof(all) - 1, &used, text);
	all[used++] = '\n';
	sl_raw(SYS_write, 2, all, used);
}

void
sl_criterion_refuse(const char *what, uint64_t pc)
{
	if (E.control)
		sl_unsupported(what, pc);
	sl_raw(SYS_write, 2, "sleave: can't explore ", 22);
	sl_raw(SYS_write, 2, what, sl_strlen(what));
	sl_raw(SYS_write, 2, "\n", 1);
	for (;;)
		sl_raw(SYS_exit_group, 125);
}

/*
 * Returns whether the engine handles the reports of tests. That is also so in a process that a section has forked
 * to try a schedule (rt_infeasible.c), which Criterion does not know.
 */
static bool
is_for_us(void)
{
	return sl_criterion_is_ours() || F.child;
}

/* The test has failed. Under control that is the end of the execution. */
static void
wrong(const char *text, const char *file, unsigned line, uint64_t pc)
{
	char message[256] = "";
	size_t used = 0;

	if (!E.control) {
		sl_criterion_say("[FAIL] ", text, file, line);
		if (F.child)
			sl_rt_section_abandon("left");
		if (sl_test_said)
			__atomic_add_fetch(&sl_test_said->wrong, 1, __ATOMIC_RELAXED);
		return;
	}
	for (; *text && used < 160; text++)
		message[used++] = (char)(*text == '\n' || *text == '\t' ? ' ' : *text);
	while (used && (message[used - 1] == '.' || message[used - 1] == ' '))
		used--;
	message[used] = '\0';
	sl_text_add(message, sizeof(message), &used, " in ");
	sl_text_add(message, sizeof(message), &used, sl_test_now.number ? sl_test_now.test->suite : "");
	sl_text_add(message, sizeof(message), &used, "::");
	sl_text_add(message, sizeof(message), &used, sl_test_now.number ? sl_test_now.test->name : "");
	if (file) {
		sl_text_add(message, sizeof(message), &used, " at ");
		sl_text_add(message, sizeof(message), &used, file);
		sl_text_add(message, sizeof(message), &used, ":");
		sl_text_add_number(message, sizeof(message), &used, line);
	}
	sl_found(SL_FINDING_ASSERT, SIGABRT, 0, pc, message);
}

/* Runs exit handlers and destructors, as in the processes that Criterion starts. */
void
sl_criterion_child_end(int status)
{
	if (E.control)
		sl_exit(status, sl_test_now.pc);
	if ((int)sl_raw(SYS_gettid) != sl_test_now.tid) {
		sl_real.fflush(NULL);
		sl_raw(SYS_exit_group, status);
	}
	SL_CALL(exit)(status);
	__builtin_unreachable();
}

/* Leaves the running part of the test. Only the thread that runs it can do that. */
static _Noreturn void
leave(uint64_t pc)
{
	if (E.control && E.current->id)
		sl_criterion_refuse("a thread that skips the test of another", pc);
	if (!E.control && (int)sl_raw(SYS_gettid) != sl_test_now.tid)
		sl_criterion_child_end(1);
	sl_jump(sl_test_now.way_out, 1, pc);
}

/* Ends a call of Criterion's runner, which waits for an answer. */
static void
done(uint32_t **calls)
{
	__atomic_sub_fetch(*calls, 1, __ATOMIC_SEQ_CST);
}

#define SL_CALLS_RUNNER()                                                                                         \
	uint32_t *calls __attribute__((cleanup(done))) = &F.calls_framework;                                      \
	__atomic_add_fetch(calls, 1, __ATOMIC_SEQ_CST)

/* ---- reports of tests ---- */

#define REAL(type, name, parameters)                                                                              \
	static type(*real) parameters;                                                                            \
	if (!real && !(*(void **)&real = sl_resolve(#name)))                                                      \
	sl_bug(__FILE__, __LINE__, #name)

SL_EXPORT void criterion_send_assert(struct criterion_assert_stats *stats);

void
criterion_send_assert(struct criterion_assert_stats *stats)
{
	if (is_for_us()) {
		if (!stats->passed)
			wrong(stats->message, stats->file, stats->line, SL_PC);
		return;
	}
	SL_CALLS_RUNNER();
	REAL(void, criterion_send_assert, (struct criterion_assert_stats *));
	real(stats);
}

/* Adds the conditions that did not hold, with the compared values. */
static void
add_reasons(char *text, size_t *used, const struct cri_assert_node *node)
{
	for (int i = 0; i < 4 && node->parameters[i].name; i++) {
		sl_text_add(text, TEXT_MAX, used, i ? ", " : *used ? "; " : "");
		if (!i && node->text) {
			sl_text_add(text, TEXT_MAX, used, node->text);
			sl_text_add(text, TEXT_MAX, used, ": ");
		}
		sl_text_add(text, TEXT_MAX, used, node->parameters[i].name);
		sl_text_add(text, TEXT_MAX, used, " ");
		sl_text_add(text, TEXT_MAX, used, node->parameters[i].value);
	}
	if (!node->parameters[0].name && !node->children_count && node->text && !*used) {
		sl_text_add(text, TEXT_MAX, used, node->text);
		sl_text_add(text, TEXT_MAX, used, " is false");
	}
	for (unsigned i = 0; !node->parameters[0].name && i < node->children_count; i++)
		if (!node->children[i].pass)
			add_reasons(text, used, &node->children[i]);
}

SL_EXPORT void cri_assert_node_send(const char *file, size_t line, struct cri_assert_node *tree);

void
cri_assert_node_send(const char *file, size_t line, struct cri_assert_node *tree)
{
	if (is_for_us()) {
		char text[TEXT_MAX] = "";
		size_t used = 0;

		if (tree->message)
			sl_text_add(text, sizeof(text), &used, tree->message);
		add_reasons(text, &used, tree);
		wrong(used ? text : "an assertion failed", file, (unsigned)line, SL_PC);
		return;
	}
	SL_CALLS_RUNNER();
	REAL(void, cri_assert_node_send, (const char *, size_t, struct cri_assert_node *));
	real(file, line, tree);
}

SL_EXPORT void cri_asserts_passed_incr(void);

void
cri_asserts_passed_incr(void)
{
	if (sl_criterion_is_ours())
		return;
	REAL(void, cri_asserts_passed_incr, (void));
	real();
}

SL_EXPORT _Noreturn void criterion_abort_test(void);

void
criterion_abort_test(void)
{
	if (is_for_us()) {
		if (E.control)
			wrong("the test was aborted", NULL, 0, SL_PC);
		if (F.child)
			sl_rt_section_abandon("left");
		leave(SL_PC);
	}
	REAL(void, criterion_abort_test, (void));
	real();
	__builtin_unreachable();
}

#define SL_FORMAT(text, format)                                                                                   \
	va_list list_, again_;                                                                                    \
	va_start(list_, format);                                                                                  \
	va_copy(again_, list_);                                                                                   \
	int size_ = vsnprintf(NULL, 0, format, again_);                                                           \
	char text[size_ < 0 ? 1 : (size_t)size_ + 1];                                                             \
	text[0] = '\0';                                                                                           \
	vsnprintf(text, sizeof(text), format, list_);                                                             \
	va_end(again_);                                                                                           \
	va_end(list_)

SL_EXPORT _Noreturn void criterion_skip_test(const char *format, ...);

void
criterion_skip_test(const char *format, ...)
{
	SL_FORMAT(text, format);

	if (is_for_us()) {
		if (!E.control) {
			sl_criterion_say("[SKIP] ", text, NULL, 0);
			if (sl_test_said)
				sl_test_said->skipped = 1;
		}
		if (F.child)
			sl_rt_section_abandon("skipped");
		leave(SL_PC);
	}
	sl_rt_jump(UINTPTR_MAX); /* the jump ends the process and no section */
	SL_CALLS_RUNNER();
	REAL(void, criterion_skip_test, (const char *, ...));
	real(*text ? "%s" : "", text);
	__builtin_unreachable();
}

SL_EXPORT void criterion_test_die(const char *format, ...);

void
criterion_test_die(const char *format, ...)
{
	SL_FORMAT(text, format);

	if (is_for_us()) {
		wrong(text, NULL, 0, SL_PC);
		sl_criterion_child_end(1);
	}
	SL_CALLS_RUNNER();
	REAL(void, criterion_test_die, (const char *, ...));
	real("%s", text);
}

enum { INFORMATION };

SL_EXPORT void cr_log(int severity, const char *format, ...);

/* A warning or an error in the log is a failure, as in Criterion. */
void
cr_log(int severity, const char *format, ...)
{
	SL_FORMAT(text, format);

	if (is_for_us()) {
		if (severity != INFORMATION)
			wrong(text, NULL, 0, SL_PC);
		else if (!E.control)
			sl_criterion_say("[INFO] ", text, NULL, 0);
		return;
	}
	SL_CALLS_RUNNER();
	REAL(void, cr_log, (int, const char *, ...));
	real(severity, "%s", text);
}

/* ---- memory that Criterion would share between processes ---- */

SL_EXPORT void *cr_malloc(size_t size);
SL_EXPORT void *cr_calloc(size_t count, size_t size);
SL_EXPORT void *cr_realloc(void *block, size_t size);
SL_EXPORT void cr_free(void *block);

void *
cr_malloc(size_t size)
{
	if (sl_criterion_is_ours())
		return malloc(size);
	REAL(void *, cr_malloc, (size_t));
	return real(size);
}

void *
cr_calloc(size_t count, size_t size)
{
	if (sl_criterion_is_ours())
		return calloc(count, size);
	REAL(void *, cr_calloc, (size_t, size_t));
	return real(count, size);
}

void *
cr_realloc(void *block, size_t size)
{
	if (sl_criterion_is_ours())
		return realloc(block, size);
	REAL(void *, cr_realloc, (void *, size_t));
	return real(block, size);
}

void
cr_free(void *block)
{
	if (sl_criterion_is_ours()) {
		free(block);
		return;
	}
	REAL(void, cr_free, (void *));
	real(block);
}

/* ---- the three parts of a test ---- */

SL_EXPORT void criterion_internal_test_setup(void);
SL_EXPORT void criterion_internal_test_main(void (*function)(void));
SL_EXPORT void criterion_internal_test_teardown(void);

void
criterion_internal_test_setup(void)
{
	if (!sl_criterion_is_ours()) {
		REAL(void, criterion_internal_test_setup, (void));
		real();
		return;
	}
	if (_setjmp(sl_test_now.way_out))
		sl_criterion_child_end(sl_test_said && sl_test_said->skipped
					       ? 0
					       : 1); /* a test does not run if its initialisation failed */
	if (sl_test_now.suite->facts && sl_test_now.suite->facts->begin)
		sl_test_now.suite->facts->begin();
	if (sl_test_now.test->facts->begin)
		sl_test_now.test->facts->begin();
}

void
criterion_internal_test_main(void (*function)(void))
{
	if (!sl_criterion_is_ours()) {
		REAL(void, criterion_internal_test_main, (void (*)(void)));
		real(function);
		return;
	}
	if (_setjmp(sl_test_now.way_out))
		return;
	if (sl_test_now.test->facts->parameters)
		((void (*)(const char *))function)(sl_test_now.argument);
	else
		function();
}

void
criterion_internal_test_teardown(void)
{
	if (!sl_criterion_is_ours()) {
		REAL(void, criterion_internal_test_teardown, (void));
		real();
		return;
	}
	if (_setjmp(sl_test_now.way_out))
		return;
	if (sl_test_now.test->facts->end)
		sl_test_now.test->facts->end();
	if (sl_test_now.suite->facts && sl_test_now.suite->facts->end)
		sl_test_now.suite->facts->end();
}
