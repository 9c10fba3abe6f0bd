/*
 * Functions that were not built with `sleave cc`, and touch memory: in objects, archives and libraries, and those
 * in assembly. No callback tells when one of them runs. So when a second thread begins, the first byte of each is
 * replaced by a breakpoint. The first thread that reaches it removes it, and the verdict names the function. In
 * the next execution it is set again, SEEN_MAX times.
 *
 * These are the functions without a callback that have an access to anything but the stack, thread-local memory
 * (%fs) and constants. An instrumented function may lack a callback, too, if its accesses need not be announced.
 * The plugins leave a mark in functions that call nothing: SL_MARK among the instructions (gcc), or before the
 * first one (clang).
 *
 * Functions in assembly without an entry in the table for unwinding are found by calls to them, and by the file's
 * symbols, if it has any. Other references to an address are not followed: they may be to data, where a breakpoint
 * would do harm.
 */
#include "engine/interpose/traps.h"
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/interpose/unseen.h"
#include "engine/unseen/functions.h"
#include "engine/unseen/instruction.h"
#include "engine/under/poison.h"

#define TRAPS_MAX 32768
#define AREAS_MAX 64
#define SEEN_MAX 64
#define BREAKPOINT 0xcc

static const uint8_t mark[8] = {0x0f, 0x1f, 0x80, 's', 'l', 'v', '1', 0x90}; /* nopl 0x31766c73(%rax) */
#define MARK_LENGTH 7

struct trap {
	uint64_t at;
	uint32_t sequence; /* the last execution in which it was seen */
	uint16_t seen;
	uint8_t code;
	bool set;
};

/* The code of a file that has to be made writable for a moment. */
struct area {
	uint64_t low, high;
	uint32_t first, end; /* its traps */
	uint32_t unset;
};

static struct trap *traps;
static uint32_t trap_count;
static struct area areas[AREAS_MAX];
static uint32_t area_count;

/* ---- what a function does ---- */

static struct {
	uint64_t low, high;
} data[8]; /* the file's writable memory */
static unsigned data_count;
static uint64_t constant_low, constant_high; /* … except this part, which is constant while the program runs */

static void
find_data(const struct sl_module *m)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)m->low;
	const ElfW(Phdr) *parts = (const ElfW(Phdr) *)(m->low + elf->e_phoff);

	data_count = 0;
	constant_low = constant_high = 0;
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		uint64_t low = m->base + parts[i].p_vaddr, high = low + parts[i].p_memsz;

		if (parts[i].p_type == PT_LOAD && parts[i].p_flags & PF_W && data_count < 8) {
			data[data_count].low = low;
			data[data_count++].high = high;
		}
		if (parts[i].p_type == PT_GNU_RELRO) {
			constant_low = low;
			constant_high = high;
		}
	}
}

static bool
is_variable(uint64_t address)
{
	if (address >= constant_low && address < constant_high)
		return false;
	for (unsigned i = 0; i < data_count; i++)
		if (address >= data[i].low && address < data[i].high)
			return true;
	return false;
}

static bool
has_bytes(uint64_t at, uint64_t end, const uint8_t *bytes, unsigned count)
{
	if (at > end || end - at < count)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (((const uint8_t *)at)[i] != bytes[i])
			return false;
	return true;
}

/* push %rbp; mov %rsp, %rbp */
static bool
has_frame(struct sl_function f)
{
	static const uint8_t branch[] = {0xf3, 0x0f, 0x1e, 0xfa}, frame[] = {0x55, 0x48, 0x89, 0xe5};

	return has_bytes(f.low + (has_bytes(f.low, f.high, branch, 4) ? 4 : 0), f.high, frame, 4);
}

struct doings {
	bool instrumented, touches;
};

