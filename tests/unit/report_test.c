/*
 * Stories of traces made by hand: what a person reads, letter by letter. The code addresses in
 * them are those of this file (so it must be built with -g), the data is its global variables.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr() */
#endif

#include "base/shown.h"
#include "report/quote.h"
#include "report/report.h"
#include "report/story/suppression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int balance;
static pthread_mutex_t lock, other;
static pthread_cond_t ready;

/* Places: the address and the line of each call below. */
#define ALL_PLACES(X)                                                                                                \
	X(READ) X(WRITE) X(LOCK) X(LOCK_OTHER) X(UNLOCK) X(WAIT) X(ALLOC) X(FREE) X(SIGNAL) X(CREATE) X(JOIN) X(CHECK)

enum place {
#define X(name) name,
	ALL_PLACES(X)
#undef X
	PLACES
};
static const char *const place_names[] = {
#define X(name) #name,
	ALL_PLACES(X)
#undef X
};
static uint64_t pcs[PLACES];
static int lines[PLACES];

static __attribute__((noinline)) uint64_t
here(void)
{
	__asm__ volatile("" ::: "memory"); /* or calls of it would be merged */
	return (uint64_t)__builtin_return_address(0);
}

#define MARK(place) (pcs[place] = here(), lines[place] = __LINE__)

static __attribute__((noinline)) void
deposit(void)
{
	MARK(READ);
	MARK(WRITE);
	MARK(LOCK);
	MARK(LOCK_OTHER);
	MARK(UNLOCK);
	MARK(WAIT);
	MARK(ALLOC);
	MARK(FREE);
}

static __attribute__((noinline)) void
withdraw(void)
{
	MARK(SIGNAL);
}

static struct sl_module modules[1];
static struct sl_names *names;

static int
add_program(struct dl_phdr_info *info, size_t size, void *data)
{
	struct sl_module *m = modules;

	(void)size;
	(void)data;
	*m = (struct sl_module){.base = info->dlpi_addr, .low = UINT64_MAX};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, high = low + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		m->low = low < m->low ? low : m->low;
		m->high = high > m->high ? high : m->high;
	}
	if (readlink("/proc/self/exe", m->path, sizeof(m->path) - 1) < 0)
		m->path[0] = '\0';
	return 1; /* the first is the program */
}

/* ---- a trace by hand ---- */

static struct sl_record records[4096];
static struct sl_thread_record threads[4];
static struct sl_frame frames[4];
static struct sl_trace trace;
static struct sl_finding finding;
static uint64_t indexes[4];

