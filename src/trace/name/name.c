#include "trace/name/name.h"

#include "base/room.h"
#include "trace/name/demangle.h"
#include "trace/name/scope.h"
#include "trace/name/source_path.h"
#include "trace/name/variable.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INLINED_MAX 16

/* The scopes of one unit of a module. */
struct unit {
	Dwarf_Off offset;
	struct sl_scopes scopes;
	struct unit *next;
};

/* A module of the trace, and what has been read of it so far. */
struct module {
	struct sl_module record;
	const char *name;   /* short */
	Dwfl_Module *dwfl;  /* NULL: the file could not be read */
	bool has_variables; /* collected */
	struct sl_variables variables;
	struct unit *units;     /* units that were asked for */
	bool has_sites;         /* looked for */
	struct sl_sites *sites; /* NULL: the file has no table, or one that is damaged */
};

struct answer {
	uint64_t address;
	uint32_t size;  /* of data; code has ~0 */
	uint32_t count; /* places; 0: data without a name */
	struct sl_place *places;
	struct sl_data data;
	struct answer *next;
};

/* A string that is freed together with the names. */
struct string {
	struct string *next;
	char text[];
};

struct sl_names {
	Dwfl *dwfl;
	struct module *modules;
	uint32_t module_count;
	struct answer **buckets; /* a power of two of them */
	size_t bucket_count, answer_count;
	struct string *strings;
	char *cwd; /* NULL: unknown */
};

/*
 * dwfl_standard_find_debuginfo() would ask servers in the network where they are configured; a report does not
 * wait for those.
 */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_build_id_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

#define LONGEST_NAME 60 /* of a C++ function: more would break the columns of a story */

static const struct sl_place nowhere = {.function = "??", .file = "??", .stable = "??", .module = ""};

static const char *
keep(struct sl_names *names, const char *text)
{
	size_t size = strlen(text) + 1;
	struct string *s = sl_must(malloc(sizeof(*s) + size));

	memcpy(s->text, text, size);
	s->next = names->strings;
	names->strings = s;
	return s->text;
}

/* A C++ symbol as in the source. */
static const char *
readable(struct sl_names *names, const char *symbol)
{
	char *text = sl_demangle(symbol);
	const char *kept;

	if (!text)
		return symbol;
	if (strlen(text) > LONGEST_NAME)
		strcpy(text + LONGEST_NAME - 3, "...");
	kept = keep(names, text);
	free(text);
	return kept;
}

struct sl_names *
sl_names_new(const struct sl_module *modules, uint32_t count, struct sl_err *err)
{
	struct sl_names *names = sl_must(calloc(1, sizeof(*names)));

	names->dwfl = dwfl_begin(&callbacks);
	if (!names->dwfl) {
		sl_err_set(err, "cannot read debug information: %s", dwfl_errmsg(-1));
		free(names);
		return NULL;
	}
	names->cwd = getcwd(NULL, 0);
	names->bucket_count = 256;
	names->buckets = sl_must(calloc(names->bucket_count, sizeof(*names->buckets)));
	names->modules = sl_must(calloc(count ? count : 1, sizeof(*names->modules)));
	names->module_count = count;
	dwfl_report_begin(names->dwfl);
	for (uint32_t i = 0; i < count; i++) {
		struct module *m = &names->modules[i];

		m->record = modules[i];
		m->record.path[sizeof(m->record.path) - 1] = '\0';
		m->name = sl_path_file(m->record.path);
		/* A file that is gone or is no ELF file (the vdso has none) leaves a module without lines. */
		if (m->record.path[0] && access(m->record.path, R_OK) == 0)
			m->dwfl = dwfl_report_elf(names->dwfl, m->name, m->record.path, -1, m->record.base, true);
	}
	dwfl_report_end(names->dwfl, NULL, NULL);
	return names;
}

