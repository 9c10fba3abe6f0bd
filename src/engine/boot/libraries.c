/*
 * The program's libraries: their addresses, so that places have names, and the libraries that an execution loads
 * with dlopen().
 *
 * The dynamic linker's own memory is restored with the rest, so the next execution loads such a library again,
 * from its beginning, constructors included; it only needs the same addresses to be free. The list of libraries is
 * read as a debugger reads it, because the linker's lock may be held by a thread that never runs again.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/process/settings.h"
#include "engine/under/poison.h"

static struct link_map *last; /* the last library that was loaded at the start */

static void
add_segments(struct sl_module *m, const ElfW(Phdr) * headers, unsigned count)
{
	m->low = UINT64_MAX;
	for (unsigned i = 0; i < count; i++) {
		uint64_t low = m->base + headers[i].p_vaddr, high = low + headers[i].p_memsz;

		if (headers[i].p_type != PT_LOAD)
			continue;
		if (low < m->low)
			m->low = low;
		if (high > m->high)
			m->high = high;
	}
}

static int
note_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct sl_arena *a = E.arena;
	struct sl_module *m = &a->modules.items[a->modules.count];

	(void)size;
	(void)data;
	if (a->modules.count == SL_MODULES_MAX)
		return 1;
	*m = (struct sl_module){.base = info->dlpi_addr};
	add_segments(m, info->dlpi_phdr, info->dlpi_phnum);
	if (!info->dlpi_name[0] && a->modules.count == 0) {
		long n = sl_raw(SYS_readlink, "/proc/self/exe", m->path, sizeof(m->path) - 1);

		m->path[n > 0 ? n : 0] = 0;
	} else {
		sl_text_copy(m->path, sizeof(m->path), info->dlpi_name);
	}
	if (m->path[0])
		a->modules.count++;
	return 0;
}

/*
 * Waits until no other worker writes the list. Returns whether the caller is to write it, in state `from`: 0 is
 * not written yet, 2 is written.
 */
static bool
list_take(uint32_t from)
{
	uint32_t state = from;

	while (!__atomic_compare_exchange_n(&E.arena->modules.noted, &state, 1, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE)) {
		if (!from && state == 2)
			return false;
		sl_raw(SYS_sched_yield);
		state = from;
	}
	return true;
}

static void
list_give(void)
{
	__atomic_store_n(&E.arena->modules.noted, 2, __ATOMIC_RELEASE);
}

/* The list is written once for all workers, so that places have the same names in all of them. */
void
sl_libraries_note(void)
{
	if (list_take(0)) {
		dl_iterate_phdr(note_module, NULL);
		E.arena->modules.first = E.arena->modules.count;
		list_give();
	}
	for (last = _r_debug.r_map; last && last->l_next; last = last->l_next)
		;
}

bool
sl_libraries_had(uint64_t pc)
{
	for (uint32_t i = 0; i < E.arena->modules.first; i++)
		if (pc >= E.arena->modules.items[i].low && pc < E.arena->modules.items[i].high)
			return true;
	return false;
}

/* Returns whether one of these relocations is for a callback of the compiler's instrumentation. */
static bool
calls_back(const ElfW(Rela) * at, uint64_t size, const ElfW(Sym) * symbols, const char *names)
{
	for (uint64_t i = 0; at && i < size / sizeof(*at); i++) {
		const char *name = names + symbols[ELF64_R_SYM(at[i].r_info)].st_name;

		if (sl_text_begins(name, "__tsan_") || sl_text_begins(name, "__sleave_"))
			return true;
	}
	return false;
}

static bool
find_callbacks(const struct link_map *map)
{
	uint64_t values[DT_JMPREL + 1] = {0};

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag >= 0 && d->d_tag <= DT_JMPREL)
			values[d->d_tag] = d->d_un.d_val;
	/* libc has relocated these values, except those of the vDSO */
	if (!values[DT_SYMTAB] || !values[DT_STRTAB] || values[DT_SYMTAB] < map->l_addr)
		return false;
	const ElfW(Sym) *symbols = (const ElfW(Sym) *)values[DT_SYMTAB];
	const char *names = (const char *)values[DT_STRTAB];

	return calls_back((const ElfW(Rela) *)values[DT_JMPREL], values[DT_PLTRELSZ], symbols, names) ||
	       calls_back((const ElfW(Rela) *)values[DT_RELA], values[DT_RELASZ], symbols, names);
}

/*
 * Returns whether the code belongs to an instrumented library or program: all atomics of such code count as seen.
 */
