/*
 * Schedules on real threads: installs the functions of this room in the place of libc's, and removes them.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

/* For the column `modes`. */
#define BOTH(name) sl_rt_##name
#define SCHEDULE(name) sl_rt_##name
#define RECORD(name) sl_libc_##name
#define NONE(name) sl_libc_##name
static const struct sl_mode realtime = {
#define SL_METHOD(modes, told, name, parameters, libc) .name = modes(name),
#include "engine/interpose/sync.def"
};

void *
sl_rt_memory(size_t size)
{
	static uintptr_t next = SL_RT_ADDRESS;
	void *at = (void *)next;

	next += (size + SL_PAGE - 1) & ~(SL_PAGE - 1);
	sl_check(sl_raw(SYS_mmap, at, next - (uintptr_t)at, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == (long)at);
	return at;
}

void
sl_rt_install(void)
{
	if (F.installed)
		return;
	sl_lane_uninstall(); /* recording is on top of this mode */
	if (!F.runners) {
		F.runners = sl_rt_memory(SL_RUNNERS_MAX * sizeof(*F.runners));
		F.known = sl_rt_memory((size_t)SL_RUNNERS_MAX * SL_KNOWN_MATCHES * sizeof(*F.known));
		F.held_last = &F.held;
		sl_true = sl_real;
		sl_rt_threads_begin();
		sl_rt_begin();
	}
	F.installed = true;
	sl_mode = &realtime;
	sl_rt_threads_install(&sl_real);
	sl_rt_io_install(&sl_real);
	sl_rt_stdio_install(&sl_real);
	sl_rt_where_begin();
	sl_rt_outside_install(&sl_real);
	sl_lane_install();
}

bool
sl_rt_installed(void)
{
	return F.installed;
}

/* Called before control begins, for which the engine needs the real functions. */
void
sl_rt_uninstall(void)
{
	if (!F.installed)
		return;
	F.installed = false;
	sl_real = sl_true;
	sl_mode = NULL;
}