/* Examines a function; calls goes() for each place outside of it that it calls or jumps to. */
static struct doings
doings_of(struct sl_function f, void (*goes)(struct sl_function from, uint64_t to, bool call))
{
	struct doings d = {.instrumented =
				   sl_functions_is_text(f.low - 8) && has_bytes(f.low - 8, f.low, mark, 8)};
	bool framed = has_frame(f), writes = false, returns = false, leaves = false;

	for (uint64_t at = f.low; at < f.high;) {
		struct sl_instruction i = sl_instruction_read(at, f.high);
		bool touches = i.operand == SL_OPERAND_POINTER || (i.operand == SL_OPERAND_FRAME && !framed) ||
			       (i.operand == SL_OPERAND_FIXED && !i.by && is_variable(i.address));

		if (!i.length) {
			d.touches = writes = true;
			break;
		}
		if (has_bytes(at, f.high, mark, MARK_LENGTH))
			d.instrumented = true;
		if (touches && !i.lea) {
			d.touches = true;
			writes |= !i.reads;
		}
		if ((i.call || i.jump) &&
		    (i.by ? i.operand == SL_OPERAND_FIXED && sl_functions_by(i.address) == SL_TO_CALLBACK
			  : sl_functions_through(i.to) == SL_TO_CALLBACK))
			d.instrumented = true;
		if (i.to && (i.to < f.low || i.to >= f.high) && goes)
			goes(f, i.to, i.call);
		returns |= i.returns;
		leaves |= i.jump && (i.by || i.to < f.low || i.to >= f.high);
		at += i.length;
	}
	if (!writes && !returns && leaves)
		d.touches = false; /* the thunk of a virtual function, which computes the object's address */
	return d;
}

/* ---- where the traps are ---- */