void
sl_names_free(struct sl_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->bucket_count; i++) {
		for (struct answer *a = names->buckets[i], *next; a; a = next) {
			next = a->next;
			free(a->places);
			free(a);
		}
	}
	for (struct string *s = names->strings, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	for (uint32_t i = 0; i < names->module_count; i++) {
		sl_variables_release(&names->modules[i].variables);
		sl_sites_free(names->modules[i].sites);
		for (struct unit *u = names->modules[i].units, *next; u; u = next) {
			next = u->next;
			sl_scopes_release(&u->scopes);
			free(u);
		}
	}
	dwfl_end(names->dwfl);
	free(names->modules);
	free(names->buckets);
	free(names->cwd);
	free(names);
}

static size_t
bucket_of(const struct sl_names *names, uint64_t address, uint32_t size)
{
	return ((address * 0x9e3779b97f4a7c15u) >> 24 ^ size) & (names->bucket_count - 1);
}

static void
grow(struct sl_names *names)
{
	struct answer **old = names->buckets;
	size_t count = names->bucket_count;

	names->bucket_count = count * 4;
	names->buckets = sl_must(calloc(names->bucket_count, sizeof(*names->buckets)));
	for (size_t i = 0; i < count; i++) {
		for (struct answer *a = old[i], *next; a; a = next) {
			struct answer **bucket = &names->buckets[bucket_of(names, a->address, a->size)];

			next = a->next;
			a->next = *bucket;
			*bucket = a;
		}
	}
	free(old);
}

/* Returns the previous answer, or a new and empty one: *fresh. */
static struct answer *
answer_for(struct sl_names *names, uint64_t address, uint32_t size, bool *fresh)
{
	struct answer **bucket = &names->buckets[bucket_of(names, address, size)];

	*fresh = false;
	for (struct answer *a = *bucket; a; a = a->next)
		if (a->address == address && a->size == size)
			return a;
	if (++names->answer_count > names->bucket_count) {
		grow(names);
		bucket = &names->buckets[bucket_of(names, address, size)];
	}
	struct answer *a = sl_must(calloc(1, sizeof(*a)));

	a->address = address;
	a->size = size;
	a->next = *bucket;
	*bucket = a;
	*fresh = true;
	return a;
}

bool
sl_module_format(const struct sl_module *m, uint64_t address, char *text, size_t room)
{
	const char *slash = strrchr(m->path, '/');

	if (address < m->low || address >= m->high)
		return false;
	snprintf(text, room, "%.255s+0x%" PRIx64, slash ? slash + 1 : m->path, address - m->base);
	return true;
}

static struct module *
module_at(struct sl_names *names, uint64_t address)
{
	for (uint32_t i = 0; i < names->module_count; i++)
		if (address >= names->modules[i].record.low && address < names->modules[i].record.high)
			return &names->modules[i];
	return NULL;
}

/*
 * Relative to the working directory if the file is below it, else the file with its directory. gcc writes names
 * relative to the directory where it was run, which the unit records.
 */
static void
set_file(struct sl_names *names, struct sl_place *place, Dwarf_Die *unit, const char *source)
{
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	char *copy;

	if (source[0] != '/' && (!directory || directory[0] != '/')) {
		place->path = place->file = place->stable = keep(names, source);
		return;
	}
	copy = sl_must(malloc((directory ? strlen(directory) : 0) + strlen(source) + 2));
	sprintf(copy, "%s/%s", source[0] == '/' ? "" : directory, source);
	sl_path_tidy(copy);
	place->path = keep(names, copy);
	free(copy);
	copy = sl_path_from(place->path, directory);
	place->stable = keep(names, copy);
	free(copy);

	size_t n = names->cwd ? strlen(names->cwd) : 0;
	const char *aside = sl_path_in_version(place->path);

	if (aside) {
		place->file = aside;
		return;
	}
	if (n > 1 && !strncmp(place->path, names->cwd, n) && place->path[n] == '/') {
		place->file = place->path + n + 1;
		return;
	}
	place->file = sl_path_with_folder(place->path);
}

/* clang writes no .debug_aranges, and dwfl_module_addrdie() needs them: ask every unit. */
static Dwarf_Die *
unit_at(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) == 1)
			return unit;
	return NULL;
}

