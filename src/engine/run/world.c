/*
 * The world: saves the program's initial state, and restores it.
 *
 * Every private writable mapping is copied once; after an execution the pages that differ are copied back. For
 * programs of up to a few megabytes comparing is faster than asking the kernel which pages were written;
 * mprotect() would make system calls fail that write to protected memory.
 *
 * Not part of it: the engine's own memory (layout.h, and libsleave's data), the program's heap under control
 * (heap.c releases it as a whole) and the carriers' stacks (carrier.c clears them). Descriptors that an execution
 * opened are closed, positions of inherited ones are restored.
 *
 * Mappings of an execution are removed: those of the program (unsupported.c), libraries (libraries.c), and in this
 * file those of libc, by system calls that can't be intercepted: locales, conversions, catalogues.
 *
 * Changes of the real pthread_create() in libc and the dynamic linker, when a carrier is made, must survive: words
 * changed between adopt_begin and adopt_end are stored in the copy as well.
 */
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/interpose/kernel.h"
#include "engine/model/io/channel.h"
#include "engine/model/process/settings.h"
#include "engine/section/section.h"
#include "engine/under/bulk.h"
#include "engine/upcall/state.h"
#include "engine/under/poison.h"

#define REGIONS_MAX 4096
#define SEEKABLE_MAX 64

struct region {
	char *address;
	size_t size;
	char *copy;
	char *before;   /* scratch memory for adopting */
	uint32_t *runs; /* runs of chunks whose copies are zero, or not: a zero copy need not be read */
	uint32_t run_count;
};

#define RUN_ZERO (1u << 31)
#define RUN_CHUNKS (RUN_ZERO - 1)

static struct region regions[REGIONS_MAX];
static uint32_t region_count;
static struct {
	uintptr_t low, high;
} holes[2]; /* excluded parts of mappings: libsleave's data, padding of the environment */
enum { OWN, PADDING };
static struct {
	int descriptor;
	long position;
	long size; /* the size of an unnamed file, which is restored; -1: another file */
} seekable[SEEKABLE_MAX];
static uint32_t seekable_count;
static char *copies; /* a growing area for the copies, reused for the next world */
static size_t copies_used, copies_size;

void
sl_world_padding(uintptr_t low, uintptr_t high)
{
	holes[PADDING].low = (low + 63) & ~63ul;
	holes[PADDING].high = high & ~63ul;
}

static void
region_add(uintptr_t low, uintptr_t high)
{
	for (unsigned i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		if (low >= holes[i].high || high <= holes[i].low)
			continue;
		if (low < holes[i].low)
			region_add(low, holes[i].low);
		if (high > holes[i].high)
			region_add(holes[i].high, high);
		return;
	}
	if (region_count == REGIONS_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "memory regions");
	regions[region_count++] = (struct region){.address = (char *)low, .size = high - low};
}

