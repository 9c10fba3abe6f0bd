/*
 * `sleave bind`: the engine starts it from inside the program under test when a schedule names code of the
 * program, or to name addresses in an explanation, because debug information is read outside the program. It is
 * not for users. The answer is an array of struct sl_binding on standard output, or a sentence on standard error.
 */
#include "cli/command/commands.h"
#include "cli/session/options.h"
#include "schedule/schedule.h"
#include "trace/bind/bind.h"
#include "trace/name/name.h"
#include "trace/name/scope.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns false if the atom does not concern code. */
static bool
wanted_by(const struct sl_atom *atom, enum sl_wanted *wanted)
{
	switch (atom->kind) {
	case SL_EVENT_ENTER:
	case SL_EVENT_EXIT:
		*wanted = atom->line ? SL_WANTED_LINE : SL_WANTED_FUNCTION;
		return true;
	case SL_EVENT_LINE:
		*wanted = SL_WANTED_LINE;
		return true;
	case SL_EVENT_LOCK:
	case SL_EVENT_UNLOCK:
		*wanted = SL_WANTED_LOCK;
		return true;
	case SL_EVENT_WAIT:
	case SL_EVENT_SIGNAL:
		*wanted = SL_WANTED_WAIT;
		return true;
	case SL_EVENT_READ:
	case SL_EVENT_WRITE:
		*wanted = SL_WANTED_DATA;
		return true;
	default:
		return false;
	}
}

static int
bind_atom(struct sl_binder *binder, const struct sl_atom *atom, uint32_t plan, struct sl_bindings *bindings,
	  struct sl_err *err)
{
	struct sl_err why = {""};
	enum sl_wanted wanted;
	size_t first = bindings->count;

	if (!wanted_by(atom, &wanted))
		return 0;
	if (sl_binder_bind(binder, wanted, atom->name, atom->line, bindings, &why) < 0)
		return sl_err_set(err, "line %u, column %u: %s", atom->place.line, atom->place.column, why.text);
	for (size_t i = first; i < bindings->count; i++) {
		bindings->items[i].plan = plan;
		bindings->items[i].atom = atom->number;
	}
	if (bindings->count > SL_BINDINGS_MAX)
		return sl_err_set(err, "line %u, column %u: `%s` is in too many places", atom->place.line,
				  atom->place.column, atom->name);
	return 0;
}

static int
bind_all(pid_t pid, const char *text, struct sl_bindings *bindings, struct sl_err *err)
{
	static char memory[1 << 20];
	struct sl_pool pool = {memory, memory + sizeof(memory)};
	struct sl_complaint complaint = {0};
	const struct sl_plan *plan = sl_plan_parse(text, strlen(text), &pool, &complaint);
	struct sl_binder *binder;
	uint32_t number = 0;
	int result = 0;

	if (!plan)
		return sl_err_set(err, "line %u, column %u: %s", complaint.place.line, complaint.place.column,
				  complaint.text);
	binder = sl_binder_new(pid, err);
	if (!binder)
		return -1;
	for (; plan && result == 0; plan = plan->next, number++) {
		bindings->region = 0;
		for (uint32_t i = 0; i < plan->atom_count && result == 0; i++)
			result = bind_atom(binder, plan->atoms[i], number, bindings, err);
	}
	sl_binder_free(binder);
	return result;
}

/* ---- names of addresses ---- */

struct loaded {
	struct sl_module *items;
	size_t count, capacity;
};

static int
add_module(Dwfl_Module *module, void **unused, const char *name, Dwarf_Addr start, void *list)
{
	struct loaded *loaded = list;
	Dwarf_Addr end, bias = 0;
	struct sl_module *m;

	(void)unused;
	if (!dwfl_module_getelf(module, &bias)) /* no file: the vDSO */
		return DWARF_CB_OK;
	dwfl_module_info(module, NULL, NULL, &end, NULL, NULL, NULL, NULL);
	loaded->items = sl_room_for(loaded->items, loaded->count, &loaded->capacity, sizeof(*loaded->items));
	m = &loaded->items[loaded->count++];
	*m = (struct sl_module){.base = bias, .low = start, .high = end};
	snprintf(m->path, sizeof(m->path), "%s", name);
	return DWARF_CB_OK;
}

/* Returns whether the name belongs to the program: members of libstdc++'s types do not. */
static int
visible(const char *name)
{
	const char *hidden = strstr(name, "._M_");

	return (int)(hidden ? (size_t)(hidden - name) : strlen(name));
}

/* Prints a place only if its line is known: a function and an offset would not help. */
static void
print_name(struct sl_names *names, char kind, uint64_t address)
{
	struct sl_place place;
	struct sl_data data;

	if (kind == 'c' && address && sl_names_use(names, address, &place) && place.line)
		printf("%s:%" PRIu32, place.file, place.line);
	if (kind == 'd' && address && sl_names_data(names, address, 0, &data))
		printf("%.*s", visible(data.name), data.name);
	printf("\n");
}

static int
name_all(pid_t pid, const char *text, struct sl_err *err)
{
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
						 .find_debuginfo = dwfl_standard_find_debuginfo};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	struct loaded loaded = {0};
	struct sl_names *names = NULL;
	uint64_t address;
	int used;
	char kind;

	if (!dwfl || dwfl_linux_proc_report(dwfl, pid) != 0 || dwfl_report_end(dwfl, NULL, NULL) != 0)
		sl_err_set(err, "cannot read the modules of process %ld: %s", (long)pid, dwfl_errmsg(-1));
	else
		dwfl_getmodules(dwfl, add_module, &loaded, 0);
	if (loaded.count)
		names = sl_names_new(loaded.items, (uint32_t)loaded.count, err);
	for (; names && sscanf(text, " %c%" SCNx64 "%n", &kind, &address, &used) == 2; text += used)
		print_name(names, kind, address);
	sl_names_free(names);
	free(loaded.items);
	if (dwfl)
		dwfl_end(dwfl);
	return names ? 0 : -1;
}

int
sl_command_bind(int argc, char **argv)
{
	struct sl_bindings bindings = {0};
	struct sl_err err = {""};
	bool names = argc == 5 && strcmp(argv[3], "--name") == 0;
	long pid = argc == 4 + names && strcmp(argv[1], "--pid") == 0 ? strtol(argv[2], NULL, 10) : 0;
	int status = SL_EXIT_CLEAN;

	if (pid <= 0) {
		fprintf(stderr, "sleave bind: only Sleave itself starts this command: --pid PID TEXT\n");
		return SL_EXIT_USAGE;
	}
	if ((names ? name_all((pid_t)pid, argv[4], &err) : bind_all((pid_t)pid, argv[3], &bindings, &err)) < 0) {
		fprintf(stderr, "%s\n", err.text);
		status = SL_EXIT_USAGE;
	} else if (fwrite(bindings.items, sizeof(*bindings.items), bindings.count, stdout) != bindings.count ||
		   fflush(stdout) != 0) {
		fprintf(stderr, "cannot write the answer: %s\n", strerror(errno));
		status = SL_EXIT_USAGE;
	}
	sl_bindings_release(&bindings);
	return status;
}