/* The last line at or before the address that has a number: code that the compiler generated has none. */
static Dwarf_Line *
line_at(Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address), *best = NULL;
	Dwarf_Lines *lines;
	Dwarf_Addr at, best_at = 0;
	size_t count;
	int number;

	if (!line || (dwarf_lineno(line, &number) == 0 && number > 0))
		return line;
	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		line = dwarf_onesrcline(lines, i);
		if (dwarf_lineno(line, &number) == 0 && number > 0 && dwarf_lineaddr(line, &at) == 0 &&
		    at <= address && at >= best_at) {
			best = line;
			best_at = at;
		}
	}
	return best;
}

/* Where the inlined function was called. */
static void
set_call(struct sl_names *names, struct sl_place *place, Dwarf_Die *unit, const struct sl_scope *inlined)
{
	Dwarf_Files *files;
	size_t count;
	const char *source = NULL;

	if (dwarf_getsrcfiles(unit, &files, &count) == 0 && inlined->call_file < count)
		source = dwarf_filesrc(files, inlined->call_file, NULL, NULL);
	if (!source)
		return;
	set_file(names, place, unit, source);
	place->line = inlined->call_line;
	place->column = inlined->call_column;
}

/*
 * The functions of a unit, read once: dwarf_getscopes() and dwarf_getscopes_die() read the whole unit for each
 * address. (The first also looks only into functions that contain the address themselves, while a C++ lambda is
 * described inside another function, far from its code.)
 */
static const struct sl_scopes *
scopes_of(struct module *m, Dwarf_Die *unit, Dwarf_Addr bias)
{
	struct unit *u = m->units;

	while (u && u->offset != dwarf_dieoffset(unit))
		u = u->next;
	if (!u) {
		u = sl_must(calloc(1, sizeof(*u)));
		u->offset = dwarf_dieoffset(unit);
		u->next = m->units;
		m->units = u;
		sl_scopes_add_unit(&u->scopes, unit, bias);
	}
	return &u->scopes;
}

/* The chain of functions around the address; each but the first is where the previous one was inlined. */
static uint32_t
places_by_dwarf(struct sl_names *names, struct module *m, uint64_t address, struct sl_place *places)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_at(m->dwfl, address, &bias);
	Dwarf_Line *line = unit ? line_at(unit, address - bias) : NULL;
	const char *source = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	const struct sl_scopes *scopes;
	uint32_t count = 0;
	int number = 0, column = 0;

	if (!source)
		return 0;
	places[0] = nowhere;
	places[0].module = m->name;
	set_file(names, &places[0], unit, source);
	dwarf_lineno(line, &number);
	dwarf_linecol(line, &column);
	places[0].line = (uint32_t)number;
	places[0].column = (uint32_t)column;

	scopes = scopes_of(m, unit, bias);
	for (size_t i = sl_scopes_find(scopes, address); i != SL_NO_SCOPE && count < INLINED_MAX;
	     i = scopes->items[i].parent) {
		const struct sl_scope *scope = &scopes->items[i];

		if (*scope->name)
			places[count].function = readable(names, scope->name);
		count++;
		if (scope->parent == SL_NO_SCOPE)
			break;
		places[count] = nowhere;
		places[count].module = m->name;
		set_call(names, &places[count], unit, scope);
	}
	return count ? count : 1;
}

static void
name_code(struct sl_names *names, uint64_t address, struct answer *a)
{
	struct sl_place places[INLINED_MAX + 1];
	struct module *m = module_at(names, address);
	const char *symbol = NULL;
	GElf_Off offset = 0;
	GElf_Sym sym;

	places[0] = nowhere;
	a->count = 1;
	if (m) {
		a->count = m->dwfl ? places_by_dwarf(names, m, address, places) : 0;
		if (m->dwfl)
			symbol = dwfl_module_addrinfo(m->dwfl, address, &offset, &sym, NULL, NULL, NULL);
		if (!a->count) {
			a->count = 1;
			places[0] = nowhere;
			places[0].module = places[0].file = places[0].stable = m->name;
			places[0].offset = symbol ? offset : address - m->record.base;
		} else if (symbol)
			places[0].offset = offset;
		/* Assembly has lines but no functions. */
		if (symbol && !strcmp(places[a->count - 1].function, "??"))
			places[a->count - 1].function = readable(names, symbol);
	}
	a->places = sl_must(malloc(a->count * sizeof(*places)));
	memcpy(a->places, places, a->count * sizeof(*places));
}