bool
sl_libraries_is_instrumented(uint64_t pc)
{
	static struct {
		uint64_t low, high;
		bool is;
	} answers[16];
	static unsigned next;

	for (unsigned i = 0; i < 16; i++)
		if (pc >= answers[i].low && pc < answers[i].high)
			return answers[i].is;
	for (uint32_t i = 0; i < E.arena->modules.count; i++) {
		const struct sl_module *m = &E.arena->modules.items[i];
		const struct link_map *map = _r_debug.r_map;

		if (pc < m->low || pc >= m->high)
			continue;
		while (map && map->l_addr != m->base)
			map = map->l_next;
		answers[next % 16].low = m->low;
		answers[next % 16].high = m->high;
		return answers[next++ % 16].is = map && find_callbacks(map);
	}
	return false;
}

/* The hash of a place is the same in every process, wherever the program was loaded. A library that was loaded
 * later may not be in the list yet: then the hash is of the address. */
uint64_t
sl_place_hash(uint64_t pc)
{
	for (uint32_t i = 0; i < E.arena->modules.first; i++)
		if (pc >= E.arena->modules.items[i].low && pc < E.arena->modules.items[i].high)
			return sl_mix(pc - E.arena->modules.items[i].base + ((uint64_t)i << 48));
	return sl_mix(pc);
}

/* A library's mapping begins with its ELF header. */
static struct sl_module
module_of(const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)map->l_addr;
	struct sl_module m = {.base = map->l_addr};

	add_segments(&m, (const ElfW(Phdr) *)(map->l_addr + header->e_phoff), header->e_phnum);
	sl_text_copy(m.path, sizeof(m.path), map->l_name);
	return m;
}

static bool
is_known(const struct sl_module *m)
{
	for (uint32_t i = 0; i < E.arena->modules.count; i++) {
		const struct sl_module *other = &E.arena->modules.items[i];
		size_t at = 0;

		while (m->path[at] && m->path[at] == other->path[at])
			at++;
		if (m->base == other->base && m->path[at] == other->path[at])
			return true;
	}
	return false;
}

void
sl_libraries_note_more(void)
{
	struct sl_arena *a = E.arena;

	if (likely(!last || !last->l_next))
		return;
	list_take(2);
	for (const struct link_map *map = last->l_next; map; map = map->l_next) {
		struct sl_module m = module_of(map);

		if (a->modules.count < SL_MODULES_MAX && m.path[0] && !is_known(&m)) {
			a->modules.items[a->modules.count] = m;
			a->modules.count++;
		}
	}
	list_give();
}

void
sl_libraries_unload(void)
{
	if (likely(!last))
		return;
	for (const struct link_map *map = last->l_next; map; map = map->l_next) {
		struct sl_module m = module_of(map);
		uint64_t low = m.low & ~(SL_PAGE - 1), high = (m.high + SL_PAGE - 1) & ~(SL_PAGE - 1);

		sl_raw(SYS_munmap, low, high - low);
	}
}

/* ---- other threads can observe loading and unloading ---- */

void *(*sl_real_dlopen)(const char *path, int mode);

void
sl_libraries_boot(void)
{
	*(void **)&sl_real_dlopen = sl_resolve("dlopen");
}

void sl_library_opens(uint64_t pc);
void
sl_library_opens(uint64_t pc)
{
	sl_boot();
	if (E.control)
		sl_meet(&process_settings.libraries, SL_OP_WRITES, pc);
}

/*
 * dlopen() searches for a library on behalf of its caller (RUNPATH, namespace), which it finds by the return
 * address. So this entry jumps to the real function with an unchanged stack.
 */
__asm__(".pushsection .text\n.balign 32\n.globl dlopen\n.type dlopen, @function\ndlopen:\n.cfi_startproc\n"
	"cmpb $0, sl_engine(%rip)\njne 1f\n"
	"cmpq $0, sl_real_dlopen(%rip)\nje 1f\n"
	"jmp *sl_real_dlopen(%rip)\n"
	"1:\npushq %rdi\n.cfi_adjust_cfa_offset 8\npushq %rsi\n.cfi_adjust_cfa_offset 8\n"
	"subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
	"movq 24(%rsp), %rdi\ncall sl_library_opens\n"
	"addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
	"popq %rsi\n.cfi_adjust_cfa_offset -8\npopq %rdi\n.cfi_adjust_cfa_offset -8\n"
	"jmp *sl_real_dlopen(%rip)\n.cfi_endproc\n.size dlopen, .-dlopen\n.popsection\n");

SL_DEFINE(int, dlclose, (void *library), (library))
{
	sl_meet(&process_settings.libraries, SL_OP_WRITES, pc);
	return SL_CALL(dlclose)(library);
}