static struct trap *
trap_find(uint64_t at)
{
	uint32_t low = 0, high = trap_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (traps[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < trap_count && traps[low].at == at ? &traps[low] : NULL;
}

/* Adds a trap; those of an area are sorted. */
static void
trap_add(struct area *a, uint64_t at)
{
	uint32_t to = trap_count;

	if (trap_count == TRAPS_MAX) {
		E.arena->unseen_more = 1; /* there is no room to count the others */
		return;
	}
	while (to > a->first && traps[to - 1].at >= at)
		to--;
	if (to < trap_count && traps[to].at == at)
		return;
	for (uint32_t i = trap_count++; i > to; i--)
		traps[i] = traps[i - 1];
	traps[to] = (struct trap){.at = at, .code = *(const uint8_t *)at};
}

static void
trap_drop(struct area *a, uint64_t at)
{
	for (uint32_t i = a->first; i < trap_count; i++) {
		if (traps[i].at != at)
			continue;
		for (trap_count--; i < trap_count; i++)
			traps[i] = traps[i + 1];
	}
}

static struct area *looked; /* the area that is being searched */
static uint32_t functions;
static bool all; /* nothing in this file is instrumented */

/* Returns the function that has this place; or an empty one that reaches up to the next. */
static struct sl_function
function_with(uint64_t place)
{
	uint32_t low = 0, high = functions;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sl_functions_at(middle).low <= place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && place < sl_functions_at(low - 1).high)
		return sl_functions_at(low - 1);
	return (struct sl_function){low < functions ? sl_functions_at(low).low : 0, 0};
}

/* Examines a function in assembly that the table does not have. It extends as far as its code can be read. */
static void
look_at_called(struct sl_function from, uint64_t to, bool call)
{
	struct sl_function f = call && sl_functions_is_text(to) ? function_with(to) : (struct sl_function){0, 1};
	struct sl_function read = {to, to};

	(void)from;
	if (f.high || sl_functions_through(to) != SL_TO_ELSEWHERE ||
	    has_bytes(to, to + 2, (const uint8_t[]){0xff, 0x25}, 2) ||
	    has_bytes(to, to + 5, (const uint8_t[]){0xf3, 0x0f, 0x1e, 0xfa, 0xf2}, 5) ||
	    has_bytes(to, to + 6, (const uint8_t[]){0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25}, 6))
		return; /* a known function, or the linker's jump to another library */
	while (!f.low || read.high < f.low) {
		struct sl_instruction i = sl_instruction_read(read.high, f.low ? f.low : sl_functions_end());

		if (!i.length)
			break;
		read.high += i.length;
		if (i.returns)
			break;
	}
	if (read.high > read.low && doings_of(read, NULL).touches)
		trap_add(looked, to);
}

/* Functions that gcc adds to each file, which run when it is loaded, and at the end of the program. */
static bool
is_of_start(const char *name)
{
	static const char *const names[] = {"_init",
					    "_fini",
					    "_start",
					    "frame_dummy",
					    "register_tm_clones",
					    "deregister_tm_clones",
					    "__do_global_dtors_aux"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (sl_text_same(name, names[i]))
			return true;
	return false;
}

/* Examines functions that are called only by their address. */
static void
look_at_symbols(const struct sl_module *m)
{
	long file = sl_raw(SYS_open, m->path, O_RDONLY | O_CLOEXEC, 0);
	long size = file < 0 ? 0 : sl_raw(SYS_lseek, file, 0, SEEK_END);
	long mapped =
		size < (long)sizeof(ElfW(Ehdr)) ? -1 : sl_raw(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, file, 0);
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)mapped;

	if (file >= 0)
		sl_raw(SYS_close, file);
	if (mapped < 0)
		return;
	for (unsigned i = 0; i < elf->e_shnum && elf->e_shoff + (i + 1) * sizeof(ElfW(Shdr)) <= (uint64_t)size;
	     i++) {
		const ElfW(Shdr) *s = (const ElfW(Shdr) *)(mapped + (long)elf->e_shoff) + i;
		const ElfW(Sym) *symbols = (const ElfW(Sym) *)(mapped + (long)s->sh_offset);

		if (s->sh_type != SHT_SYMTAB || s->sh_offset > (uint64_t)size ||
		    s->sh_size > (uint64_t)size - s->sh_offset)
			continue;
		const ElfW(Shdr) *t = (const ElfW(Shdr) *)(mapped + (long)elf->e_shoff) + s->sh_link;
		const char *names = (const char *)(mapped + (long)t->sh_offset);

		if (s->sh_link >= elf->e_shnum || t->sh_offset > (uint64_t)size ||
		    t->sh_size > (uint64_t)size - t->sh_offset)
			continue;
		for (uint64_t k = 0; k < s->sh_size / sizeof(*symbols); k++)
			if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC && symbols[k].st_value &&
			    symbols[k].st_name < t->sh_size && !is_of_start(names + symbols[k].st_name))
				look_at_called((struct sl_function){0, 0}, m->base + symbols[k].st_value, true);
	}
	sl_raw(SYS_munmap, mapped, size);
}

/* Removes the cold part of an instrumented function. */
static void
drop_cold(struct sl_function from, uint64_t to, bool call)
{
	struct sl_function f = function_with(to);

	(void)from;
	if (!call && f.high)
		trap_drop(looked, f.low);
}

static void
look_through(const struct sl_module *m, const struct link_map *map)
{
	struct area *a = looked = &areas[area_count];

	functions = sl_functions_open(m, map);
	find_data(m);
	all = !sl_libraries_is_instrumented(m->low);
	*a = (struct area){.first = trap_count};
	for (uint32_t i = 0; i < functions; i++) {
		struct sl_function f = sl_functions_at(i);
		struct doings d = doings_of(f, all ? NULL : look_at_called);

		if (f.high > f.low && d.touches && (all || !d.instrumented))
			trap_add(a, f.low);
	}
	if (functions)
		look_at_symbols(m);
	for (uint32_t i = 0; trap_count > a->first && !all && i < functions; i++) {
		struct sl_function f = sl_functions_at(i);

		if (doings_of(f, NULL).instrumented)
			doings_of(f, drop_cold);
	}
	a->end = trap_count;
	a->unset = a->end - a->first;
	if (!a->unset)
		return;
	a->low = traps[a->first].at & ~(SL_PAGE - 1);
	a->high = (traps[a->end - 1].at | (SL_PAGE - 1)) + 1;
	area_count++;
}

