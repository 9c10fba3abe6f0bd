/*
 * Carriers: the stacks and descriptors on which the program's threads run. Each has thread-local storage and a
 * thread descriptor that the real pthread_create() made, and a stack at a fixed address; so pthread_self(), errno
 * and thread_local variables are real.
 *
 * Fibers (the default): the kernel thread that belongs to a carrier sleeps for ever, and a single kernel thread
 * runs all fibers, with the FS base and stack of each carrier. A switch takes no system call: 19 ns against more
 * than 2,000 for a futex hand-off.
 *
 * Threads: each carrier runs on its own kernel thread and control is handed over with futexes. Slower, but a
 * debugger sees ordinary threads. The first thread shares the main kernel thread with the host.
 *
 * The host is the engine's own context, on its own stack: it restores memory and asks for the next execution. Its
 * thread-local storage is the first thread's.
 */
#include <asm/prctl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/debugger.h"
#include "engine/core/engine.h"
#include "engine/upcall/state.h"
#include "engine/interpose/kernel.h"
#include "engine/under/bulk.h"
#include "engine/under/poison.h"

enum { COMMAND_PARK, COMMAND_RUN, COMMAND_RESET };

struct carrier {
	void *sp; /* the initial stack pointer (fibers are resumed by E.contexts) */
	uintptr_t fs;
	uintptr_t low, top; /* the part of the stack that the program uses */
	uintptr_t end;      /* end of the whole slot: thread-local storage is above top */
	uintptr_t tls;      /* start of its static thread-local storage */
	void *pristine;     /* copy of [tls, end) in its initial state */
	uintptr_t *dtv;     /* the dynamic linker's table, and a copy of it */
	uintptr_t *dtv_copy;
	size_t dtv_words;
	uint32_t command, parked; /* futexes, for threads */
	void *base_sp;            /* threads: the stack pointer of carrier_main() */
	void *signal_stack;
	int tid; /* the number of its kernel thread */
	bool made, busy, dirty;
};

static struct carrier carriers[SL_THREADS_MAX + 1]; /* the first thread has number 0 */
static uint32_t carrier_count = 1;                  /* the number of carriers made */
static uint32_t free_slots[SL_THREADS_MAX + 1], free_count;
static size_t slot_size;
static void *host_sp, *caller_sp;
static uint32_t host_command; /* the main kernel thread waits here when another kernel thread runs */
static bool host_wanted;

#define SIGNAL_STACK 65536
#define HOST_STACK (1ul << 20)
#define PARKED_ROOM 8192 /* frames of the sleeping kernel thread, above the program's part */
/* Stacks begin at different offsets in their pages, because equal offsets would conflict in the cache. */
#define COLOURS 16
#define COLOUR 128

/* ---- the switch ---- */

/* Saves the callee-saved registers on this stack and its pointer in *save; continues on stack `sp` with FS `fs`. */
void sl_switch_asm(void **save, void *sp, uintptr_t fs) __attribute__((visibility("hidden")));
void sl_switch_asm_nofs(void **save, void *sp) __attribute__((visibility("hidden")));

/* clang-format off */
#define SAVE "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n" \
	"subq $8, %rsp\n stmxcsr (%rsp)\n fnstcw 4(%rsp)\n movq %rsp, (%rdi)\n"
/* the control words seldom differ, and loading them serialises the processor */
#define LOAD "movl (%rsp), %eax\n movzwl 4(%rsp), %ecx\n movq %rsi, %rsp\n" \
	"cmpl (%rsp), %eax\n jne 1f\n cmpw 4(%rsp), %cx\n je 2f\n" \
	"1: ldmxcsr (%rsp)\n fldcw 4(%rsp)\n 2: addq $8, %rsp\n" \
	"popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n"
__asm__(".text\n"
	".hidden sl_switch_asm\n .globl sl_switch_asm\n .type sl_switch_asm, @function\n"
	"sl_switch_asm:\n" SAVE "wrfsbase %rdx\n" LOAD ".size sl_switch_asm, .-sl_switch_asm\n"
	".hidden sl_switch_asm_nofs\n .globl sl_switch_asm_nofs\n .type sl_switch_asm_nofs, @function\n"
	"sl_switch_asm_nofs:\n" SAVE LOAD ".size sl_switch_asm_nofs, .-sl_switch_asm_nofs\n");
