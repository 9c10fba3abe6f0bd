#include "engine/interpose/unseen.h"
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/unseen/uninstrumented.h"
#include "engine/under/poison.h"

void
sl_unseen(enum sl_unseen_kind kind, uint64_t pc)
{
	struct sl_arena *a = E.arena;

	for (uint32_t i = 0; i < SL_UNSEEN_MAX; i++) {
		struct sl_unseen *u = &a->unseen[i];
		uint64_t none = 0;

		/* several processes may do this */
		if (!__atomic_load_n(&u->pc, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&u->pc, &none, pc, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			u->kind = kind;
		if (u->pc != pc)
			continue;
		__atomic_fetch_add(&u->count, 1, __ATOMIC_RELAXED);
		return;
	}
	a->unseen_more = 1;
}

/* ---- code that is not instrumented ---- */

/*
 * Libraries of the system are modelled as far as their functions matter; the engine's own code runs on behalf of
 * its callers.
 */
bool
sl_unseen_is_foreign(const struct sl_module *m)
{
	static const char *const folders[] = {"/lib/", "/lib32/", "/lib64/", "/libx32/", "/usr/",
					      "/opt/", "/nix/",   "/gnu/",   "linux-",   "["};
	const char *name = m->path;

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (sl_text_begins(m->path, folders[i]) && !sl_text_begins(m->path, "/usr/src/") &&
		    !sl_text_begins(m->path, "/usr/local/src/"))
			return true;
	for (const char *c = m->path; *c; c++)
		if (*c == '/')
			name = c + 1;
	return sl_text_begins(name, "libsleave");
}

static const struct sl_module *
module_at(uint64_t pc)
{
	for (uint32_t i = 0; i < E.arena->modules.count; i++)
		if (pc >= E.arena->modules.items[i].low && pc < E.arena->modules.items[i].high)
			return &E.arena->modules.items[i];
	return NULL;
}

#define MODULES 32

/* What is known of a module, because it is asked for often. */
static struct {
	uint64_t low, high;
	bool counts; /* it is neither instrumented nor the system's */
	uint32_t sequence; /* the execution of the fields below */
	uint32_t thread; /* the first thread that came from there */
	bool threads; /* other threads did, too */
} known[MODULES];

void
sl_unseen_operation(const struct sl_op *op)
{
	struct sl_plain *p = sl_plain_find(op->pc);
	unsigned i = 0;

	if (p && E.alive_count > 1) {
		if (p->sequence != E.sequence) {
			p->sequence = E.sequence;
			p->thread = op->thread;
			p->threads = false;
		}
		p->threads |= p->thread != op->thread;
		if (p->threads || (op->kind != SL_FREE && !(op->flags & SL_OP_SILENT)))
			sl_unseen(SL_UNSEEN_OBJECT, p->low + 2); /* a thread may begin there */
	}
	while (i < MODULES && known[i].high && (op->pc < known[i].low || op->pc >= known[i].high))
		i++;
	if (i == MODULES)
		return;
	if (!known[i].high) {
		const struct sl_module *m = module_at(op->pc);

		if (!m)
			return;
		known[i].low = m->low;
		known[i].high = m->high;
		known[i].counts = !sl_unseen_is_foreign(m) && !sl_libraries_is_instrumented(op->pc);
	}
	if (!known[i].counts || E.alive_count < 2)
		return;
	if (known[i].sequence != E.sequence) {
		known[i].sequence = E.sequence;
		known[i].thread = op->thread;
		known[i].threads = false;
	}
	known[i].threads |= known[i].thread != op->thread;
	/* operations that one thread performs alone, and no other can observe, are not counted */
	if (known[i].threads || (op->kind != SL_FREE && !(op->flags & SL_OP_SILENT)))
		sl_unseen(SL_UNSEEN_LIBRARY, known[i].low + 1);
}

void
sl_unseen_thread(void)
{
	const struct sl_thread *t = E.current;
	uint64_t start = (uint64_t)t->born.start;
	const struct sl_module *m;

	/* an instrumented function announces its entry, if it calls anything or touches memory */
	if (likely(t->kept.frames[0].at) || !t->id || t->op.index <= 1)
		return;
	m = module_at(start);
	if (!m || sl_unseen_is_foreign(m) || !sl_libraries_is_instrumented(start))
		return;
	sl_unseen(SL_UNSEEN_THREAD, start + 1);
}

void
sl_unseen_begin(void)
{
	const struct sl_module *m = &E.arena->modules.items[0];

	E.listen.text_low = 0;
	E.listen.text_size = UINT64_MAX; /* accesses are not seen at all, and the verdict says so */
	if (E.arena->config.sync_only || !E.arena->program.instrumented || !E.arena->modules.count)
		return;
	E.listen.text_size = 0;
	/* as long as it has no function that must be looked up */
	if (sl_libraries_is_instrumented(m->low) && !sl_plain_look(m, _r_debug.r_map)) {
		E.listen.text_low = m->low;
		E.listen.text_size = m->high - m->low;
	}
}