static uintptr_t
parse_hex(const char **text)
{
	uintptr_t value = 0;

	for (;; (*text)++) {
		char c = **text;

		if (c >= '0' && c <= '9')
			value = value * 16 + (uintptr_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (uintptr_t)(c - 'a' + 10);
		else
			return value;
	}
}

static bool
ends_with(const char *text, const char *end)
{
	size_t a = sl_strlen(text), b = sl_strlen(end);

	for (size_t i = 0; i < b; i++)
		if (a < b || text[a - b + i] != end[i])
			return false;
	return true;
}

static void maps_line(const char *line, void (*shared)(uintptr_t low, uintptr_t high));

static void
read_maps_lines(void (*function)(const char *line, void (*shared)(uintptr_t low, uintptr_t high)),
		void (*shared)(uintptr_t low, uintptr_t high))
{
	static char buffer[65536];
	size_t used = 0;
	long fd = sl_raw(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), n;

	if (fd < 0)
		sl_trouble(SL_TROUBLE_SYSTEM, 0, "can't read /proc/self/maps");
	while ((n = sl_raw(SYS_read, fd, buffer + used, sizeof(buffer) - 1 - used)) > 0) {
		char *line = buffer, *end = buffer + used + n;

		for (char *p = line; p < end; p++)
			if (*p == '\n') {
				*p = 0;
				function(line, shared);
				line = p + 1;
			}
		used = (size_t)(end - line);
		sl_memmove(buffer, line, used);
	}
	sl_raw(SYS_close, fd);
}

static void
read_maps(void (*shared)(uintptr_t low, uintptr_t high))
{
	read_maps_lines(maps_line, shared);
}

/* Private mappings are restored; children can see the shared ones. */
static void
maps_line(const char *line, void (*shared)(uintptr_t low, uintptr_t high))
{
	uintptr_t low = parse_hex(&line);
	uintptr_t high = (line++, parse_hex(&line));

	if (line[1] != 'r' || line[2] != 'w' || line[4] != (shared ? 's' : 'p') || sl_layout_owns(low))
		return;
	if (shared) {
		shared(low, high);
		return;
	}
	if (ends_with(line, "[stack]")) {
		low = sl_caller_stack();
		low &= ~15ul;
	}
	region_add(low, high);
}

void
sl_world_shared(void (*visit)(uintptr_t low, uintptr_t high))
{
	read_maps(visit);
}

/* ---- libc's mappings ---- */

#define KNOWN_MAX REGIONS_MAX
#define STRAY_MAX 1024
#define LOOK_EVERY 256 /* executions between checks without an indication of a mapping */

struct range {
	uintptr_t low, high;
};

static struct range known[KNOWN_MAX], strays[STRAY_MAX]; /* mappings of the start, by address; others */
static struct range libc[2];                             /* the code of libc and of the dynamic linker */
static uint32_t known_count, stray_count;
static uint64_t known_pages; /* the size of the address space with only these mappings */
static uint32_t not_looked;

/* Returns the process's address space in pages, a number that changes with every mapping. */
static uint64_t
count_pages(void)
{
	char text[64] = "";
	long fd = sl_raw(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
	uint64_t pages = 0;

	if (fd < 0)
		return 0;
	sl_raw(SYS_read, fd, text, sizeof(text) - 1);
	sl_raw(SYS_close, fd);
	for (const char *c = text; *c >= '0' && *c <= '9'; c++)
		pages = pages * 10 + (uint64_t)(*c - '0');
	return pages;
}

static void
know(const char *line, void (*unused)(uintptr_t low, uintptr_t high))
{
	uintptr_t low = parse_hex(&line);
	uintptr_t high = (line++, parse_hex(&line));

	(void)unused;
	if (sl_layout_owns(low))
		return;
	if (known_count && known[known_count - 1].high == low) {
		known[known_count - 1].high = high;
		return;
	}
	if (known_count == KNOWN_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "memory regions");
	known[known_count++] = (struct range){low, high};
}

static void
find_strays(const char *line, void (*unused)(uintptr_t low, uintptr_t high))
{
	uintptr_t low = parse_hex(&line);
	uintptr_t high = (line++, parse_hex(&line));

	(void)unused;
	if (sl_layout_owns(low) || ends_with(line, "[heap]") || ends_with(line, "[stack]"))
		return;
	/* the parts of the mapping that are not known; known ones may be merged with it */
	for (uint32_t i = 0; i < known_count && low < high; i++) {
		if (known[i].high <= low || known[i].low >= high)
			continue;
		if (known[i].low > low && stray_count < STRAY_MAX)
			strays[stray_count++] = (struct range){low, known[i].low};
		low = known[i].high;
	}
	if (low < high && stray_count < STRAY_MAX)
		strays[stray_count++] = (struct range){low, high};
}

/* Libc allocates memory whenever it makes a mapping, and the allocation is seen. */
bool
sl_world_is_libc(uint64_t pc)
{
	return pc - libc[0].low < libc[0].high - libc[0].low || pc - libc[1].low < libc[1].high - libc[1].low;
}

bool
sl_world_has_strays(void)
{
	if (!E.uses.mappings || !known_pages || count_pages() == known_pages)
		return false;
	stray_count = 0;
	read_maps_lines(find_strays, NULL);
	return stray_count > 0;
}

/* Returns whether libc may have mapped or opened something unseen. */
static bool
unmap_strays(void)
{
	if (likely(!E.uses.mappings && ++not_looked < LOOK_EVERY))
		return false;
	E.uses.mappings = false;
	not_looked = 0;
	if (count_pages() == known_pages)
		return true;
	do {
		stray_count = 0;
		read_maps_lines(find_strays, NULL);
		for (uint32_t i = 0; i < stray_count; i++)
			sl_raw(SYS_munmap, strays[i].low, strays[i].high - strays[i].low);
	} while (stray_count == STRAY_MAX);
	known_pages = count_pages(); /* libc's heap and the first stack may have grown */
	return true;
}

static int
find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name, *name = path;
	struct range *range;

	(void)size;
	(void)data;
	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	if (name[0] == 'l' && name[1] == 'i' && name[2] == 'b' && name[3] == 'c' &&
	    (name[4] == '.' || name[4] == '-'))
		range = &libc[0];
	else if (name[0] == 'l' && name[1] == 'd' && name[2] == '-')
		range = &libc[1];
	else
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			range->low = info->dlpi_addr + p->p_vaddr;
			range->high = range->low + p->p_memsz;
		}
	}
	return 0;
}

