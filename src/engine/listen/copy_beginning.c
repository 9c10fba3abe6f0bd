/*
 * Copies the data that the kernel has put above the first thread's stack (trace/lane/beginning.h).
 */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/listen/lane.h"
#include "engine/under/poison.h"
#include "trace/lane/reel.h"

extern void *__libc_stack_end; /* the address of the number of arguments */

/* Adds the first thread's thread-local storage. Other threads have theirs on their stacks. */
static int
add_local(struct dl_phdr_info *info, size_t size, void *total)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			*(uint64_t *)total += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
	return 0;
}

void
sl_reel_begin_here(struct sl_reel *reel)
{
	struct sl_beginning *b = &reel->beginning;
	const uint64_t *words = __libc_stack_end;
	/* the last of the strings; the environment before it may have lost some of its pointers */
	uint64_t last = getauxval(AT_EXECFN);

	b->thread = (uint64_t)__builtin_thread_pointer();
	b->local = 0;
	dl_iterate_phdr(add_local, &b->local);
	if (!last)
		return;
	b->low = (uint64_t)words;
	b->size = last + sl_strlen((const char *)last) + 1 - b->low;
	sl_memcpy(b->bytes, words, b->size < sizeof(b->bytes) ? b->size : sizeof(b->bytes));
}
