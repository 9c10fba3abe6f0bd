/*
 * Asks `sleave bind` (argv[1]) about itself, and compares with the addresses that it knows: functions, also static ones,
 * lines, variables with their members, and what is refused, by the sentence.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "schedule/binding.h"

struct queue {
	int first;
	union {
		struct {
			int head, tail;
		};
		long both;
	};
	pthread_mutex_t lock;
	pthread_cond_t ready;
	struct queue *next;
};

struct queue queue;
struct {
	int count, rest;
} table[4];
int grid[3][5];
struct queue *pointer = &queue;
static int balance;
sem_t places;
__thread int own;
extern int shared_total;
static int hidden = 1;

int library_call(int x);
void *library_place(int which);

__attribute__((noinline)) static int
withdraw(int amount)
{
	static int calls;

	calls++;

	balance -= amount; /* LINE */
	return balance + hidden;
}

static inline __attribute__((always_inline)) void
add_one(int *to)
{
	*to += 1;
}

__attribute__((noinline)) static void
deposit(int amount)
{
	balance += amount;
	add_one(&balance); /* CALL */
	add_one(&hidden);
}

static struct sl_binding found[64];
static int count, failed, passed;
static char sentence[1024];
static const char *sleave;

static void
ask(const char *text)
{
	char command[1024];
	FILE *in;

	snprintf(command, sizeof(command), "%s bind --pid %d '%s' 2>sentence", sleave, (int)getpid(), text);
	in = popen(command, "r");
	count = (int)fread(found, sizeof(found[0]), 64, in);
	pclose(in);
	in = fopen("sentence", "r");
	memset(sentence, 0, sizeof(sentence));
	if (in && fread(sentence, 1, sizeof(sentence) - 1, in) > 0)
		sentence[strcspn(sentence, "\n")] = 0;
	if (in)
		fclose(in);
}

static void
check(int good, const char *what)
{
	passed += good;
	failed += !good;
	if (good)
		return;
	printf("FAILED: %s: %d bindings, \"%s\"\n", what, count, sentence);
	for (int i = 0; i < count; i++)
		printf("  atom %u kind %u region %u: %lx-%lx\n", found[i].atom, found[i].kind, found[i].region,
		       (unsigned long)found[i].low, (unsigned long)found[i].high);
}

static int
has(int kind, const void *low, size_t size)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		n += (int)found[i].kind == kind && found[i].low == (uint64_t)low &&
		     (!size || found[i].high == (uint64_t)low + size);
	return n;
}

static int
inside(int kind, const void *low, const void *high)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		n += (int)found[i].kind == kind && found[i].low >= (uint64_t)low && found[i].high <= (uint64_t)high;
	return n;
}

static void
data(const char *name, const void *low, size_t size)
{
	char text[256];

	snprintf(text, sizeof(text), "write:%s -> done", name);
	ask(text);
	check(count >= 1 && has(SL_BOUND_DATA, low, size) == 1, text);
}

static void
refused(const char *text, const char *why)
{
	ask(text);
	check(count == 0 && strstr(sentence, why), text);
}

static void
functions(void)
{
	ask("enter:withdraw -> exit:deposit");
	check(has(SL_BOUND_FUNCTION, withdraw, 0) == 1 && has(SL_BOUND_FUNCTION, deposit, 0) == 1, "static functions");
	ask("enter:library_call -> done");
	check(has(SL_BOUND_FUNCTION, library_call, 0) == 1, "a function of a library");
	ask("enter:add_one -> done");
	/* of two places, each at least one piece; they have deposit around them */
	check(inside(SL_BOUND_REGION, deposit, (char *)deposit + 4096) >= 2 && has(SL_BOUND_AROUND, deposit, 0) == 2 &&
		      !inside(SL_BOUND_FUNCTION, NULL, (void *)~0ul),
	      "an inlined function");
	refused("enter:withdrow -> done", "there is no function `withdrow` in the program; did you mean `withdraw`?");
	refused("a -> b,\n enter:xyzzy -> done", "line 2, column 2: there is no function `xyzzy` in the program");
}

