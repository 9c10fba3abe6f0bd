/*
 * Functions that are not modelled: a call is refused by name and place, so that it neither hangs nor gives a wrong
 * answer. Outside of control the real functions are called.
 */
#undef _FILE_OFFSET_BITS /* it would rename mmap to mmap64; both are defined here */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/upcall/state.h"
#include "engine/under/poison.h"

void
sl_unsupported(const char *name, uint64_t pc)
{
	sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, name);
}

/* ---- functions that end the run: neither refusing nor passing on needs a signature ---- */

/* clang-format off */
#define NAMES(X)												\
	X(killpg) X(_pthread_cleanup_push)		\
	X(_pthread_cleanup_pop) X(_pthread_cleanup_push_defer) X(_pthread_cleanup_pop_restore)			\
	X(msgrcv) X(msgsnd)						\
	X(clock_settime) X(settimeofday) X(adjtime) X(adjtimex) X(ntp_adjtime) X(ntp_gettime) X(ntp_gettimex)	\
	X(clone) X(__clone) X(daemon) X(forkpty) X(getaddrinfo_a) X(pidfd_open) X(pidfd_send_signal)

/* clang-format on */

#define SLOT(name) void *sl_slot_##name __attribute__((visibility("hidden")));
NAMES(SLOT)

/* `control` is the first member of sl_engine; r11 is free in any calling convention, rax counts vector arguments.
 * Before the real functions are known, they are resolved with all argument registers saved. */
#define STUB(name)                                                                                                \
	__asm__(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                  \
		"cmpb $0, sl_engine(%rip)\njne 2f\n"                                                              \
		"movq sl_slot_" #name "(%rip), %r11\ntestq %r11, %r11\njz 3f\njmp *%r11\n"                        \
		"2: leaq 4f(%rip), %rdi\nmovq (%rsp), %rsi\njmp sl_unsupported\n"                                 \
		"3: pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %rax\n"           \
		"call sl_unsupported_boot\n"                                                                      \
		"popq %rax\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"                     \
		"jmp *sl_slot_" #name "(%rip)\n"                                                                  \
		".size " #name ", .-" #name "\n.popsection\n"                                                     \
		".pushsection .rodata\n4: .asciz \"" #name "\"\n.popsection\n");
NAMES(STUB)

_Static_assert(offsetof(struct sl_engine, control) == 0, "the stubs look at the first byte");

void
sl_unsupported_boot(void)
{
#define RESOLVE(name) sl_slot_##name = sl_resolve(#name);
	NAMES(RESOLVE)
}

/* ---- mappings: they end with the execution that made them ---- */

#define MAPPINGS_MAX 8192
static struct {
	void *address;
	size_t size;
} mappings[MAPPINGS_MAX];
static uint32_t mapping_count;

SL_EXPORT void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	long at = sl_raw(SYS_mmap, address, size, protection, flags, fd, offset);

	if (at < 0 && at > -4096) {
		errno = (int)-at;
		return MAP_FAILED;
	}
	if (E.control) {
		E.uses.mappings = true; /* a part of the mapping may be unmapped or moved */
		if (mapping_count == MAPPINGS_MAX)
			sl_trouble(SL_TROUBLE_LIMIT, SL_PC, "mappings of one execution");
		mappings[mapping_count].address = (void *)at;
		mappings[mapping_count++].size = size;
		if (!(flags & MAP_ANONYMOUS))
			sl_recorder_mapped((uint64_t)at, size, fd, (uint64_t)offset);
		sl_race_forget((uint64_t)at, size < (1ul << 24) ? size : 1ul << 24);
		if ((flags & MAP_TYPE) != MAP_PRIVATE && !(flags & MAP_ANONYMOUS) && sl_children_are_there())
			sl_family_maps((uintptr_t)at, (uintptr_t)at + size);
	}
	return (void *)at;
}

SL_EXPORT void *
mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	return mmap(address, size, protection, flags, fd, offset);
}

SL_EXPORT int
munmap(void *address, size_t size)
{
	long result;

	if (E.control) {
		uint32_t i = 0;

		sl_settle();

		while (i < mapping_count && mappings[i].address != address)
			i++;
		/* it existed before the execution, and restoring memory could not bring it back */
		if (i == mapping_count)
			sl_unsupported("munmap of memory from before the execution", SL_PC);
		mappings[i] = mappings[--mapping_count];
	}
	result = sl_raw(SYS_munmap, address, size);
	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	return 0;
}

void
sl_mappings_each(void (*function)(uint64_t low, uint64_t high))
{
	for (unsigned i = 0; i < mapping_count; i++)
		function((uint64_t)mappings[i].address, (uint64_t)mappings[i].address + mappings[i].size);
}

bool
sl_mappings_are_there(void)
{
	return mapping_count > 0 || sl_world_has_strays();
}

void
sl_mappings_reset(void)
{
	while (mapping_count) {
		mapping_count--;
		sl_raw(SYS_munmap, mappings[mapping_count].address, mappings[mapping_count].size);
	}
}
