/*
 * See functions.h. The table for unwinding exceptions, which is loaded with the program, says where functions
 * begin and end; their code says what they call.
 */
#include "engine/unseen/functions.h"
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define SLOTS 8192 /* for calls to other libraries */

static struct {
	uint64_t word;
	enum sl_linked target;
} slots[SLOTS];
static unsigned slot_count;

static const struct {
	uint8_t version, pointer_encoding, count_encoding, table_encoding;
	int32_t frames;
	uint32_t count;
	struct {
		int32_t function, frame; /* relative to the beginning of this header */
	} table[];
} * header;
static uint64_t text_low, text_high;

/* Finds what a call leads to; what the start and the end of a program call is neither. */
static enum sl_linked
target_of(const char *name, uint64_t value, uint64_t low, uint64_t high)
{
	if (sl_text_begins(name, "__tsan_") || sl_text_begins(name, "__sleave_"))
		return SL_TO_CALLBACK;
	if (value < low || value >= high || sl_text_same(name, "__libc_start_main") ||
	    sl_text_same(name, "__cxa_atexit") || sl_text_same(name, "__cxa_at_quick_exit"))
		return SL_TO_ELSEWHERE;
	return SL_TO_CONTROLLED;
}

static void
add_slot(uint64_t word, enum sl_linked target)
{
	unsigned at = (unsigned)sl_mix(word) % SLOTS;

	if (slot_count >= SLOTS / 2)
		return;
	while (slots[at].word)
		at = (at + 1) % SLOTS;
	slots[at].word = word;
	slots[at].target = target;
	slot_count++;
}

enum sl_linked
sl_functions_by(uint64_t word)
{
	unsigned at = (unsigned)sl_mix(word) % SLOTS;

	while (slots[at].word && slots[at].word != word)
		at = (at + 1) % SLOTS;
	return slots[at].word ? slots[at].target : SL_TO_ELSEWHERE;
}

/* The addresses of the engine's code: calls that lead there are under control. */
static void
own_range(uint64_t *low, uint64_t *high)
{
	*low = *high = 0;
	for (uint32_t i = 0; i < E.arena->modules.count; i++) {
		const struct sl_module *m = &E.arena->modules.items[i];

		if ((uint64_t)&own_range >= m->low && (uint64_t)&own_range < m->high) {
			*low = m->low;
			*high = m->high;
		}
	}
}

static void
add_relocations(const ElfW(Rela) * at, uint64_t size, const struct link_map *map, const ElfW(Sym) * symbols,
		const char *names)
{
	uint64_t low, high;

	own_range(&low, &high);
	for (uint64_t i = 0; at && i < size / sizeof(*at); i++) {
		uint64_t word = map->l_addr + at[i].r_offset, type = ELF64_R_TYPE(at[i].r_info);

		if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT)
			add_slot(word, target_of(names + symbols[ELF64_R_SYM(at[i].r_info)].st_name,
						 *(const uint64_t *)word, low, high));
	}
}

static void
find_slots(const struct link_map *map)
{
	uint64_t values[DT_JMPREL + 1] = {0};

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag >= 0 && d->d_tag <= DT_JMPREL)
			values[d->d_tag] = d->d_un.d_val;
	if (!values[DT_SYMTAB] || !values[DT_STRTAB] || values[DT_SYMTAB] < map->l_addr)
		return;
	for (int lazy = 0; lazy < 2; lazy++)
		add_relocations((const ElfW(Rela) *)values[lazy ? DT_JMPREL : DT_RELA],
				values[lazy ? DT_PLTRELSZ : DT_RELASZ], map, (const ElfW(Sym) *)values[DT_SYMTAB],
				(const char *)values[DT_STRTAB]);
}

int32_t
sl_functions_number(uint64_t address)
{
	int32_t n;

	sl_memcpy(&n, (const void *)address, sizeof(n));
	return n;
}

static bool
is_text(uint64_t address, uint64_t size)
{
	return address >= text_low && size <= text_high - text_low && address <= text_high - size;
}

/* A call or jump leads there: perhaps to a stub of the linker, which jumps to the address in a word. */
enum sl_linked
sl_functions_through(uint64_t to)
{
	if (!is_text(to, 12))
		return SL_TO_ELSEWHERE;

	const uint8_t *code = (const uint8_t *)to;

	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
		code += 4;
	code += code[0] == 0xf2;
	if (code[0] != 0xff || code[1] != 0x25)
		return SL_TO_ELSEWHERE;
	return sl_functions_by((uint64_t)code + 6 + (uint64_t)(int64_t)sl_functions_number((uint64_t)code + 2));
}

/*
 * By the function's number in the table, which is sorted. Its frame has a length, the length of its kind, its
 * start and its size.
 */
struct sl_function
sl_functions_at(uint32_t i)
{
	uint64_t base = (uint64_t)header, low = base + (uint64_t)(int64_t)header->table[i].function;
	uint64_t frame = base + (uint64_t)(int64_t)header->table[i].frame;
	uint64_t size = (uint32_t)sl_functions_number(frame + 12);

	return (struct sl_function){low, is_text(low, size) ? low + size : low};
}

static bool
find_header(const struct sl_module *m)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)m->low;
	const ElfW(Phdr) *parts = (const ElfW(Phdr) *)(m->low + elf->e_phoff);

	header = NULL;
	text_low = text_high = 0;

	if (!sl_text_begins((const char *)elf->e_ident, ELFMAG))
		return false;
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		uint64_t low = m->base + parts[i].p_vaddr;

		if (parts[i].p_type == PT_GNU_EH_FRAME)
			header = (const void *)low;
		if (parts[i].p_type == PT_LOAD && parts[i].p_flags & PF_X) {
			text_low = low;
			text_high = low + parts[i].p_filesz;
		}
	}
	/* the form that linkers write: offsets of four bytes, relative to the header */
	return header && text_high && header->version == 1 && header->count_encoding == 0x03 &&
	       header->table_encoding == 0x3b;
}

uint32_t
sl_functions_open(const struct sl_module *m, const struct link_map *map)
{
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i].word = 0;
	slot_count = 0;
	if (!find_header(m))
		return 0;
	find_slots(map);
	return header->count;
}

uint64_t
sl_functions_end(void)
{
	return text_high;
}

bool
sl_functions_is_text(uint64_t address)
{
	return is_text(address, 1);
}
