#include "trace/bind/bind.h"

#include "base/room.h"
#include "schedule/schedule.h"
#include "trace/bind/binder.h"
#include "trace/name/demangle.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As in name.c: no servers are asked for debug information. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_build_id_find_debuginfo,
};

static bool
starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool
imports(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *prefix)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		const char *name = gelf_getsym(data, (int)i, &symbol)
					   ? elf_strptr(elf, header->sh_link, symbol.st_name)
					   : NULL;

		if (name && symbol.st_shndx == SHN_UNDEF && starts(name, prefix))
			return true;
	}
	return false;
}

/* In the file itself: finding separate debug information, and unpacking it, takes longer than everything else. */
static bool
is_own(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (name && header.sh_type != SHT_NOBITS && !strcmp(name, ".debug_info"))
			return true;
		if (header.sh_type == SHT_DYNSYM && imports(elf, section, &header, "__tsan_func_"))
			return true;
	}
	return false;
}

/*
 * Adds modules of the program's own: instrumented, or with debug information in the file itself. The debug
 * information of system libraries, if installed, is in separate files: schedules do not mean their names.
 */
static int
add_module(Dwfl_Module *dwfl, void **user, const char *name, Dwarf_Addr base, void *data)
{
	struct sl_binder *b = data;
	const char *slash = strrchr(name, '/');
	Dwarf_Addr bias;

	(void)user;
	(void)base;
	if (starts(slash ? slash + 1 : name, "libsleave.so") || !is_own(dwfl_module_getelf(dwfl, &bias)) ||
	    !dwfl_module_getdwarf(dwfl, &bias))
		return DWARF_CB_OK;
	b->modules = sl_room_for(b->modules, b->count, &b->capacity, sizeof(*b->modules));
	b->modules[b->count] = (struct sl_bound_module){.dwfl = dwfl};
	sl_scopes_init(&b->modules[b->count++].scopes, dwfl);
	return DWARF_CB_OK;
}

/* With the modules that dwfl was told of. */
static struct sl_binder *
with_modules(struct sl_binder *b, struct sl_err *err)
{
	dwfl_getmodules(b->dwfl, add_module, b, 0);
	if (!b->count) {
		sl_err_set(err, "the program has no debug information, so nothing in it has a name");
		sl_binder_free(b);
		return NULL;
	}
	return b;
}

struct sl_binder *
sl_binder_new(pid_t pid, struct sl_err *err)
{
	struct sl_binder *b = sl_must(calloc(1, sizeof(*b)));

	b->dwfl = dwfl_begin(&callbacks);
	if (!b->dwfl || dwfl_linux_proc_report(b->dwfl, pid) != 0 || dwfl_report_end(b->dwfl, NULL, NULL) != 0) {
		sl_err_set(err, "cannot read the modules of process %ld: %s", (long)pid, dwfl_errmsg(-1));
		sl_binder_free(b);
		return NULL;
	}
	return with_modules(b, err);
}

struct sl_binder *
sl_binder_of(const struct sl_module *modules, size_t count, struct sl_err *err)
{
	struct sl_binder *b = sl_must(calloc(1, sizeof(*b)));

	b->dwfl = dwfl_begin(&callbacks);
	if (!b->dwfl) {
		sl_err_set(err, "cannot read debug information: %s", dwfl_errmsg(-1));
		sl_binder_free(b);
		return NULL;
	}
	dwfl_report_begin(b->dwfl);
	for (size_t i = 0; i < count; i++) /* the vdso has no file */
		if (modules[i].path[0] && access(modules[i].path, R_OK) == 0)
			dwfl_report_elf(b->dwfl, modules[i].path, modules[i].path, -1, modules[i].base, true);
	dwfl_report_end(b->dwfl, NULL, NULL);
	return with_modules(b, err);
}

void
sl_binder_free(struct sl_binder *binder)
{
	if (!binder)
		return;
	for (size_t i = 0; i < binder->count; i++)
		sl_scopes_release(&binder->modules[i].scopes);
	free(binder->modules);
	if (binder->dwfl)
		dwfl_end(binder->dwfl);
	free(binder);
}

void
sl_bindings_add(struct sl_bindings *bindings, enum sl_binding_kind kind, uint32_t region, struct sl_range range)
{
	bindings->items =
		sl_room_for(bindings->items, bindings->count, &bindings->capacity, sizeof(*bindings->items));
	bindings->items[bindings->count++] =
		(struct sl_binding){.kind = kind, .region = region, .low = range.low, .high = range.high};
}

