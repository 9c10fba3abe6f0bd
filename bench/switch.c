/*
 * The cost of a switch: the engine's own, taken from src/engine/core/carrier.c as it is, between two stacks with
 * the thread-local storage of two real threads; and a hand-off between two kernel threads with futexes, as fast as
 * possible: once with both on one processor, once where the kernel puts them. Both sides take turns, and the best
 * round of each counts.
 *
 * Also the cost of a switch to any one of a few stacks, or of a thousand, with some lines of it used: of a
 * thousand, those lines and the page are no longer cached when their turn comes again, whatever the scheduler does.
 *
 * Prints one JSON object, in nanoseconds per switch.
 *
 * usage: switch [ROUNDS]
 */
#include <asm/prctl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* src/engine/core/carrier.c; the rest of that file is dropped by the linker */
void sl_switch_asm(void **save, void *sp, uintptr_t fs);
void sl_switch_asm_nofs(void **save, void *sp);

enum { SWITCHES = 1000000, HANDOFFS = 20000 };

static bool fsgsbase;
static void *first_sp, *second_sp;
static uintptr_t first_fs, second_fs;
static uint32_t turn;

static uint64_t
now_by(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t
now(void)
{
	return now_by(CLOCK_MONOTONIC);
}

/* ---- fibers ---- */

static inline void
switch_to(void **save, void *sp, uintptr_t fs)
{
	if (fsgsbase) {
		sl_switch_asm(save, sp, fs);
		return;
	}
	syscall(SYS_arch_prctl, ARCH_SET_FS, fs);
	sl_switch_asm_nofs(save, sp);
}

static void
second_fiber(void)
{
	for (;;)
		switch_to(&second_sp, first_sp, first_fs);
}

static void *
lend(void *wanted)
{
	__asm__("movq %%fs:0, %0" : "=r"(second_fs));
	__atomic_store_n((int *)wanted, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static void
fibers_prepare(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	uintptr_t *sp = (uintptr_t *)(stack + sizeof(stack));
	pthread_t thread;
	int lent = 0;

	fsgsbase = getauxval(AT_HWCAP2) & 2;
	__asm__("movq %%fs:0, %0" : "=r"(first_fs));
	pthread_create(&thread, NULL, lend, &lent);
	while (!__atomic_load_n(&lent, __ATOMIC_ACQUIRE))
		sched_yield();
	*--sp = 0;
	*--sp = (uintptr_t)second_fiber;
	for (int i = 0; i < 6; i++)
		*--sp = 0;
	sp--;
	((uint32_t *)sp)[0] = 0x1f80;
	((uint32_t *)sp)[1] = 0x37f;
	second_sp = sp;
}

static double
fibers(void)
{
	uint64_t start = now();

	for (int i = 0; i < SWITCHES / 2; i++)
		switch_to(&first_sp, second_sp, second_fs);
	return (double)(now() - start) / SWITCHES;
}

/* ---- many fibers ---- */

enum { STACKS = 1000, LINES = 7, LINE = 64 };

static void *stack_sp[STACKS];
static unsigned stacks, here;
static int left;
static uint64_t numbers;

/* Like the random strategy: any one is next. */
static void
wander(void)
{
	volatile char room[LINES * LINE] = {0};

	for (;;) {
		unsigned from = here;

		for (int i = 0; i < LINES; i++)
			room[i * LINE]++;
		if (--left < 0) {
			switch_to(&stack_sp[from], first_sp, first_fs);
			continue;
		}
		numbers = numbers * 6364136223846793005u + 1442695040888963407u;
		here = (unsigned)((numbers >> 32) * stacks >> 32);
		if (here == from)
			here = (here + 1) % stacks;
		switch_to(&stack_sp[from], stack_sp[here], first_fs);
	}
}

/* At the same distance as the engine's own stacks, and like them not all at the same offset in a page. */
static void
stacks_prepare(void)
{
	size_t distance = (8ul << 20) + 77824;
	char *memory = mmap(NULL, distance * STACKS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(3);
	}
	for (size_t i = 0; i < STACKS; i++) {
		uintptr_t *sp = (uintptr_t *)(memory + distance * (i + 1) - i % 16 * 128);

		*--sp = 0;
		*--sp = (uintptr_t)wander;
		sp -= 7;
		((uint32_t *)sp)[0] = 0x1f80;
		((uint32_t *)sp)[1] = 0x37f;
		stack_sp[i] = sp;
	}
}

static double
many_fibers(unsigned count)
{
	uint64_t start;

	stacks = count;
	here = 0;
	left = SWITCHES / 5;
	start = now_by(CLOCK_PROCESS_CPUTIME_ID);
	switch_to(&first_sp, stack_sp[0], first_fs);
	return (double)(now_by(CLOCK_PROCESS_CPUTIME_ID) - start) / (SWITCHES / 5);
}

/* ---- kernel threads ---- */

static void
pass_and_wait(uint32_t me)
{
	__atomic_store_n(&turn, !me, __ATOMIC_RELEASE);
	syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL);
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !me, NULL);
}

static void *
partner(void *unused)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 1)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 0, NULL);
	for (int i = 1; i < HANDOFFS / 2; i++)
		pass_and_wait(1);
	__atomic_store_n(&turn, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL);
	return unused;
}

static double
kernel_threads(bool one_processor)
{
	cpu_set_t all, one;
	pthread_t thread;
	uint64_t start, end;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (one_processor)
		sched_setaffinity(0, sizeof(one), &one); /* the new thread inherits it */
	turn = 0;
	pthread_create(&thread, NULL, partner, NULL);
	start = now();
	for (int i = 0; i < HANDOFFS / 2; i++)
		pass_and_wait(0);
	end = now();
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof(all), &all);
	return (double)(end - start) / HANDOFFS;
}

static void
keep(double *best, double value)
{
	if (value < *best)
		*best = value;
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	double fiber = 1e9, same = 1e9, any = 1e9, few = 1e9, many = 1e9;

	fibers_prepare();
	stacks_prepare();
	for (int i = 0; i < rounds; i++) {
		keep(&fiber, fibers());
		keep(&few, many_fibers(4));
		keep(&many, many_fibers(STACKS));
		keep(&same, kernel_threads(true));
		keep(&any, kernel_threads(false));
	}
	printf("{\"fiber\": %.2f, \"fiber_of_4\": %.2f, \"fiber_of_1000\": %.2f, \"futex_one_processor\": %.1f, "
	       "\"futex\": %.1f, \"fsgsbase\": %s}\n",
	       fiber, few, many, same, any, fsgsbase ? "true" : "false");
	return 0;
}