/* clang-format on */

static void
switch_context(void **save, void *sp, uintptr_t fs)
{
	if (likely(E.process.fsgsbase)) {
		sl_switch_asm(save, sp, fs);
		return;
	}
	sl_raw(SYS_arch_prctl, ARCH_SET_FS, fs);
	sl_switch_asm_nofs(save, sp);
}

/* Prepares a stack such that a switch to it enters `entry` as if that had been called. */
static void *
fresh_stack(uintptr_t top, void (*entry)(void))
{
	uintptr_t *sp = (uintptr_t *)(top & ~15ul);

	*--sp = 0; /* the return address of entry: ends backtraces; keeps the alignment of a call */
	*--sp = (uintptr_t)entry;
	for (int i = 0; i < 6; i++)
		*--sp = 0;
	sp--;
	((uint32_t *)sp)[0] = 0x1f80; /* mxcsr and x87 control word with their initial values */
	((uint32_t *)sp)[1] = 0x37f;
	return sp;
}

static uintptr_t
read_fs(void)
{
	uintptr_t fs;

	__asm__("movq %%fs:0, %0" : "=r"(fs)); /* the descriptor's first word points to itself */
	return fs;
}

static void
futex_wait(uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		sl_raw(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void
futex_set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	sl_raw(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* ---- making carriers ---- */

static int
lowest_tls(struct dl_phdr_info *info, size_t size, void *data)
{
	struct carrier *c = data;
	uintptr_t at = (uintptr_t)info->dlpi_tls_data;

	(void)size;
	if (at > c->low && at < c->tls)
		c->tls = at;
	return 0;
}

/* Runs on the new kernel thread. */
static void *
carrier_main(void *argument)
{
	struct carrier *c = argument;

	c->tid = (int)sl_raw(SYS_gettid);
	c->fs = read_fs();
	c->tls = c->fs;
	dl_iterate_phdr(lowest_tls, c);
	c->tls &= ~63ul;
	c->top = ((uintptr_t)__builtin_frame_address(0) - PARKED_ROOM) & ~(SL_PAGE - 1);
	c->top -= (uintptr_t)(c - carriers) % COLOURS * COLOUR;
	/* for kernel threads: the handler of a stack overflow needs another stack */
	stack_t alternative = {.ss_sp = c->signal_stack, .ss_size = SIGNAL_STACK};

	sl_raw(SYS_sigaltstack, &alternative, NULL);
	sl_dispatch_on();
	for (;;) {
		futex_set(&c->parked, 1);
		futex_wait(&c->command, COMMAND_PARK);
		__atomic_store_n(&c->parked, 0, __ATOMIC_RELEASE);
		if (__atomic_load_n(&c->command, __ATOMIC_ACQUIRE) == COMMAND_RUN)
			switch_context(&c->base_sp, c->sp, c->fs);
		__atomic_store_n(&c->command, COMMAND_PARK, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Copies a carrier's thread-local storage in its initial state. */
static void
remember(struct carrier *c)
{
	c->pristine = sl_private_alloc(c->end - c->tls);
	sl_memcpy(c->pristine, (void *)c->tls, c->end - c->tls);
	/* tcb: { self, dtv, … }; dtv[-1] is its capacity, then a generation and pairs */
	c->dtv = ((uintptr_t **)c->fs)[1];
	c->dtv_words = 2 * (c->dtv[-2] + 1);
	c->dtv_copy = sl_private_alloc(c->dtv_words * sizeof(uintptr_t));
	sl_memcpy(c->dtv_copy, c->dtv, c->dtv_words * sizeof(uintptr_t));
}

static bool refused; /* the system refused to create another thread */

bool
sl_carrier_was_refused(void)
{
	return refused;
}

static bool
make(uint32_t slot, size_t size)
{
	static uintptr_t next_address = SL_STACK_ADDRESS;
	struct carrier *c = &carriers[slot];
	pthread_attr_t attr;
	pthread_t thread;

	if (!c->end) { /* a forked child has the memory already */
		void *memory = (void *)next_address;

		size = (size + SL_PAGE - 1) & ~(SL_PAGE - 1);
		if (sl_raw(SYS_mmap, memory, size + SL_PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			   0) != (long)memory ||
		    sl_raw(SYS_mprotect, (char *)memory + SL_PAGE, size, PROT_READ | PROT_WRITE) != 0)
			return false;
		next_address += size + SL_PAGE;
		c->low = (uintptr_t)memory + SL_PAGE;
		c->end = c->low + size;
	}
	c->command = c->parked = 0;
	if (slot == 0) {
		c->top = c->end;
		c->fs = E.process.first_thread_fs;
		c->made = true;
		return true;
	}

	bool control = E.control;

	E.control = false;
	sl_world_adopt_begin();
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, (void *)c->low, c->end - c->low);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);

	/* only deadly signals may run on a carrier's kernel thread */
	uint64_t all = ~(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) |
			 1ull << (SIGILL - 1) | 1ull << (SIGABRT - 1) | 1ull << (SIGTRAP - 1) |
			 1ull << (SIGSYS - 1)),
		 old;

	if (!c->signal_stack)
		c->signal_stack = sl_private_alloc(SIGNAL_STACK);

	sl_raw(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &all, &old, 8);
	int failed = sl_real.pthread_create(&thread, &attr, carrier_main, c);
	sl_raw(SYS_rt_sigprocmask, 2, &old, NULL, 8);
	if (!failed) {
		futex_wait(&c->parked, 0);
		remember(c);
		c->made = true;
	}
	sl_world_adopt_end();
	E.control = control;
	refused = failed != 0;
	return !failed;
}

uint32_t
sl_carrier_take(size_t stack_size)
{
	size_t wanted = stack_size + PARKED_ROOM + 65536;
	uint32_t slot;

	if (wanted < slot_size)
		wanted = slot_size;
	for (uint32_t i = free_count; i-- > 0;) {
		slot = free_slots[i];
		if (carriers[slot].end - carriers[slot].low >= wanted) {
			free_slots[i] = free_slots[--free_count];
			goto found;
		}
	}
	if (carrier_count > SL_THREADS_MAX)
		return SL_NOWHERE;
	slot = carrier_count;
	if (!make(slot, wanted))
		return SL_NOWHERE;
	carrier_count++;
found:
	carriers[slot].busy = true;
	return slot;
}

void
sl_carrier_give(uint32_t slot)
{
	carriers[slot].busy = false;
	free_slots[free_count++] = slot;
}

uintptr_t
sl_carrier_handle(uint32_t slot)
{
	return carriers[slot].fs;
}

uint32_t
sl_carrier_by_handle(uintptr_t handle)
{
	if (handle == E.process.first_thread_fs)
		return 0;
	/* a descriptor is at the top of its stack, and the slots are ordered by address */
	uint32_t low = 1, high = carrier_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (carriers[middle].end <= handle)
			low = middle + 1;
		else
			high = middle;
	}
	return low < carrier_count && carriers[low].fs == handle ? low : SL_NOWHERE;
}

void
sl_carrier_stack(uint32_t slot, uintptr_t *low, uintptr_t *top)
{
	*low = carriers[slot].low;
	*top = carriers[slot].top;
}

/* ---- between executions ---- */

void
sl_carrier_start(struct sl_thread *t)
{
	struct carrier *c = &carriers[t->slot];

	if (t->slot && c->dirty) {
		size_t size = c->end - c->tls;

		sl_memcpy((void *)c->tls, c->pristine, size);
		sl_memcpy(c->dtv, c->dtv_copy, c->dtv_words * sizeof(uintptr_t));
	}
	c->dirty = true;
	c->sp = fresh_stack(c->top, sl_thread_entry);
	E.contexts[t->id] = (struct sl_context){c->sp, c->fs};
	sl_debugger_knows(t);
}

void
sl_carriers_reset(void)
{
	free_count = 0;
	for (uint32_t i = carrier_count; i-- > 1;) {
		carriers[i].busy = false;
		free_slots[free_count++] = i;
	}
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct carrier *c = &carriers[E.threads[i].slot];

		if (E.arena->config.carrier == SL_CARRIER_THREAD && E.threads[i].slot != 0 && !c->parked) {
			futex_set(&c->command, COMMAND_RESET);
			futex_wait(&c->parked, 0);
		}
		sl_bulk_clear_stack(c->low, c->top, E.threads[i].stack.lowest);
	}
}

/* In a forked child the sleeping kernel threads are gone: fibers do not need them, threads do. */
void
sl_carriers_forked(void)
{
	if (E.arena->config.carrier == SL_CARRIER_FIBER)
		return;
	for (uint32_t i = 1; i < carrier_count; i++) {
		carriers[i].made = false;
		sl_memset((void *)carriers[i].top, 0, carriers[i].end - carriers[i].top);
		if (!make(i, 0))
			sl_trouble(SL_TROUBLE_SYSTEM, 0, "can't create a thread");
		carriers[i].dirty = false;
	}
}

/* ---- as part of the state (state.h) ---- */

static uint32_t kept_count, kept_free; /* the numbers of carriers and free slots in the saved state */

struct sl_storage
sl_carrier_storage(uint32_t slot)
{
	const struct carrier *c = &carriers[slot];

	if (!slot)
		return (struct sl_storage){0}; /* the first thread's storage is restored with all other memory */
	return (struct sl_storage){(void *)c->tls, c->pristine, c->end - c->tls, c->dtv,
				   c->dtv_words * sizeof(uintptr_t)};
}

void
sl_carriers_keep(void)
{
	kept_count = carrier_count;
	kept_free = free_count;
	sl_checkpoint_bytes(&kept_count, sizeof(kept_count));
	sl_checkpoint_bytes(&kept_free, sizeof(kept_free));
	sl_checkpoint_bytes(free_slots, free_count * sizeof(free_slots[0]));
}

/* A state was restored. Carriers that were made after it was saved go to the end of the list of free slots. */
void
sl_carriers_kept(void)
{
	uint32_t more = carrier_count - kept_count;

	for (uint32_t i = kept_free; i-- > 0;)
		free_slots[i + more] = free_slots[i];
	for (uint32_t i = 0; i < more; i++)
		free_slots[i] = carrier_count - 1 - i;
	free_count = kept_free + more;
	for (uint32_t i = 1; i < carrier_count; i++)
		carriers[i].busy = true;
	for (uint32_t i = 0; i < free_count; i++)
		carriers[free_slots[i]].busy = false;
	for (uint32_t i = 0; i < E.thread_count; i++)
		carriers[E.threads[i].slot].dirty = true;
}

/* ---- switching ---- */

/* The main kernel thread waits for its turn; another kernel thread runs. Returns when the first thread is
 * scheduled; switches to the host if the execution has ended meanwhile. */
static void
main_thread_wait(void)
{
	void *nowhere;

	futex_wait(&host_command, COMMAND_PARK);
	__atomic_store_n(&host_command, COMMAND_PARK, __ATOMIC_RELEASE);
	if (host_wanted)
		switch_context(&nowhere, host_sp, E.process.first_thread_fs);
}

static void
thread_wake(uint32_t slot)
{
	if (slot == 0)
		futex_set(&host_command, COMMAND_RUN);
	else
		futex_set(&carriers[slot].command, COMMAND_RUN);
}

/* A kernel thread in the middle of the program waits for its turn, or for the end of the execution. */
static void
thread_wait(struct carrier *c)
{
	void *nowhere;

	futex_wait(&c->command, COMMAND_PARK);
	if (__atomic_load_n(&c->command, __ATOMIC_ACQUIRE) == COMMAND_RESET)
		switch_context(&nowhere, c->base_sp, c->fs);
}

void
sl_carrier_switch(struct sl_thread *from, struct sl_thread *to)
{
	if (likely(E.arena->config.carrier == SL_CARRIER_FIBER)) {
		const struct sl_context *c = &E.contexts[to->id];

		switch_context(&E.contexts[from->id].sp, c->sp, c->fs);
		return;
	}

	struct carrier *f = &carriers[from->slot], *t = &carriers[to->slot];
	void *nowhere;

	if (f == t) { /* a new thread has the slot of the running thread, which has ended */
		switch_context(&nowhere, t->sp, t->fs);
		return;
	}
	if (from->slot == 0) {
		thread_wake(to->slot);
		if (from->alive)
			main_thread_wait();
		else
			for (;;)
				main_thread_wait();
		return;
	}
	__atomic_store_n(&f->command, COMMAND_PARK, __ATOMIC_RELEASE);
	thread_wake(to->slot);
	thread_wait(f);
	if (!from->alive) /* the slot has a new thread */
		switch_context(&nowhere, f->sp, f->fs);
}

/* ---- the host ---- */

static void (*host_function)(void);
static struct carrier own; /* the first carrier, while the caller's stack is borrowed */

#define BORROWED_GAP 1024 /* room for the engine's frames in between */
#define BORROWED (6ul << 20)

/* Lets the first thread run on the caller's stack. The frames above are restored with all other memory. */
static void
borrow_stack(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	own = carriers[0];
	carriers[0].top = (here - BORROWED_GAP) & ~63ul;
	carriers[0].low = (here - BORROWED) & ~(SL_PAGE - 1);
}

static void
host_main(void)
{
	void *nowhere;

	host_function();
	if (E.body.in_place)
		carriers[0] = own;
	switch_context(&nowhere, caller_sp, E.process.first_thread_fs);
}

void
sl_host_run(void (*function)(void))
{
	static char *stack;

	if (!stack) {
		struct rlimit limit = {0};

		stack = sl_private_alloc(HOST_STACK);
		slot_size = 8ul << 20;
		if (sl_raw(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		    limit.rlim_cur > slot_size)
			slot_size = limit.rlim_cur < (1ul << 30) ? limit.rlim_cur : 1ul << 30;
		slot_size += PARKED_ROOM + 65536;
		E.process.fsgsbase = getauxval(AT_HWCAP2) & 2;
	}
	E.process.first_thread_fs = read_fs();
	if (!carriers[0].made && !make(0, slot_size))
		return;
	carriers[0].fs = E.process.first_thread_fs;
	host_function = function;
	if (E.body.in_place)
		borrow_stack();
	sl_rseq(false);
	switch_context(&caller_sp, fresh_stack((uintptr_t)stack + HOST_STACK, host_main),
		       E.process.first_thread_fs);
	sl_rseq(true);
}

uintptr_t
sl_caller_stack(void)
{
	return (uintptr_t)caller_sp;
}

void
sl_host_enter_first(void)
{
	host_wanted = false;
	switch_context(&host_sp, carriers[0].sp, E.process.first_thread_fs);
}

/*
 * Called by the program's thread: switches to the host, which resumes the thread by sl_host_enter(). Fibers only.
 */
void
sl_host_pause(void)
{
	switch_context(&E.contexts[E.current->id].sp, host_sp, E.process.first_thread_fs);
}

void
sl_host_enter(void)
{
	const struct sl_context *c = &E.contexts[E.current->id];

	switch_context(&host_sp, c->sp, c->fs);
}

void
sl_host_return(void)
{
	void *nowhere;

	if (E.arena->config.carrier == SL_CARRIER_FIBER || E.current->slot == 0) {
		switch_context(&nowhere, host_sp, E.process.first_thread_fs);
	} else {
		struct carrier *c = &carriers[E.current->slot];

		__atomic_store_n(&c->command, COMMAND_PARK, __ATOMIC_RELEASE);
		host_wanted = true;
		futex_set(&host_command, COMMAND_RUN);
		for (;;)
			thread_wait(c);
	}
	__builtin_unreachable();
}

uint32_t
sl_carriers_alive(void)
{
	return carrier_count - 1;
}

int
sl_carrier_tid(const struct sl_thread *t)
{
	return t->slot ? carriers[t->slot].tid : (int)sl_raw(SYS_getpid);
}

bool
sl_carrier_is(int tid)
{
	for (uint32_t i = 1; i < carrier_count; i++)
		if (carriers[i].tid == tid)
			return true;
	return false;
}