void
sl_bindings_release(struct sl_bindings *bindings)
{
	free(bindings->items);
	*bindings = (struct sl_bindings){0};
}

int
sl_bind_unknown(const char *what, const char *name, const char *const *names, size_t count, struct sl_err *err)
{
	const char *near = sl_nearest(name, names, count);

	if (near)
		return sl_err_set(err, "there is no %s `%s` in the program; did you mean `%s`?", what, name, near);
	return sl_err_set(err, "there is no %s `%s` in the program", what, name);
}

unsigned
sl_name_fits(const char *name, size_t length, const char *full)
{
	size_t n = strlen(full);

	if (n < length || strncmp(full + n - length, name, length) != 0)
		return 0;
	if (n == length)
		return 2;
	return n >= length + 2 && full[n - length - 1] == ':' && full[n - length - 2] == ':';
}

/* ---- functions ---- */

/*
 * Removes the result type of a demangled function (templates have one) and all blanks; `(anonymous namespace)::`
 * may be omitted.
 */
static void
tidy(const char *from, char *to)
{
	const char *begin = from, *p = from;
	char *out = to;
	int depth = 0;

	for (; *p; p++) {
		if (starts(p, "(anonymous namespace)"))
			p += strlen("(anonymous namespace)") - 1;
		else if (starts(p, "operator"))
			break;
		else if (*p == '<' || *p == '(')
			depth++;
		else if (*p == '>' || *p == ')')
			depth--;
		else if (*p == ' ' && depth == 0)
			begin = p + 1;
		if (*p == '(' && depth == 1)
			break;
	}
	for (p = begin; *p; p++) {
		if (starts(p, "(anonymous namespace)::"))
			p += strlen("(anonymous namespace)::") - 1;
		else if (*p != ' ')
			*out++ = *p;
	}
	*out = '\0';
}

/* Finds the beginning of the parameters. */
static char *
parameters(char *tidied)
{
	char *p = tidied;
	int depth = 0;

	for (; *p; p++) {
		if (starts(p, "operator")) {
			for (p += strlen("operator"); *p && !strchr("(abcdefghijklmnopqrstuvwxyz_", *p); p++)
				;
			return starts(p, "()") ? strchr(p + 1, '(') : strchr(p, '(');
		}
		if (*p == '<')
			depth++;
		else if (*p == '>')
			depth--;
		else if (*p == '(' && depth == 0)
			return p;
	}
	return NULL;
}

/* … and without template arguments. */
static void
strip_arguments(char *text)
{
	char *out = text;
	int depth = 0;

	for (const char *p = text; *p; p++) {
		if (starts(p, "operator")) {
			strcpy(out, p);
			return;
		}
		depth += *p == '<';
		if (!depth)
			*out++ = *p;
		depth -= *p == '>';
	}
	*out = '\0';
}