static void
lines(int line, int call)
{
	char text[256], why[256];

	snprintf(text, sizeof(text), "program.c:%d -> done", line);
	ask(text);
	check(inside(SL_BOUND_REGION, withdraw, (char *)withdraw + 4096) >= 1 && has(SL_BOUND_AROUND, withdraw, 0) == 1,
	      "a line");
	snprintf(text, sizeof(text), "bind/program.c:%d -> done", line);
	ask(text);
	check(inside(SL_BOUND_REGION, withdraw, (char *)withdraw + 4096) >= 1, "a line of a file with its folder");
	snprintf(text, sizeof(text), "program.c:%d -> done", call);
	ask(text);
	check(inside(SL_BOUND_REGION, deposit, (char *)deposit + 4096) >= 1 && has(SL_BOUND_AROUND, deposit, 0) == 1,
	      "a line with an inlined call");
	refused("program.c:3 -> done", "line 3 of `program.c` has no code; the nearest line that has is ");
	snprintf(text, sizeof(text), "program.c:%d -> done", line - 1); /* empty */
	snprintf(why, sizeof(why), "line %d of `program.c` has no code; the nearest lines that have are %d and %d", line - 1,
		 line - 2, line);
	refused(text, why);
	refused("progrem.c:10 -> done", "there is no file `progrem.c` in the program; did you mean `program.c`?");
	refused("other/program.c:10 -> done", "there is no file `other/program.c`");
}

static void
variables(void)
{
	data("balance", &balance, sizeof(balance));
	data("queue", &queue, sizeof(queue));
	data("queue.first", &queue.first, 4);
	data("queue.tail", &queue.tail, 4);
	data("queue.both", &queue.both, 8);
	data("table", table, sizeof(table));
	data("table[3]", &table[3], 8);
	data("table[3].rest", &table[3].rest, 4);
	data("grid[1]", grid[1], 20);
	data("grid[2][4]", &grid[2][4], 4);
	data("pointer", &pointer, 8);
	data("shared_total", library_place(0), 4);
	ask("write:hidden -> done");
	check(count == 2 && has(SL_BOUND_DATA, &hidden, 4) == 1 && has(SL_BOUND_DATA, library_place(1), 4) == 1,
	      "two variables of one name");
	ask("write:withdraw.calls -> read:calls");
	check(count == 2 && found[0].low == found[1].low && found[0].atom == 0 && found[1].atom == 1,
	      "a static variable of a function");
	ask("lock:queue.lock -> unlock:queue.lock, wait:queue.ready -> signal:queue.ready, wait:places -> done");
	check(count == 5 && has(SL_BOUND_DATA, &queue.lock, sizeof(queue.lock)) == 2 &&
		      has(SL_BOUND_DATA, &queue.ready, sizeof(queue.ready)) == 2,
	      "objects");
	refused("write:balanse -> done",
		"there is no global or static variable `balanse` in the program; did you mean `balance`?");
	refused("write:own -> done", "there is no global or static variable `own`");
	refused("write:queue.lokc -> done", "`queue.lokc`: there is no member `lokc` there");
	ask("write:pointer->tail -> done");
	check(count == 1 && found[0].kind == SL_BOUND_POINTED && found[0].low == (uint64_t)&pointer && found[0].high == 4 &&
		      found[0].hops == 1 && found[0].steps[0] == offsetof(struct queue, tail),
	      "what a pointer points to");
	ask("lock:pointer->next->lock -> done");
	check(count == 1 && found[0].high == sizeof(pthread_mutex_t) && found[0].hops == 2 &&
		      found[0].steps[0] == offsetof(struct queue, next) && found[0].steps[1] == offsetof(struct queue, lock),
	      "what that points to");
	refused("write:pointer.first -> done", "in `pointer.first` a `.` follows a pointer: write `->`");
	refused("write:queue->first -> done", "in `queue->first` a `->` follows something that is not a pointer");
	refused("lock:pointer -> done", "`pointer` is not an object that can be locked");
	refused("write:table[4] -> done", "the array ends before element 4: it has 4");
	refused("write:balance[0] -> done", "an index follows something that is not an array");
	refused("lock:balance -> done", "`balance` is not an object that can be locked");
	refused("lock:queue.ready -> done", "`queue.ready` is a pthread_cond_t: it can't be locked");
	refused("signal:queue.lock -> done", "`queue.lock` is a pthread_mutex_t: it can't be waited for");
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	sleave = argv[1];
	withdraw(argc);
	deposit(argc);
	shared_total += library_call(argc);
	table[argc % 4].count = grid[argc % 3][0] = own = 1;
	functions();
	lines(atoi(argv[2]), atoi(argv[3]));
	variables();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
