/*
 * The end of a C++ program: an uncaught exception, std::terminate(). Every throw notes its place, for the report
 * of the final abort(). Further information comes from libstdc++, if the program has it; libsleave does not link
 * it.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

SL_EXPORT _Noreturn void __cxa_throw(void *object, void *type, void (*destructor)(void *));
SL_EXPORT _Noreturn void _ZSt9terminatev(void);

static void *type_of_exceptions; /* typeid(std::exception) */

void
sl_terminate_boot(void)
{
	type_of_exceptions = sl_resolve("_ZTISt9exception");
}

void
__cxa_throw(void *object, void *type, void (*destructor)(void *))
{
	if (E.control) {
		struct sl_thread *t = E.current;

		t->thrown.object = object;
		t->thrown.type = type;
		t->thrown.pc = SL_PC;
		t->thrown.stack = t->stack.depth ? t->kept.frames[t->stack.depth - 1].stack : 0;
	}
	SL_CALL(__cxa_throw)(object, type, destructor);
	__builtin_unreachable();
}

void
_ZSt9terminatev(void)
{
	if (E.control)
		E.current->thrown.terminate_pc = SL_PC;
	SL_CALL(_ZSt9terminatev)();
	__builtin_unreachable();
}

/* ---- current exceptions ---- */

/* The used parts of a type_info, and of a thread's exceptions, in the layout of the C++ ABI. */
struct type {
	void **methods; /* the fifth returns whether this type catches another, and adjusts the pointer */
	const char *name;
};

struct globals {
	void *caught;
	unsigned uncaught;
};

struct text {
	char bytes[256];
	size_t used;
};

static void
append(struct text *to, const char *text)
{
	for (; *text && to->used < sizeof(to->bytes) - 1; text++)
		to->bytes[to->used++] = *text >= 0 && *text < ' ' ? ' ' : *text;
}

static void
append_what(struct text *to, struct type *type, void *object)
{
	struct type *standard = type_of_exceptions;
	bool (*catches)(struct type *, struct type *, void **, unsigned);

	if (!standard)
		return;
	*(void **)&catches = standard->methods[4];
	if (!catches(standard, type, &object, 1))
		return;
	const char *(*what)(void *);

	*(void **)&what = (*(void ***)object)[2];
	append(to, ": ");
	append(to, what(object));
}

static void
describe(struct text *to, const char *head, struct sl_thread *t)
{
	struct globals *globals = sl_real.__cxa_get_globals ? sl_real.__cxa_get_globals() : NULL;
	struct type *caught = sl_real.__cxa_current_exception_type ? sl_real.__cxa_current_exception_type() : NULL;
	struct type *type = caught ? caught : t->thrown.type;
	const char *name;
	char *readable = NULL;
	int status = 0;

	if (!globals || (!globals->caught && !globals->uncaught) || !type) {
		append(to, "std::terminate() was called");
		t->thrown.pc = 0;
		return;
	}
	name = type->name + (type->name[0] == '*'); /* '*' marks a type that is local to a file */
	if (sl_real.__cxa_demangle)
		readable = sl_real.__cxa_demangle(name, NULL, NULL, &status);
	append(to, head);
	append(to, readable ? readable : name);
	if (type == t->thrown.type)
		append_what(to, type, t->thrown.object);
	else
		t->thrown.pc = 0; /* another thread has thrown it, and passed it on */
}

/*
 * In a function that must not throw, gcc's code calls the handler without std::terminate(): then libstdc++ itself
 * calls abort().
 */
bool
sl_is_terminating(uint64_t pc)
{
	struct sl_arena *a = E.arena;
	uint64_t real = (uint64_t)sl_real._ZSt9terminatev;

	if (E.current->thrown.terminate_pc)
		return true;
	for (uint32_t i = 0; i < a->modules.count; i++) {
		const struct sl_module *m = &a->modules.items[i];

		if (pc >= m->low && pc < m->high && real >= m->low && real < m->high) {
			E.current->thrown.terminate_pc = pc;
			return true;
		}
	}
	return false;
}

static _Noreturn void
found(enum sl_finding_kind kind, const char *head, uint64_t pc)
{
	struct sl_thread *t = E.current;
	struct sl_finding f = {.kind = kind, .status = SIGABRT, .culprit_count = 1};
	struct text text = {.used = 0};

	SL_OUT_OF_CONTROL(describe(&text, head, t));
	sl_culprit_fill(&f.culprits[0], t->thrown.pc ? t->thrown.pc : pc);
	if (t->thrown.pc)
		f.culprits[0].stack = t->thrown.stack;
	f.signature = kind;
	for (size_t i = 0; i < text.used; i++) {
		f.message[i] = text.bytes[i];
		f.signature = sl_mix(f.signature + (unsigned char)text.bytes[i]);
	}
	f.signature ^= sl_place_hash(f.culprits[0].pc);
	sl_found_this(&f);
}

/* Reports an abort() at the end of std::terminate(). */
void
sl_terminated(void)
{
	found(SL_FINDING_ABORT, "uncaught exception of type ", E.current->thrown.terminate_pc);
}

unsigned
sl_exceptions(void)
{
	const struct globals *globals;

	if (!sl_real.__cxa_get_globals)
		return 0;
	SL_OUT_OF_CONTROL(globals = sl_real.__cxa_get_globals());
	return globals->uncaught;
}

void
sl_found_exception(uint64_t pc)
{
	found(SL_FINDING_ASSERT, "an exception out of the body, of type ", pc);
}