static const struct answer *
code_at(struct sl_names *names, uint64_t address)
{
	bool fresh;
	struct answer *a = answer_for(names, address, ~0u, &fresh);

	if (fresh)
		name_code(names, address, a);
	return a;
}

/* A return address is that of the next instruction, which may belong to another line or function. */
size_t
sl_names_places(struct sl_names *names, uint64_t pc, struct sl_place *places, size_t max)
{
	const struct answer *a = code_at(names, pc ? pc - 1 : 0);
	size_t n = a->count < max ? a->count : max;

	memcpy(places, a->places, n * sizeof(*places));
	return n;
}

bool
sl_names_place(struct sl_names *names, uint64_t pc, struct sl_place *place)
{
	sl_names_places(names, pc, place, 1);
	return place->module[0] != '\0';
}

bool
sl_names_use(struct sl_names *names, uint64_t pc, struct sl_place *place)
{
	struct sl_place chain[INLINED_MAX];
	size_t count = sl_names_places(names, pc, chain, INLINED_MAX), i = 0;

	while (i + 1 < count && chain[i].path &&
	       (!strncmp(chain[i].path, "/usr/include/", 13) || !strncmp(chain[i].path, "/usr/lib/", 9)))
		i++;
	*place = chain[i];
	return place->module[0] != '\0';
}

unsigned
sl_names_modules_at(const struct sl_names *names, uint64_t pc)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < names->module_count; i++)
		found += pc > names->modules[i].record.low && pc <= names->modules[i].record.high;
	return found;
}

const char *
sl_names_function(struct sl_names *names, uint64_t address)
{
	const struct answer *a = code_at(names, address);
	/* the outermost: an inlined function is no entry point */
	const char *name = a->places[a->count - 1].function;

	return strcmp(name, "??") ? name : NULL;
}

static void
variables_get(struct module *m)
{
	if (!m->has_variables)
		sl_variables_init(&m->variables, m->dwfl);
	m->has_variables = true;
}

static void
name_data(struct sl_names *names, struct answer *a)
{
	struct module *m = module_at(names, a->address);
	const struct sl_variable *variable;
	const char *symbol;
	char text[256];
	GElf_Off offset;
	GElf_Sym sym;

	if (!m || !m->dwfl)
		return;
	variables_get(m);
	variable = sl_variables_find(&m->variables, a->address);
	if (variable) {
		sl_variable_format(variable, a->address - variable->address, a->size, text, sizeof(text),
				   &a->data);
	} else {
		symbol = dwfl_module_addrinfo(m->dwfl, a->address, &offset, &sym, NULL, NULL, NULL);
		/* The nearest symbol is no answer when it ends before the address. */
		if (!symbol || offset >= (sym.st_size ? sym.st_size : 1))
			return;
		if (offset)
			snprintf(text, sizeof(text), "%s+%llu", symbol, (unsigned long long)offset);
		else
			snprintf(text, sizeof(text), "%s", symbol);
		a->data.size = offset ? 0 : (uint32_t)sym.st_size;
	}
	a->data.name = keep(names, text);
	a->count = 1;
}

bool
sl_names_data(struct sl_names *names, uint64_t address, uint32_t size, struct sl_data *data)
{
	bool fresh;
	struct answer *a = answer_for(names, address, size == ~0u ? size - 1 : size, &fresh);

	if (fresh)
		name_data(names, a);
	*data = a->data;
	return a->count != 0;
}

static void
sites_get(struct module *m)
{
	struct sl_err err;
	Dwarf_Addr bias;
	Dwarf *dwarf;
	Elf *elf;

	if (m->has_sites)
		return;
	m->has_sites = true;
	dwarf = dwfl_module_getdwarf(m->dwfl, &bias);
	elf = dwarf ? dwarf_getelf(dwarf) : dwfl_module_getelf(m->dwfl, &bias);
	if (elf)
		m->sites = sl_sites_read(elf, dwarf, &err);
}