static int
find_own(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t here = (uintptr_t)&region_count;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + p->p_vaddr, high = low + p->p_memsz;

		if (p->p_type == PT_LOAD && (p->p_flags & PF_W) && here >= low && here < high) {
			holes[OWN].low = low & ~(SL_PAGE - 1);
			holes[OWN].high = (high + SL_PAGE - 1) & ~(SL_PAGE - 1);
			return 1;
		}
	}
	return 0;
}

/* Returns whether this is the file of the process's output, which `sleave test` reads. */
static bool
is_output(const struct stat *file)
{
	for (int fd = 0; fd < 3; fd++) {
		struct stat info = {0};

		if (sl_raw(SYS_fstat, fd, &info) == 0 && info.st_ino == file->st_ino &&
		    info.st_dev == file->st_dev)
			return true;
	}
	return false;
}

static void
save_descriptors(void)
{
	const int *numbers;
	uint32_t count = sl_descriptors_open(&numbers);

	seekable_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct stat info = {0};
		int fd = numbers[i];
		long position = sl_raw(SYS_lseek, fd, 0, SEEK_CUR);

		if (position >= 0 && seekable_count < SEEKABLE_MAX && sl_raw(SYS_fstat, fd, &info) == 0 &&
		    S_ISREG(info.st_mode)) {
			seekable[seekable_count].descriptor = fd;
			seekable[seekable_count].size = info.st_nlink || is_output(&info) ? -1 : info.st_size;
			seekable[seekable_count++].position = position;
		}
	}
}

/* Returns the room for the copy, for adopting, and for the runs. */
static size_t
room_for(const struct region *r)
{
	return (2 * ((r->size + 63) & ~63ul) + r->size / SL_CHUNK * sizeof(*r->runs) + 63) & ~63ul;
}

static void
find_runs(struct region *r)
{
	r->run_count = 0;
	for (size_t i = 0; i + SL_CHUNK <= r->size; i += SL_CHUNK) {
		uint32_t zero = sl_bulk_is_zero(r->copy + i, SL_CHUNK) ? RUN_ZERO : 0;

		if (!i || (r->runs[r->run_count - 1] & RUN_ZERO) != zero)
			r->runs[r->run_count++] = zero;
		r->runs[r->run_count - 1]++;
	}
}

void
sl_world_save(void)
{
	size_t total = 0;

	if (!holes[OWN].high) {
		dl_iterate_phdr(find_own, NULL);
		dl_iterate_phdr(find_libc, NULL);
	}
	malloc_trim(0); /* then free memory at the end of libc's heap need not be restored */
	region_count = 0;
	read_maps(NULL);
	for (uint32_t i = 0; i < region_count; i++)
		total += room_for(&regions[i]);
	if (total > copies_size) {
		copies = sl_private_alloc(total);
		copies_size = total;
	}
	copies_used = 0;
	for (uint32_t i = 0; i < region_count; i++) {
		struct region *r = &regions[i];
		size_t size = (r->size + 63) & ~63ul;

		r->copy = copies + copies_used;
		r->before = r->copy + size;
		r->runs = (uint32_t *)(r->before + size);
		copies_used += room_for(r);
		sl_memcpy(r->copy, r->address, r->size);
		find_runs(r);
	}
	save_descriptors();
	sl_channels_save();
	sl_settings_save();
	known_count = 0;
	read_maps_lines(know, NULL);
	known_pages = count_pages();
	E.uses.mappings = false;
}

