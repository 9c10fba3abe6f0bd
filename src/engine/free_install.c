/*
 * Schedules on real threads: how the functions of free*.c take the places of libc's, and leave them.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/free.h"
#include "engine/interpose.h"
#include "engine/record.h"
#include "engine/poison.h"

void *
sl_free_memory(size_t size)
{
	static uintptr_t next = SL_FREE_ADDRESS;
	void *at = (void *)next;

	next += (size + SL_PAGE - 1) & ~(SL_PAGE - 1);
	sl_check(sl_raw(SYS_mmap, at, next - (uintptr_t)at, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == (long)at);
	return at;
}

void
sl_free_install(void)
{
	if (F.installed)
		return;
	sl_lane_uninstall(); /* it is the outer one */
	if (!F.runners) {
		F.runners = sl_free_memory(SL_RUNNERS_MAX * sizeof(*F.runners));
		F.known = sl_free_memory((size_t)SL_RUNNERS_MAX * SL_KNOWN_MATCHES * sizeof(*F.known));
		F.held_last = &F.held;
		sl_true = sl_real;
		sl_free_threads_begin();
		sl_free_begin();
	}
	F.installed = true;
	sl_free_threads_install(&sl_real);
	sl_free_locks_install(&sl_real);
	sl_free_waits_install(&sl_real);
	sl_free_io_install(&sl_real);
	sl_free_stdio_install(&sl_real);
	sl_free_where_install(&sl_real);
	sl_free_outside_install(&sl_real);
	sl_lane_install();
}

bool
sl_free_installed(void)
{
	return F.installed;
}

/* Before control begins: the engine wants the real ones. */
void
sl_free_uninstall(void)
{
	if (!F.installed)
		return;
	F.installed = false;
	sl_real = sl_true;
}