const struct sl_site *
sl_names_site(struct sl_names *names, uint64_t pc, bool writes)
{
	struct module *m = pc ? module_at(names, pc - 1) : NULL;
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit;

	if (!m || !m->dwfl)
		return NULL;
	sites_get(m);
	if (!m->sites)
		return NULL;
	unit = unit_at(m->dwfl, pc - 1, &bias);
	if (!unit)
		dwfl_module_getelf(m->dwfl, &bias);
	return sl_sites_find(m->sites, unit, pc - bias, writes);
}

const struct sl_sites *
sl_names_sites(struct sl_names *names, uint64_t pc)
{
	struct module *m = pc ? module_at(names, pc - 1) : NULL;

	if (!m || !m->dwfl)
		return NULL;
	sites_get(m);
	return m->sites;
}

/* The bytes of the file that are loaded at the address; NULL: none are, or not so many. */
static const unsigned char *
bytes_at(struct module *m, uint64_t address, uint64_t size)
{
	Dwarf_Addr bias;
	Elf *elf = dwfl_module_getelf(m->dwfl, &bias);
	Elf_Scn *section = NULL;

	while (elf && (section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    address - bias < header.sh_addr || address - bias + size > header.sh_addr + header.sh_size)
			continue;
		data = elf_getdata(section, NULL);
		return data && data->d_buf && data->d_size == header.sh_size
			       ? (const unsigned char *)data->d_buf + (address - bias - header.sh_addr)
			       : NULL;
	}
	return NULL;
}

size_t
sl_names_calls(struct sl_names *names, uint64_t pc, uint64_t *start, uint64_t *end, struct sl_code_call *calls,
	       size_t room)
{
	struct module *m = pc ? module_at(names, pc - 1) : NULL;
	const unsigned char *bytes;
	GElf_Off offset = 0;
	GElf_Sym sym;
	size_t count = 0;
	int32_t distance;

	*start = *end = 0;
	if (!m || !m->dwfl || !dwfl_module_addrinfo(m->dwfl, pc - 1, &offset, &sym, NULL, NULL, NULL) ||
	    offset >= sym.st_size)
		return 0;
	bytes = bytes_at(m, pc - 1 - offset, sym.st_size);
	if (!bytes)
		return 0;
	*start = pc - 1 - offset;
	*end = *start + sym.st_size;
	for (uint64_t i = 0; i + 5 <= sym.st_size; i++) {
		bool direct = bytes[i] == 0xe8;

		if (!direct && (bytes[i] != 0xff || bytes[i + 1] != 0x15 || i + 6 > sym.st_size))
			continue;
		memcpy(&distance, bytes + i + (direct ? 1 : 2), sizeof(distance));
		if (count < room)
			calls[count] = (struct sl_code_call){.pc = *start + i + (direct ? 5 : 6)};
		if (count < room && direct)
			calls[count].target = calls[count].pc + (uint64_t)(int64_t)distance;
		count++;
	}
	return count;
}

const unsigned char *
sl_names_code(struct sl_names *names, uint64_t address, uint64_t size)
{
	struct module *m = module_at(names, address);

	return m && m->dwfl ? bytes_at(m, address, size) : NULL;
}

size_t
sl_names_rows(struct sl_names *names, uint64_t low, uint64_t high, uint64_t *addresses, size_t room)
{
	struct module *m = module_at(names, low);
	Dwarf_Addr bias = 0, at;
	Dwarf_Die *unit = m && m->dwfl ? unit_at(m->dwfl, low, &bias) : NULL;
	Dwarf_Lines *lines;
	size_t line_count, from = 0, count = 0;

	if (!unit || dwarf_getsrclines(unit, &lines, &line_count) != 0)
		return 0;
	for (size_t to = line_count; from < to;) { /* they are in the order of addresses */
		size_t middle = from + (to - from) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) == 0 && at + bias <= low)
			from = middle + 1;
		else
			to = middle;
	}
	if (from && count++ < room)
		addresses[0] = low;
	for (; from < line_count && dwarf_lineaddr(dwarf_onesrcline(lines, from), &at) == 0 && at + bias < high; from++)
		if (count++ < room)
			addresses[count - 1] = at + bias;
	return count;
}