/* ---- restoring ---- */

static void
restore_region(struct region *r)
{
	char *at = r->address;
	const char *copy = r->copy;

	for (uint32_t i = 0; i < r->run_count; i++) {
		size_t size = (r->runs[i] & RUN_CHUNKS) * SL_CHUNK;

		if (r->runs[i] & RUN_ZERO)
			sl_bulk_clear(at, size);
		else
			sl_bulk_restore(at, copy, size);
		at += size;
		copy += size;
	}
	sl_memcpy(at, copy, (size_t)(r->address + r->size - at)); /* a partial chunk, which only the stack has */
}

/*
 * Restores positions of inherited files, which a child process shares with its parent, and truncates temporary
 * files, such as Check's file for messages of tests.
 */
void
sl_world_rewind(void)
{
	for (uint32_t i = 0; i < seekable_count; i++) {
		int fd = seekable[i].descriptor;
		struct stat info = {0};

		sl_raw(SYS_lseek, fd, seekable[i].position, SEEK_SET);
		if (seekable[i].size >= 0 && sl_raw(SYS_fstat, fd, &info) == 0 && info.st_size > seekable[i].size)
			sl_raw(SYS_ftruncate, fd, seekable[i].size);
	}
}

bool
sl_world_has_moved(void)
{
	for (uint32_t i = 0; i < seekable_count; i++)
		if (sl_raw(SYS_lseek, seekable[i].descriptor, 0, SEEK_CUR) != seekable[i].position)
			return true;
	return false;
}

void
sl_world_each(void (*function)(uint64_t low, uint64_t high))
{
	for (size_t i = 0; i < region_count; i++)
		function((uint64_t)regions[i].address, (uint64_t)regions[i].address + regions[i].size);
}

void
sl_world_restore(void)
{
	bool by_libc = unmap_strays();

	for (uint32_t i = 0; i < region_count; i++)
		restore_region(&regions[i]);
	sl_channels_restore(by_libc);
	sl_settings_reset();
	sl_world_rewind();
}

/*
 * Calls the function for each chunk that differs from the start; `start`: its initial contents, NULL if it was
 * zero.
 */
void
sl_world_differences(void (*function)(void *at, const void *start, size_t size))
{
	for (uint32_t i = 0; i < region_count; i++) {
		struct region *r = &regions[i];
		size_t at = 0;

		for (uint32_t k = 0; k < r->run_count; k++) {
			size_t end = at + (r->runs[k] & RUN_CHUNKS) * SL_CHUNK;

			for (; at < end; at += SL_CHUNK)
				if (r->runs[k] & RUN_ZERO
					    ? !sl_bulk_is_zero(r->address + at, SL_CHUNK)
					    : sl_bulk_differs(r->address + at, r->copy + at, SL_CHUNK))
					function(r->address + at, r->runs[k] & RUN_ZERO ? NULL : r->copy + at,
						 SL_CHUNK);
		}
		if (at < r->size)
			function(r->address + at, r->copy + at, r->size - at);
	}
}

/* ---- adopting ---- */

void
sl_world_adopt_begin(void)
{
	for (uint32_t i = 0; i < region_count; i++)
		sl_memcpy(regions[i].before, regions[i].address, regions[i].size);
}

void
sl_world_adopt_end(void)
{
	for (uint32_t i = 0; i < region_count; i++) {
		struct region *r = &regions[i];

		/*
		 * When exploring in place, the current stack is a region: other executions will return to its
		 * present contents.
		 */
		if (E.body.in_place && sl_section_frame() - (uintptr_t)r->address < r->size)
			continue;
		for (size_t at = 0; at + 8 <= r->size; at += 8) {
			uint64_t *now = (uint64_t *)(r->address + at);

			if (*now != *(uint64_t *)(r->before + at))
				*(uint64_t *)(r->copy + at) = *now;
		}
		find_runs(r);
	}
}