static uint64_t
address(const volatile void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static struct sl_record *
op(uint32_t thread, unsigned kind, uint64_t object, int place, uint64_t value)
{
	struct sl_record *r = &records[trace.count++];

	*r = (struct sl_record){.op = {.kind = (uint8_t)kind, .flags = sl_op_kinds[kind].flags, .thread = thread,
				       .index = ++indexes[thread], .object = object, .pc = pcs[place]},
				.value = value};
	if (kind >= SL_READ && kind <= SL_ATOMIC_UPDATE)
		r->op.size = 4;
	return r;
}

static void
fresh(void)
{
	memset(&trace, 0, sizeof(trace));
	memset(&finding, 0, sizeof(finding));
	memset(threads, 0, sizeof(threads));
	memset(indexes, 0, sizeof(indexes));
	for (uint32_t i = 0; i < 4; i++)
		threads[i] = (struct sl_thread_record){.id = i, .state = SL_THREAD_ENDED, .waits_for = -1,
						       .start = i ? address((void *)(i == 2 ? withdraw : deposit)) : 0,
						       .create_pc = i ? pcs[CREATE] : 0};
	frames[1] = (struct sl_frame){pcs[CHECK], 0, 0};
	trace = (struct sl_trace){.records = records, .threads = threads, .thread_count = 3, .frames = frames, .frame_count = 2,
				  .modules = modules, .module_count = 1};
}

static void
culprit(int which, const struct sl_record *r, uint32_t stack)
{
	finding.culprits[which] = (struct sl_culprit){.thread = r->op.thread, .stack = stack, .index = r->op.index,
						      .pc = r->op.pc, .kind = r->op.kind, .size = r->op.size,
						      .flags = r->op.flags};
	finding.culprit_count = finding.culprit_count > (uint32_t)which ? finding.culprit_count : (uint32_t)which + 1;
}

static const struct sl_style plain = {false, 0};

/*
 * Compares without line numbers: "unit/report_test.c:45" becomes "WRITE", the "45" in front of a source line goes,
 * and columns close up to one blank.
 */
static void
expect(char *text, const char *expected)
{
	char actual[16384], *to = actual;

	for (const char *from = text; *from && to < actual + sizeof(actual) - 32;) {
		int line, n = 0;

		if (sscanf(from, "unit/report_test.c:%d%n", &line, &n) == 1 && n) {
			for (int i = 0; i < PLACES; i++)
				if (lines[i] == line)
					to += sprintf(to, "%s", place_names[i]);
			from += n;
		} else if (*from == ' ' && sscanf(from, " %d |%n", &line, &n) == 1 && n) {
			*to++ = '|';
			from += n;
		} else if (from[0] == ' ' && from[1] == ' ') {
			from++;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	assert_string_equal(actual, expected);
	free(text);
}

static char *
told(unsigned preemptions)
{
	struct sl_story story = {&finding, &trace, names, preemptions, "account-1.sleave", false, NULL, NULL};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	sl_story_print(f, &plain, &story);
	fclose(f);
	return text;
}

static void
lost_update(void)
{
	fresh();
	op(0, SL_START, 0, CREATE, 0);
	op(0, SL_CREATE, 0, CREATE, 1);
	op(0, SL_CREATE, 0, CREATE, 2);
	op(1, SL_READ, address(&balance), READ, 100);
	op(2, SL_READ, address(&balance), READ, 100)->cost = 1;
	op(2, SL_WRITE, address(&balance), WRITE, 100);
	op(2, SL_END, 0, WRITE, 0);
	op(1, SL_WRITE, address(&balance), WRITE, 150);
	op(0, SL_JOIN, 0, JOIN, 1);
	op(0, SL_JOIN, 0, JOIN, 2);
	culprit(0, op(0, SL_READ, address(&balance), CHECK, 150), 0);
	finding.kind = SL_FINDING_ASSERT;
	snprintf(finding.message, sizeof(finding.message), "balance == 200");
}

static void
assertion_after_a_lost_update(void **state)
{
	(void)state;
	lost_update();
	expect(told(1), "assertion failed: balance == 200 (main at CHECK)\n"
			"\n"
			" CHECK (main)\n"
			"| MARK(CHECK);\n"
			"\n"
			"The schedule, with 1 preemption:\n"
			"\n"
			" main CREATE creates T1 deposit\n"
			" main CREATE creates T2 withdraw\n"
			" T1 deposit READ reads balance (= 100)\n"
			" T2 withdraw READ (deposit) reads balance (= 100) <- preempts T1\n"
			" T2 withdraw WRITE (deposit) writes balance (100 -> 150)\n"
			" T1 deposit WRITE writes balance (150 -> 150)\n"
			" main JOIN joins T1 deposit\n"
			" main JOIN joins T2 withdraw\n"
			" main CHECK reads balance (= 150)\n"
			"\n"
			"See it again with: sleave replay account-1.sleave\n");
}

/* Both sides with stacks and locks; what comes after the race is not reported. */
static void
race_with_a_lock_on_one_side(void **state)
{
	struct sl_record *early, *late;

	(void)state;
	fresh();
	op(1, SL_MUTEX_LOCK, address(&other), LOCK_OTHER, 0);
	op(1, SL_MUTEX_LOCK, address(&lock), LOCK, 0);
	op(1, SL_MUTEX_UNLOCK, address(&other), UNLOCK, 0);
	early = op(1, SL_WRITE, address(&balance), WRITE, 0);
	late = op(2, SL_READ, address(&balance), READ, 7);
	late->cost = 1;
	op(1, SL_READ, address(&balance), READ, 7);
	culprit(0, late, 1);
	culprit(1, early, 0);
	finding.kind = SL_FINDING_RACE;
	finding.object = address(&balance);
	expect(told(1), "data race on balance: T1 deposit writes at WRITE, T2 withdraw reads at READ\n"
			"\n"
			"The schedule, with 1 preemption:\n"
			"\n"
			" T1 deposit WRITE writes balance (0 -> 7)\n"
			" T2 withdraw READ (deposit) reads balance (= 7) <- preempts T1, the race\n"
			"\n"
			"The two accesses, which nothing puts in order:\n"
			"\n"
			" T1 deposit writes balance (4 bytes), holding lock (LOCK)\n"
			" WRITE (deposit)\n"
			"| MARK(WRITE);\n"
			" created by main at CREATE\n"
			"\n"
			" T2 withdraw reads balance (4 bytes), holding no lock\n"
			" READ (deposit)\n"
			"| MARK(READ);\n"
			" called from CHECK (main)\n"
			" created by main at CREATE\n"
			"\n"
			"See it again with: sleave replay account-1.sleave\n");
}

static void
stuck(uint32_t thread, unsigned kind, const void *object, enum place place, int waits_for)
{
	threads[thread].state = SL_THREAD_BLOCKED;
	threads[thread].pending = (struct sl_op){.kind = (uint8_t)kind, .flags = sl_op_kinds[kind].flags, .thread = thread,
						 .object = address(object), .pc = pcs[place]};
	threads[thread].waits_for = waits_for;
}

static void
deadlock_of_two_locks(void **state)
{
	(void)state;
	fresh();
	op(1, SL_MUTEX_LOCK, address(&lock), LOCK, 0);
	op(2, SL_MUTEX_LOCK, address(&other), LOCK_OTHER, 0)->cost = 1;
	stuck(0, SL_JOIN, NULL, JOIN, 1);
	stuck(1, SL_MUTEX_LOCK, &other, LOCK_OTHER, 2);
	stuck(2, SL_MUTEX_LOCK, &lock, LOCK, 1);
	finding.kind = SL_FINDING_DEADLOCK;
	expect(told(1), "deadlock: T1 deposit and T2 withdraw wait for each other\n"
			"\n"
			"The schedule, with 1 preemption:\n"
			"\n"
			" T1 deposit LOCK locks lock\n"
			" T2 withdraw LOCK_OTHER (deposit) locks other <- preempts T1\n"
			"\n"
			"Who waits for what:\n"
			"\n"
			" T1 deposit waits for other, which T2 withdraw has held since LOCK_OTHER (deposit)\n"
			" LOCK_OTHER (deposit)\n"
			"| MARK(LOCK_OTHER);\n"
			"\n"
			" T2 withdraw waits for lock, which T1 deposit has held since LOCK (deposit)\n"
			" LOCK (deposit)\n"
			"| MARK(LOCK);\n"
			"\n"
			" main waits for T1 deposit to end\n"
			" JOIN (main)\n"
			"| MARK(JOIN);\n"
			"\n"
			"See it again with: sleave replay account-1.sleave\n");
}

static void
lost_wake_up_names_the_signal(void **state)
{
	(void)state;
	fresh();
	op(2, SL_COND_SIGNAL, address(&ready), SIGNAL, 0);
	op(1, SL_MUTEX_LOCK, address(&lock), LOCK, 0);
	op(1, SL_COND_WAIT, address(&ready), WAIT, address(&lock));
	stuck(1, SL_COND_WAIT, &ready, WAIT, -1);
	finding.kind = SL_FINDING_DEADLOCK;
	finding.lost_wakeup = 1;
	expect(told(0), "lost wake-up: T1 deposit waits for a signal of ready, and no thread is left that could send one\n"
			"\n"
			"The schedule, without any preemption:\n"
			"\n"
			" T2 withdraw SIGNAL signals ready: no thread waits\n"
			" T1 deposit WAIT waits for ready, releasing lock\n"
			"\n"
			"Who waits for what:\n"
			"\n"
			" T1 deposit waits for a signal of ready\n"
			" WAIT (deposit)\n"
			"| MARK(WAIT);\n"
			" lost: T2 withdraw signalled it at SIGNAL (withdraw), when no thread waited\n"
			"\n"
			"See it again with: sleave replay account-1.sleave\n");
}

static void
headline(const char *expected)
{
	struct sl_story story = {&finding, &trace, names, 0, NULL, false, NULL, NULL};
	char *text = malloc(640);

	assert_non_null(text);
	sl_headline_format(&story, text, 640);
	expect(text, expected);
}

static void
headlines(void **state)
{
	struct sl_record *r;

	(void)state;
	fresh();
	finding.kind = SL_FINDING_DEADLOCK;
	headline("deadlock: no thread can go on");
	stuck(1, SL_MUTEX_LOCK, &lock, LOCK, 1);
	headline("deadlock: T1 deposit waits for lock, which it holds itself");
	stuck(1, SL_SEM_WAIT, &lock, LOCK, -1);
	headline("deadlock: T1 deposit waits for lock");
	threads[1].state = SL_THREAD_SPINNING;
	headline("deadlock: T1 deposit spins, and no thread is left that could change what it looks at");
	snprintf(threads[1].name, sizeof(threads[1].name), "poller");
	headline("deadlock: T1 poller spins, and no thread is left that could change what it looks at");

	fresh();
	r = op(1, SL_ALLOC, 0x610000001000, ALLOC, 24);
	r = op(1, SL_FREE, 0x610000001000, FREE, 24);
	r = op(2, SL_READ, 0x610000001008, READ, 0);
	culprit(0, r, 0);
	finding.kind = SL_FINDING_CRASH;
	finding.status = SIGSEGV;
	headline("crash: segmentation fault (SIGSEGV): null pointer in T2 withdraw at READ (deposit)");
	finding.object = 0x610000001008;
	headline("crash: segmentation fault (SIGSEGV): heap block from ALLOC, +8 in T2 withdraw at READ (deposit)");
	finding.kind = SL_FINDING_EXIT;
	finding.status = 3;
	headline("the program ended with status 3 in T2 withdraw at READ (deposit)");
	finding.kind = SL_FINDING_ABORT;
	headline("abort in T2 withdraw at READ (deposit)");
	finding.kind = SL_FINDING_ASSERT;
	snprintf(finding.message, sizeof(finding.message), "x > 0, main, report_test.c:9");
	headline("assertion failed: x > 0, main, report_test.c:9");
}

/* A thousand operations and hundreds of switches still fit a screen or two, and nothing runs over. */
static void
long_stories_are_cut(void **state)
{
	char *text;
	unsigned rows = 0;

	(void)state;
	fresh();
	for (int i = 0; i < 37; i++)
		op(1, SL_WRITE, address(&balance), WRITE, (uint64_t)i);
	culprit(0, op(2, SL_READ, address(&balance), READ, 37), 0);
	finding.kind = SL_FINDING_ASSERT;
	text = told(0);
	assert_non_null(strstr(text, "… 25 more operations\n"));
	free(text);

	for (int i = 0; i < 2000; i++)
		op(1 + i / 3 % 2, SL_WRITE, address(&balance), WRITE, (uint64_t)i);
	text = told(600);
	assert_non_null(strstr(text, " more turns of the threads\n"));
	for (const char *s = text; *s; s++)
		rows += *s == '\n';
	assert_in_range(rows, 20, 50);
	free(text);
}

/* Nothing is known but the finding itself. */
static void
an_empty_trace_is_told_too(void **state)
{
	struct sl_trace none = {0};
	struct sl_story story = {&finding, &none, NULL, 0, "it's.sleave", false, NULL, NULL};
	char *text = NULL;
	size_t size;
	FILE *f;

	(void)state;
	for (uint32_t kind = 0; kind < SL_FINDING_KIND_COUNT; kind++) {
		memset(&finding, 0, sizeof(finding));
		finding.kind = kind;
		finding.culprit_count = 2;
		finding.culprits[0].stack = finding.culprits[1].stack = 77;
		finding.culprits[0].thread = 5;
		f = open_memstream(&text, &size);
		assert_non_null(f);
		sl_story_print(f, &plain, &story);
		fclose(f);
		assert_non_null(strstr(text, "sleave replay 'it'\\''s.sleave'\n"));
		free(text);
	}
}

static void
every_operation_has_a_line(void **state)
{
	char *text = NULL;
	size_t size, rows = 0;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	fresh();
	for (unsigned kind = 0; kind < SL_OP_KIND_COUNT; kind++)
		op(kind % 3, kind, kind == SL_ALLOC ? 0x610000001000 : address(&balance), READ, EBUSY);
	trace.dropped = 5;
	sl_trace_print(f, &plain, &trace, names);
	fclose(f);
	for (const char *s = text; *s; s++)
		rows += *s == '\n';
	assert_int_equal(rows, SL_OP_KIND_COUNT + 1);
	assert_non_null(strstr(text, "tries to lock balance: already locked"));
	assert_non_null(strstr(text, "ends the program with status 16"));
	free(text);
}

/* ---- verdicts ---- */

static struct sl_outline outlines[2];

static struct sl_summary
summary(enum sl_verdict verdict)
{
	return (struct sl_summary){.verdict = verdict,
				   .search.bound = -1,
				   .program = "./account",
				   .strategy = "dfs",
				   .world = "memory",
				   .carrier = "fiber",
				   .seed = 7,
				   .executions = 40009,
				   .interleavings = 40000,
				   .spent = {.search = 40000, .warm_up = 9},
				   .seconds = 9.96,
				   .counts.operations = 1234567,
				   .counts.accesses = 1,
				   .counts.threads = 3};
}

static char *
printed(const struct sl_summary *s, bool json)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	if (json)
		sl_json_print(f, s);
	else
		sl_verdict_print(f, &plain, s);
	fclose(f);
	return text;
}

#define CONTROL "under control: 3 threads, 1,234,567 operations, 1 access in 40,009 executions\n"

static void
verdicts(void **state)
{
	struct sl_escaped escaped = {"write", 12, "a.c:3 (main)"};
	struct sl_summary s = summary(SL_VERDICT_CLEAN);

	(void)state;
	expect(printed(&s, false), "clean so far: sampled 40,000 schedules in 10.0 s\n" CONTROL);
	s.search.bound = 2;
	expect(printed(&s, false), "clean so far: sampled 40,000 schedules in 10.0 s"
				   " (every schedule with at most 2 preemptions)\n" CONTROL);
	s.search.exhaustive = s.search.bounded = s.search.over = true; /* no more was asked for */
	expect(printed(&s, false), "clean: every interleaving with at most 2 preemptions in 10.0 s, 40,000 schedules\n" CONTROL);
	s.search.bound = 0;
	expect(printed(&s, false), "clean: every interleaving without preemptions in 10.0 s, 40,000 schedules\n" CONTROL);
	s.search.bound = -1;
	s.search.bounded = s.search.over = false; /* no time for more */
	s.search.estimate = 1000000;
	expect(printed(&s, false), "clean so far: 40,000 schedules in 10.0 s\n"
				   "covered: about 4% of an estimated 1,000,000 interleavings\n" CONTROL);
	s.search.over = true;
	expect(printed(&s, false), "clean so far: 40,000 schedules in 10.0 s\n"
				   "left out: the search came to its end, but signals, cancellation, timers, child processes or "
				   "the size of an execution kept it from trying everything\n" CONTROL);
	s.search.bound = 2;
	s.search.complete = true;
	s.escapes = &escaped;
	s.escape_count = 1;
	s.search.classes = true;
	char *text = printed(&s, false);

	assert_true(!strncmp(text, "clean: all interleavings (40,000 that differ) in 10.0 s\n", 55));
	free(text);
	s.search.classes = false;
	expect(printed(&s, false), "clean: all 40,000 interleavings in 10.0 s\n" CONTROL
				   "not modelled: write, let through 12 times, first at a.c:3 (main)\n");
	s = summary(SL_VERDICT_CLEAN);
	s.verbose = true;
	expect(printed(&s, false), "clean so far: sampled 40,000 schedules in 10.0 s\n" CONTROL
				   "executions: 40,000 to search, 9 to warm up\n");
	s.search.complete = true; /* the samples had seen everything */
	s.interleavings = 2;
	s.counts.compared = 1;
	expect(printed(&s, false), "clean: all 2 interleavings in 10.0 s\n" CONTROL
				   "executions: 2 to search, 39,998 that were the same again, 9 to warm up\n"
				   "compared: 1 execution twice, operation by operation: 0 differed\n");
	s = summary(SL_VERDICT_FINDING);
	snprintf(outlines[0].message, sizeof(outlines[0].message), "data race on balance");
	s.findings = outlines;
	s.finding_count = 1;
	s.interrupted = true;
	expect(printed(&s, false), "finding: data race on balance\n after 40,009 executions in 10.0 s, interrupted\n" CONTROL);
	s = summary(SL_VERDICT_UNDECIDED);
	s.reason = "the program was not built with sleave cc";
	s.warnings = outlines;
	s.warning_count = 1;
	expect(printed(&s, false), "warning: data race on balance\n"
				   "undecided: the program was not built with sleave cc\n" CONTROL);
}

static void
json_escapes_any_bytes(void **state)
{
	struct sl_escaped escaped = {"write", 12, ""};
	struct sl_summary s = summary(SL_VERDICT_FINDING);

	(void)state;
	memset(outlines, 0, sizeof(outlines));
	outlines[0] = (struct sl_outline){.kind = "race", .replay = "a\\b.sleave", .preemptions = 1, .execution = 5, .place_count = 1};
	snprintf(outlines[0].message, sizeof(outlines[0].message), "\"q\" \n\t\x01 \xff\xc3 \xc3\xa4 \xed\xa0\x80 \xf0\x9f\x98\x80");
	outlines[0].places[0] = (struct sl_outline_place){.thread = "T1 w", .frame_count = 2, .frames = {{"f", "a.c", 4}, {"g", "b.c", 5}}};
	s.findings = outlines;
	s.finding_count = 1;
	struct sl_followed followed = {.name = "a\"b", .file = "", .line = 7, .infeasible = true, .kept = 1, .dropped = 2, .unknown = ""};

	s.schedules = &followed;
	s.schedule_count = 1;
	s.escapes = &escaped;
	s.escape_count = 1;
	expect(printed(&s, true),
	       "{\"verdict\": \"finding\", \"complete\": false, \"classes\": false, \"interrupted\": false, \"reason\": null, "
	       "\"program\": \"./account\", \"strategy\": \"dfs\", \"seed\": 7, \"executions\": 40009, \"interleavings\": 40000, "
	       "\"spent\": {\"search\": 40000, \"lockstep\": 0, \"warm_up\": 9, \"compare\": 0, \"confirm\": 0, "
	       "\"shorten\": 0, \"trace\": 0, \"enablers\": 0, \"endless\": 0, \"leaks\": 0, \"given_up\": 0, \"recorded\": 0, \"other_world\": 0}, "
	       "\"seconds\": 9.960, \"operations\": 1234567, \"accesses\": 1, \"threads\": 3, \"bound\": null, "
	       "\"cut\": 0, \"given_up\": 0, \"abandoned\": 0, \"suppressed\": 0, \"sync_only\": false, \"unaided\": false, \"relaxed\": false, \"set_aside\": false, \"compared\": 0, \"diverged\": 0, \"world\": \"memory\", \"carrier\": \"fiber\", \"findings\": [{\"kind\": \"race\", "
	       "\"message\": \"\\\"q\\\" \\n\\t\\u0001 \\ufffd\\ufffd \xc3\xa4 \\ufffd\\ufffd\\ufffd "
	       "\xf0\x9f\x98\x80\", \"preemptions\": 1, \"execution\": 5, \"places\": [{\"thread\": \"T1 w\", \"function\": \"f\", "
	       "\"file\": \"a.c\", \"line\": 4, \"callers\": [{\"function\": \"g\", \"file\": \"b.c\", "
	       "\"line\": 5}]}], \"cycle\": [], \"replay\": \"a\\\\b.sleave\", "
	       "\"delay\": null, \"stdout\": null, \"stderr\": null}], \"warnings\": [], "
	       "\"schedules\": [{\"name\": \"a\\\"b\", \"file\": null, \"line\": 7, \"infeasible\": true, "
	       "\"followed\": 1, \"left\": 2, \"unknown\": null}], "
	       "\"not_seen\": [], \"escapes\": [{\"name\": \"write\", \"count\": 12, \"place\": null}]}\n");
}

/* Foreign characters in a name are shown escaped, and end no line. */
static void
text_of_others_controls_nothing(void **state)
{
	static const char text[] = "a\nb\t\x1b[2J\r\x7f \xc2\x9b \xe2\x80\xae \xe2\x80\xa8 \xff \xc3\xa4 \\n";
	static const char shown[] =
		"a\\nb\\t\\x1b[2J\\r\\x7f \\xc2\\x9b \\xe2\\x80\\xae \\xe2\\x80\\xa8 \\xff \xc3\xa4 \\n";
	char to[256], *out = NULL, *words[] = {"a b", "c\x1b", "\xff'\\", "\xc3\xa4", NULL};
	size_t size;
	FILE *f;

	(void)state;
	assert_string_equal(sl_shown(to, sizeof(to), text), shown);
	strcpy(to, text);
	sl_shown_in_place(to, sizeof(to));
	assert_string_equal(to, shown);
	assert_string_equal(sl_shown(to, 6, text), "a\\nb"); /* no half of a character, and none of an escape */
	assert_string_equal(sl_shown(to, 3, "a\xc3\xa4"), "a");
	strcpy(to, "a\n\n");
	sl_shown_in_place(to, 4);
	assert_string_equal(to, "a\\n");
	f = open_memstream(&out, &size);
	sl_say(f, "%s: %d\n", text, 1);
	sl_path_put(f, "-x.sleave");
	fputc('\n', f);
	sl_words_put(f, words);
	fputc('\n', f);
	sl_line_put(f, "\xc3\xa4\n\\", 8);
	fputc('|', f);
	fclose(f);
	assert_true(strncmp(out, shown, strlen(shown)) == 0);
	assert_string_equal(out + strlen(shown), ": 1\n./-x.sleave\n'a b' $'c\\033' $'\\377\\'\\\\' \xc3\xa4\n\xc3\xa4\\n\\\\   |");
	free(out);
}

static void
outline_lists_the_places(void **state)
{
	struct sl_outline o;
	struct sl_story story = {&finding, &trace, names, 1, "account-1.sleave", false, NULL, NULL};

	(void)state;
	lost_update();
	sl_outline_init(&o, &story);
	assert_string_equal(o.kind, "assertion");
	assert_string_equal(o.replay, "account-1.sleave");
	assert_int_equal(o.place_count, 1);
	assert_string_equal(o.places[0].thread, "main");
	assert_string_equal(o.places[0].frames[0].function, "main");
	assert_string_equal(o.places[0].frames[0].file, "unit/report_test.c");
	assert_int_equal(o.places[0].frames[0].line, lines[CHECK]);
}

static void
counts_have_commas(void **state)
{
	char text[27];

	(void)state;
	assert_string_equal(sl_count_format(0, text), "0");
	assert_string_equal(sl_count_format(999, text), "999");
	assert_string_equal(sl_count_format(1000, text), "1,000");
	assert_string_equal(sl_count_format(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static int
start(void **state)
{
	struct sl_err err;

	(void)state;
	/* Names of files below the current directory are relative to it; from here they do not depend on it. */
	if (chdir("/"))
		return -1;
	dl_iterate_phdr(add_program, NULL);
	names = sl_names_new(modules, 1, &err);
	return names ? 0 : -1;
}

static int
end(void **state)
{
	(void)state;
	sl_names_free(names);
	return 0;
}

static void
templates_of_suppressions(void **state)
{
	(void)state;
	assert_true(sl_template_match("write", "Logger::write(int)"));
	assert_true(sl_template_match("^Logger", "Logger::write(int)"));
	assert_false(sl_template_match("^write", "Logger::write(int)"));
	assert_true(sl_template_match("int)$", "Logger::write(int)"));
	assert_false(sl_template_match("write$", "Logger::write(int)"));
	assert_true(sl_template_match("^L*w*e(*)$", "Logger::write(int)"));
	assert_true(sl_template_match("*", ""));
	assert_true(sl_template_match("a*b", "xaab"));
	assert_true(sl_template_match("a*b$", "ab_ab"));
	assert_false(sl_template_match("a*b$", "ab_"));
	assert_false(sl_template_match("abc", "ab"));
	assert_false(sl_template_match("", "ab"));
	assert_true(sl_template_match("^$", ""));
	assert_true(sl_template_match("^a$b*$", "a$bb"));
	assert_false(sl_template_match("a$", "a$a$"));
}

/* Trying every star anew at every place would outlast the test by far. */
static void
many_stars_take_no_time(void **state)
{
	char template[2 * 40 + 3], name[2048];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	for (int i = 0; i < 40; i++)
		memcpy(template + 2 * i, "*a", 2);
	strcpy(template + 80, "b");
	assert_false(sl_template_match(template, name));
	template[80] = '$';
	assert_true(sl_template_match(template, name));
}

static void
suppression_files_that_are_refused(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *message;
	} table[] = {
		{"race:a\nrace:b\0c\n", 16, ":2: this is not text: it has a zero byte"},
		{"racy:a\n", 7, ":1: there is no type 'racy'; there are race, race_top, deadlock, mutex, thread and the kinds of findings"},
		{"# a\n\nrace\x1b[2J:\n", 15, ":3: expected TYPE:TEMPLATE, as in race:function, not 'race?[2J:'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct sl_suppressions *suppressions;
		struct sl_err err;
		char path[64];
		int fd = memfd_create("suppressions", MFD_CLOEXEC);

		assert_true(fd >= 0 && write(fd, table[i].text, table[i].size) == (ssize_t)table[i].size);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_true(sl_suppressions_read(path, &suppressions, &err) < 0);
		assert_null(suppressions);
		assert_string_equal(err.text + strlen(path), table[i].message);
		close(fd);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(assertion_after_a_lost_update),
		cmocka_unit_test(race_with_a_lock_on_one_side),
		cmocka_unit_test(deadlock_of_two_locks),
		cmocka_unit_test(lost_wake_up_names_the_signal),
		cmocka_unit_test(headlines),
		cmocka_unit_test(long_stories_are_cut),
		cmocka_unit_test(an_empty_trace_is_told_too),
		cmocka_unit_test(every_operation_has_a_line),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(json_escapes_any_bytes),
		cmocka_unit_test(templates_of_suppressions),
		cmocka_unit_test(many_stars_take_no_time),
		cmocka_unit_test(suppression_files_that_are_refused),
		cmocka_unit_test(text_of_others_controls_nothing),
		cmocka_unit_test(outline_lists_the_places),
		cmocka_unit_test(counts_have_commas),
	};

	deposit();
	withdraw();
	MARK(CREATE);
	MARK(JOIN);
	MARK(CHECK);
	return cmocka_run_group_tests(tests, start, end);
}
