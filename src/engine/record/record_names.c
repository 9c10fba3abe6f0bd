/*
 * Recording on real threads: names of events and threads, and loaded modules.
 */
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define self (&sl_lane_self)
#define R sl_reel

void
sl_lane_event(const char *name, uint64_t pc)
{
	unsigned at = (uintptr_t)name / 4 % 16;
	uint32_t number = self->names[at].number; /* a handler may store another name in the same slot */

	if (self->names[at].at != name || !number ||
	    !sl_text_same(name, R->names.words[number - 1])) { /* the buffer may have another name by now */
		number = sl_wordlist_number(&R->names, name);
		self->names[at].number = number;
		self->names[at].at = name;
	}
	sl_lane_ticketed(SL_EVENT, number, pc, 0);
}

void
sl_lane_thread_name(const char *name)
{
	uint64_t word = SL_REEL_NAME | (uint64_t)sl_wordlist_number(&R->names, name) << 8;

	while (word >> 8 && !sl_lane_try1(word))
		if (!sl_lane_more())
			return;
}

/* Returns the number of a thread, which is in its own memory, found by its handle. */
uint32_t
sl_lane_number(pthread_t thread)
{
	const struct sl_lane_self *other =
		(const void *)((char *)thread + ((char *)self - (char *)__builtin_thread_pointer()));

	return other->numbered ? other->number : UINT32_MAX;
}

/* ---- loaded modules ---- */

static int
note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct sl_module *m = &R->modules[R->module_count];

	(void)size;
	(void)unused;
	if (R->module_count == SL_REEL_MODULES)
		return 1;
	for (uint32_t i = 0; i < R->module_count; i++)
		if (R->modules[i].base == info->dlpi_addr &&
		    (!i || sl_text_same(R->modules[i].path, info->dlpi_name))) /* the first is the program */
			return 0;
	*m = (struct sl_module){.base = info->dlpi_addr, .low = UINT64_MAX};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t low = m->base + info->dlpi_phdr[i].p_vaddr, high = low + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (low < m->low)
			m->low = low;
		if (high > m->high)
			m->high = high;
	}
	if (!R->module_count) {
		long n = sl_raw(SYS_readlink, "/proc/self/exe", m->path, sizeof(m->path) - 1);

		m->path[n > 0 ? n : 0] = 0;
	} else {
		sl_text_copy(m->path, sizeof(m->path), info->dlpi_name);
	}
	if (m->path[0])
		__atomic_store_n(&R->module_count, R->module_count + 1, __ATOMIC_RELEASE);
	return 0;
}

/* The dynamic linker's lock excludes other threads. */
void
sl_lane_modules(void)
{
	dl_iterate_phdr(note_module, NULL);
}