static unsigned
better(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* How well it fits, as in sl_name_fits(). */
static unsigned
function_fits(const char *name, const struct sl_scope *scope)
{
	size_t length = strcspn(scope->name, "<");
	char *full, *text, *wanted, *at;
	unsigned fits;

	if (!memmem(name, strlen(name), scope->name, length))
		return 0;
	full = scope->linkage ? sl_demangle(scope->linkage) : NULL;
	if (!full) /* C; an extern "C" function in a namespace has no more than this either */
		return sl_name_fits(name, strlen(name), scope->name);
	text = malloc(strlen(full) + 1);
	wanted = malloc(strlen(name) + 1);
	if (!text || !wanted)
		abort();
	tidy(full, text);
	length = 0;
	for (const char *p = name; *p; p++)
		if (*p != ' ')
			wanted[length++] = *p;
	wanted[length] = '\0';
	fits = sl_name_fits(wanted, length, text);
	at = parameters(text);
	if (at) {
		*at = '\0';
		fits = better(fits, sl_name_fits(wanted, length, text));
	}
	strip_arguments(text);
	fits = better(fits, sl_name_fits(wanted, length, text));
	free(text);
	free(wanted);
	free(full);
	return fits;
}

/* The part of a function that gcc did not inline together with its beginning: the function was entered earlier. */
static bool
is_part(const struct sl_bound_module *m, const struct sl_scope *scope)
{
	const char *symbol = dwfl_module_addrname(m->dwfl, m->scopes.ranges[scope->first].low);

	return symbol && strstr(symbol, ".part.");
}

static void
add_ranges(struct sl_bindings *bindings, enum sl_binding_kind kind, uint32_t region,
	   const struct sl_scopes *scopes, size_t scope)
{
	const struct sl_scope *s = &scopes->items[scope];

	for (size_t i = 0; i < s->count; i++)
		sl_bindings_add(bindings, kind, region, scopes->ranges[s->first + i]);
}

static void
add_function(const struct sl_bound_module *m, size_t scope, struct sl_bindings *bindings)
{
	const struct sl_scopes *all = &m->scopes;

	if (all->items[scope].parent !=
	    SL_NO_SCOPE) { /* each place is an activation of its own: two may follow each other */
		uint32_t region = bindings->region++;

		add_ranges(bindings, SL_BOUND_REGION, region, all, scope);
		add_ranges(bindings, SL_BOUND_AROUND, region, all, sl_scopes_function(all, scope));
	} else if (!is_part(m, &all->items[scope])) {
		add_ranges(bindings, SL_BOUND_FUNCTION, 0, all, scope);
	}
}

static int
unknown_function(const struct sl_binder *b, const char *name, struct sl_err *err)
{
	const char **names = NULL;
	size_t count = 0, capacity = 0;
	int result;

	for (size_t i = 0; i < b->count; i++) {
		const struct sl_scopes *s = &b->modules[i].scopes;

		for (size_t k = 0; k < s->gone_count; k++)
			if (strcmp(s->gone[k], name) == 0)
				return sl_err_set(
					err,
					"the function `%s` has no code in the program: nothing calls it, "
					"or the compiler has optimised it away",
					name);
		for (size_t k = 0; k < s->count; k++) {
			names = sl_room_for(names, count, &capacity, sizeof(*names));
			names[count++] = s->items[k].name;
		}
	}
	result = sl_bind_unknown("function", name, names, count, err);
	free(names);
	return result;
}

static int
bind_function(struct sl_binder *b, const char *name, struct sl_bindings *bindings, struct sl_err *err)
{
	unsigned best = 0;

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < b->count; i++)
			for (size_t k = 0; k < b->modules[i].scopes.count; k++) {
				unsigned fits = function_fits(name, &b->modules[i].scopes.items[k]);

				if (!round)
					best = better(best, fits);
				else if (best && fits == best)
					add_function(&b->modules[i], k, bindings);
			}
	return best ? 0 : unknown_function(b, name, err);
}

/* ---- lines ---- */

/* "./src/queue.c" and "/home/x/src/queue.c" are "queue.c" and "src/queue.c". */
static bool
file_fits(const char *name, const char *path)
{
	size_t a = strlen(name), b = strlen(path);

	return b >= a && strcmp(path + b - a, name) == 0 && (b == a || path[b - a - 1] == '/');
}

/* State of the search for a line. */
struct search {
	const char *name;
	uint32_t line;
	struct sl_bindings *bindings;
	size_t first;           /* of this line's bindings */
	const char *path;       /* the file that the line is in; NULL: none so far */
	const char *other;      /* … and a second one */
	uint32_t before, after; /* the nearest lines with code; 0: none */
	const char **files;     /* for "did you mean" */
	size_t file_count, file_capacity;
	/* the scope that a region stands for, in the current module */
	size_t *owners;
	uint32_t *regions;
	size_t owner_count, owner_capacity, region_capacity;
};

static uint32_t
region_of(struct search *s, const struct sl_bound_module *m, size_t scope)
{
	for (size_t i = 0; i < s->owner_count; i++)
		if (s->owners[i] == scope)
			return s->regions[i];
	s->owners = sl_room_for(s->owners, s->owner_count, &s->owner_capacity, sizeof(*s->owners));
	s->regions = sl_room_for(s->regions, s->owner_count, &s->region_capacity, sizeof(*s->regions));
	s->owners[s->owner_count] = scope;
	s->regions[s->owner_count] = s->bindings->region++;
	add_ranges(s->bindings, SL_BOUND_AROUND, s->regions[s->owner_count], &m->scopes,
		   sl_scopes_function(&m->scopes, scope));
	return s->regions[s->owner_count++];
}

/* The paths of one file may begin differently: relative to another folder, or as given to the compiler. */
static bool
same_file(const char *a, const char *b)
{
	while (starts(a, "./"))
		a += 2;
	while (starts(b, "./"))
		b += 2;
	return file_fits(a, b) || file_fits(b, a);
}