/* Does the result come from a call on that line? */
static bool
returns_call(const struct sl_site_function *f, uint32_t line)
{
	if (strncmp(f->type, "void*(", 6) != 0 && strncmp(f->type, "i8*(", 4) != 0)
		return false;
	for (uint32_t i = 0; i < f->slice_count; i++) {
		const struct sl_site_slice *s = &f->slices[i];

		for (uint32_t k = 0; s->kind == TABLE_SLICE_RESULT && k < s->source_count; k++)
			if (s->sources[k].point && s->sources[k].point->call && s->sources[k].point->line == line)
				return true;
	}
	return false;
}

bool
sl_names_hands_on(struct sl_names *names, uint64_t pc, const struct sl_place *place)
{
	struct module *m = pc ? module_at(names, pc - 1) : NULL;
	const struct sl_site_function *found[16];
	size_t count;

	if (!m || !m->dwfl || !place->line)
		return false;
	sites_get(m);
	if (!m->sites)
		return false;
	count = sl_sites_functions_named(m->sites, place->function, found, 16);
	for (size_t i = 0; i < count && i < 16; i++) {
		const char *slash = strrchr(found[i]->file, '/'), *other = strrchr(place->file, '/');

		if (found[i]->line <= place->line && place->line <= found[i]->last_line &&
		    !strcmp(slash ? slash + 1 : found[i]->file, other ? other + 1 : place->file) &&
		    returns_call(found[i], place->line))
			return true;
	}
	return false;
}

bool
sl_names_extent(struct sl_names *names, uint64_t address, struct sl_extent *extent)
{
	struct module *m = module_at(names, address);
	const struct sl_variable *variable;
	const char *symbol;
	GElf_Off offset;
	GElf_Sym sym;

	if (!m || !m->dwfl)
		return false;
	variables_get(m);
	variable = sl_variables_find(&m->variables, address);
	symbol = variable ? dwarf_diename((Dwarf_Die *)&variable->die) : NULL;
	if (symbol) {
		*extent = (struct sl_extent){variable->address, variable->size, sl_variable_stride(variable), ""};
	} else {
		symbol = dwfl_module_addrinfo(m->dwfl, address, &offset, &sym, NULL, NULL, NULL);
		if (!symbol || offset >= (sym.st_size ? sym.st_size : 1))
			return false;
		*extent = (struct sl_extent){address - offset, sym.st_size ? sym.st_size : 1, 0, ""};
	}
	snprintf(extent->name, sizeof(extent->name), "%s", symbol);
	return true;
}

/*
 * The end of a long path says more than its beginning; `spare` bytes are left for what follows. Returns buffer or
 * path.
 */
static const char *
path_end(const char *path, size_t size, size_t spare, char *buffer, size_t room)
{
	size_t length = strlen(path), keep = size > spare + 8 ? size - spare - 4 : 8;
	const char *from;

	if (length + spare < size)
		return path;
	from = length > keep ? path + length - keep : path;
	while (((unsigned char)*from & 0xc0) == 0x80) /* not into the middle of a character */
		from++;
	snprintf(buffer, room, "…%s", from);
	return buffer;
}

void
sl_line_format(const struct sl_place *place, char *text, size_t size)
{
	char path[1024];

	snprintf(text, size, "%s:%u", path_end(place->file, size, 12, path, sizeof(path)), place->line);
}

void
sl_place_format(const struct sl_place *place, char *text, size_t size)
{
	bool named = strcmp(place->function, "??") != 0;
	size_t function = strlen(place->function);
	char path[1024];

	if (place->line && named && function + 32 < size)
		snprintf(text, size, "%s:%u (%s)", path_end(place->file, size, function + 16, path, sizeof(path)),
			 place->line, place->function);
	else if (place->line && named)
		snprintf(text, size, "%s:%u (%s)", place->file, place->line, place->function);
	else if (place->line)
		sl_line_format(place, text, size);
	else if (named)
		snprintf(text, size, "%s+0x%llx (%s)", place->function, (unsigned long long)place->offset,
			 place->file);
	else if (place->module[0])
		snprintf(text, size, "%s+0x%llx", place->module, (unsigned long long)place->offset);
	else
		snprintf(text, size, "an unknown place");
}