static void
sort(void)
{
	struct area kept;

	/* the areas' traps are exchanged as a whole; insertion sort, because there are few */
	for (uint32_t i = 1; i < area_count; i++)
		for (uint32_t k = i; k > 0 && areas[k - 1].low > areas[k].low; k--) {
			kept = areas[k];
			areas[k] = areas[k - 1];
			areas[k - 1] = kept;
		}
	struct trap *sorted = sl_private_alloc((trap_count + 1) * sizeof(*sorted));
	uint32_t n = 0;

	for (uint32_t i = 0; i < area_count; i++) {
		uint32_t first = n;

		for (uint32_t k = areas[i].first; k < areas[i].end; k++)
			sorted[n++] = traps[k];
		areas[i].first = first;
		areas[i].end = n;
	}
	traps = sorted;
}

void
sl_traps_look(void)
{
	static bool once;

	if (once || E.arena->config.sync_only || !E.arena->program.instrumented ||
	    E.arena->config.trace.stop_at_failure)
		return;
	once = true;
	traps = sl_private_alloc(TRAPS_MAX * sizeof(*traps));
	for (const struct link_map *map = _r_debug.r_map; map && area_count < AREAS_MAX; map = map->l_next) {
		const struct sl_module *m = NULL;

		for (uint32_t i = 0; i < E.arena->modules.count && !m; i++)
			if (E.arena->modules.items[i].base == map->l_addr)
				m = &E.arena->modules.items[i];
		/* without the plugins there are no marks, and the verdict says that much is not seen */
		if (m && !sl_unseen_is_foreign(m) &&
		    !(E.arena->program.unaided && sl_libraries_is_instrumented(m->low)))
			look_through(m, map);
	}
	sort();
}

bool
sl_traps_is_at(uint64_t address)
{
	return trap_find(address);
}

/* ---- setting them ---- */

static bool
open_code(const struct area *a, bool writable)
{
	return sl_raw(SYS_mprotect, a->low, a->high - a->low,
		      PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
}

void
sl_traps_set(void)
{
	for (uint32_t i = 0; i < area_count; i++) {
		struct area *a = &areas[i];

		if (!a->unset || !open_code(a, true))
			continue;
		a->unset = 0;
		for (uint32_t k = a->first; k < a->end; k++) {
			struct trap *t = &traps[k];

			if (t->set || t->seen >= SEEN_MAX)
				continue;
			if (t->seen && t->sequence == E.sequence) {
				a->unset++;
				continue;
			}
			*(volatile uint8_t *)t->at = BREAKPOINT;
			t->set = true;
		}
		open_code(a, false);
	}
}

static void
unset(struct area *a, struct trap *t)
{
	*(volatile uint8_t *)t->at = t->code;
	t->set = false;
	a->unset++;
}

void
sl_traps_clear(void)
{
	for (uint32_t i = 0; i < area_count; i++) {
		if (areas[i].unset == areas[i].end - areas[i].first || !open_code(&areas[i], true))
			continue;
		for (uint32_t k = areas[i].first; k < areas[i].end; k++)
			if (traps[k].set)
				unset(&areas[i], &traps[k]);
		open_code(&areas[i], false);
	}
}

bool
sl_traps_hit(ucontext_t *context)
{
	uint64_t at = (uint64_t)context->uc_mcontext.gregs[REG_RIP] - 1;
	struct trap *t = trap_find(at);

	if (!t || !t->set)
		return false;
	for (uint32_t i = 0; i < area_count; i++)
		if (at >= areas[i].low && at < areas[i].high && open_code(&areas[i], true)) {
			unset(&areas[i], t);
			open_code(&areas[i], false);
		}
	if (t->set)
		return false;
	context->uc_mcontext.gregs[REG_RIP] = (long)at;
	if (E.control && E.alive_count > 1) {
		t->sequence = E.sequence;
		t->seen++;
		sl_unseen(SL_UNSEEN_TOUCHES, at + 3); /* a thread may begin there */
	}
	return true;
}