static bool
is_file(struct search *s, const char *path)
{
	if (!file_fits(s->name, path))
		return false;
	if (!s->path)
		s->path = path;
	else if (!same_file(s->path, path))
		s->other = path;
	return true;
}

static void
note_near(struct search *s, uint32_t line)
{
	if (line < s->line && line > s->before)
		s->before = line;
	if (line > s->line && (!s->after || line < s->after))
		s->after = line;
}

static void
search_unit(struct search *s, const struct sl_bound_module *m, Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *path = dwarf_linesrc(line, NULL, NULL);
		Dwarf_Addr low, high;
		bool ends = false;
		size_t scope;
		int number;

		if (!path || dwarf_lineno(line, &number) != 0 || dwarf_lineendsequence(line, &ends) != 0 || ends)
			continue;
		s->files = sl_room_for(s->files, s->file_count, &s->file_capacity, sizeof(*s->files));
		if (!s->file_count || s->files[s->file_count - 1] != path)
			s->files[s->file_count++] = path;
		if (number <= 0 || !is_file(s, path))
			continue;
		note_near(s, (uint32_t)number);
		if ((uint32_t)number != s->line || i + 1 == count || dwarf_lineaddr(line, &low) != 0 ||
		    dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &high) != 0 || low >= high)
			continue;
		scope = sl_scopes_find(&m->scopes, low + bias);
		if (scope != SL_NO_SCOPE)
			sl_bindings_add(s->bindings, SL_BOUND_REGION, region_of(s, m, scope),
					(struct sl_range){low + bias, high + bias});
	}
}

/* An inlined call on the line is part of it. */
static void
search_calls(struct search *s, const struct sl_bound_module *m)
{
	for (size_t i = 0; i < m->scopes.count; i++) {
		const struct sl_scope *scope = &m->scopes.items[i];
		Dwarf_Files *files;
		const char *path;
		size_t count;

		if (scope->parent == SL_NO_SCOPE || scope->call_line != s->line ||
		    dwarf_getsrcfiles(scope->unit, &files, &count) != 0 || scope->call_file >= count)
			continue;
		path = dwarf_filesrc(files, scope->call_file, NULL, NULL);
		if (path && file_fits(s->name, path))
			add_ranges(s->bindings, SL_BOUND_REGION, region_of(s, m, scope->parent), &m->scopes, i);
	}
}

static int
no_line(const struct search *s, struct sl_err *err)
{
	const char *slash;

	if (!s->path) {
		/* only the file's name is misspelt */
		for (size_t i = 0; i < s->file_count; i++)
			if (!strchr(s->name, '/') && (slash = strrchr(s->files[i], '/')))
				s->files[i] = slash + 1;
		return sl_bind_unknown("file", s->name, s->files, s->file_count, err);
	}
	if (s->before && s->after)
		return sl_err_set(err, "line %u of `%s` has no code; the nearest lines that have are %u and %u",
				  s->line, s->name, s->before, s->after);
	return sl_err_set(err, "line %u of `%s` has no code; the nearest line that has is %u", s->line, s->name,
			  s->before ? s->before : s->after);
}

static int
bind_line(struct sl_binder *b, const char *name, uint32_t line, struct sl_bindings *bindings, struct sl_err *err)
{
	struct search s = {.name = name, .line = line, .bindings = bindings, .first = bindings->count};
	int result = 0;

	for (size_t i = 0; i < b->count; i++) {
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		s.owner_count = 0;
		while ((unit = dwfl_module_nextcu(b->modules[i].dwfl, unit, &bias)))
			search_unit(&s, &b->modules[i], unit, bias);
		search_calls(&s, &b->modules[i]);
	}
	if (s.other)
		result =
			sl_err_set(err, "`%s` may be %s or %s: say which, with its folder", name, s.path, s.other);
	else if (bindings->count == s.first)
		result = no_line(&s, err);
	free(s.files);
	free(s.owners);
	free(s.regions);
	return result;
}

int
sl_binder_bind(struct sl_binder *binder, enum sl_wanted wanted, const char *name, uint32_t line,
	       struct sl_bindings *bindings, struct sl_err *err)
{
	switch (wanted) {
	case SL_WANTED_FUNCTION:
		return bind_function(binder, name, bindings, err);
	case SL_WANTED_LINE:
		return bind_line(binder, name, line, bindings, err);
	default:
		return sl_bind_variable(binder, wanted, name, bindings, err);
	}
}
