/*
 * Variables by name: "balance", "queue.lock", "table[3].count", "bank::total", "next.counter" (a static variable
 * of the function next), in all modules.
 */
#include "trace/bind/binder.h"
#include "trace/name/variable.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 512

/* "bank::Account::total", "next.counter" */
static void
full_name(const struct sl_variable *variable, char *text)
{
	Dwarf_Die die = variable->die, declaration, *scopes = NULL;
	Dwarf_Attribute attribute;
	size_t used = 0;
	int n;

	if (dwarf_attr(&die, DW_AT_specification, &attribute) && dwarf_formref_die(&attribute, &declaration))
		die = declaration;
	n = dwarf_getscopes_die(&die, &scopes);
	text[0] = '\0';
	for (int i = n - 1; i > 0 && used < NAME_MAX_LENGTH; i--) {
		const char *name = dwarf_diename(&scopes[i]), *joint = "::";

		switch (dwarf_tag(&scopes[i])) {
		case DW_TAG_subprogram:
			used = 0; /* its name has the namespace already, and it may be declared elsewhere */
			joint = ".";
			break;
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			break;
		default:
			continue;
		}
		if (name)
			used += (size_t)snprintf(text + used, NAME_MAX_LENGTH - used, "%s%s", name, joint);
	}
	free(scopes);
	if (used < NAME_MAX_LENGTH)
		snprintf(text + used, NAME_MAX_LENGTH - used, "%s", dwarf_diename(&die));
}

/*
 * How well the full name, or its end, matches the beginning of the wanted name; `rest` is the path that follows.
 */
static unsigned
fits(const char *wanted, const char *full, const char **rest)
{
	for (const char *at = full; at;) {
		size_t n = strlen(at);
		const char *colons = strstr(at, "::"), *dot = strchr(at, '.');

		if (strncmp(wanted, at, n) == 0 && strchr(".[-", wanted[n])) { /* or the end */
			*rest = wanted + n;
			return at == full ? 2 : 1;
		}
		at = colons ? colons + 2 : dot ? dot + 1 : NULL;
	}
	return 0;
}

/* A variable of a library of which the program has a copy (copy relocation): all modules use the copy. */
static uint64_t
copy_of(const struct sl_binder *b, const struct sl_variable *variable)
{
	Dwarf_Die die = variable->die;
	const char *name = dwarf_diename(&die);
	Dwarf_Attribute attribute;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute));
	Dwfl_Module *program = b->modules[0].dwfl;
	int count = dwfl_module_getsymtab(program);

	if (!dwarf_hasattr_integrate(&die, DW_AT_external))
		return 0;
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *own = dwfl_module_getsym_info(program, i, &symbol, &address, &section, NULL, NULL);

		if (own && symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
		    strncmp(own, linkage ? linkage : name, strcspn(own, "@")) == 0 &&
		    strlen(linkage ? linkage : name) == strcspn(own, "@"))
			return address;
	}
	return 0;
}

static bool
is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static int
check_kind(enum sl_wanted wanted, const char *name, const struct sl_variable_target *target, struct sl_err *err)
{
	static const char *const locks[] = {"pthread_mutex_t", "pthread_rwlock_t", "pthread_spinlock_t", "mtx_t",
					    NULL};
	static const char *const waits[] = {"pthread_cond_t", "pthread_barrier_t", "sem_t", "cnd_t", NULL};

	if (wanted == SL_WANTED_DATA)
		return 0;
	if (target->scalar)
		return sl_err_set(err, "`%s` is not an object that can be %s", name,
				  wanted == SL_WANTED_LOCK ? "locked" : "waited for");
	if (target->object && !is_one_of(target->object, wanted == SL_WANTED_LOCK ? locks : waits))
		return sl_err_set(err, "`%s` is a %s: it can't be %s", name, target->object,
				  wanted == SL_WANTED_LOCK ? "locked" : "waited for");
	return 0;
}

static void
add_pointed(struct sl_bindings *bindings, uint64_t address, const struct sl_variable_target *target)
{
	struct sl_binding *to;

	sl_bindings_add(bindings, SL_BOUND_POINTED, 0,
			(struct sl_range){address + target->pointers[0], target->size});
	to = &bindings->items[bindings->count - 1];
	to->hops = target->hops;
	for (unsigned i = 0; i < target->hops; i++)
		to->steps[i] = (uint32_t)(i + 1 < target->hops ? target->pointers[i + 1] : target->offset);
}

static int
add(struct sl_binder *b, size_t module, enum sl_wanted wanted, const struct sl_variable *v, const char *name,
    const char *path, struct sl_bindings *bindings, struct sl_err *err)
{
	struct sl_variable_target target;
	uint64_t copy;

	if (sl_variable_follow(v, path, &target, err) < 0 || check_kind(wanted, name, &target, err) < 0)
		return -1;
	if (!target.size)
		return sl_err_set(err, "the size of `%s` is not known", name);
	if (target.hops) {
		add_pointed(bindings, v->address, &target);
		copy = module ? copy_of(b, v) : 0;
		if (copy)
			add_pointed(bindings, copy, &target);
		return 0;
	}
	uint64_t low = v->address + target.offset;

	for (size_t i = 0; i < bindings->count; i++) /* a variable may be described several times */
		if (bindings->items[i].kind == SL_BOUND_DATA && bindings->items[i].low == low &&
		    bindings->items[i].high == low + target.size && !bindings->items[i].region)
			return 0;
	sl_bindings_add(bindings, SL_BOUND_DATA, 0, (struct sl_range){low, low + target.size});
	copy = module ? copy_of(b, v) : 0;
	if (copy)
		sl_bindings_add(bindings, SL_BOUND_DATA, 0,
				(struct sl_range){copy + target.offset, copy + target.offset + target.size});
	return 0;
}

static int
unknown(struct sl_variables *all, size_t modules, const char *name, struct sl_err *err)
{
	const char **names = NULL;
	size_t count = 0, capacity = 0;
	int result;

	for (size_t i = 0; i < modules; i++)
		for (size_t k = 0; k < all[i].count; k++) {
			names = sl_room_for(names, count, &capacity, sizeof(*names));
			names[count++] = dwarf_diename(&all[i].items[k].die);
		}
	result = sl_bind_unknown("global or static variable", name, names, count, err);
	free(names);
	return result;
}

int
sl_bind_variable(struct sl_binder *b, enum sl_wanted wanted, const char *name, struct sl_bindings *bindings,
		 struct sl_err *err)
{
	struct sl_variables *all = calloc(b->count, sizeof(*all));
	struct sl_bindings found = {0};
	char full[NAME_MAX_LENGTH];
	unsigned best = 0;
	int result = 0;

	if (!all)
		abort();
	for (size_t i = 0; i < b->count; i++)
		sl_variables_init(&all[i], b->modules[i].dwfl);
	for (int round = 0; round < 2 && result == 0; round++)
		for (size_t i = 0; i < b->count && result == 0; i++)
			for (size_t k = 0; k < all[i].count && result == 0; k++) {
				const char *rest = "";
				unsigned quality;

				full_name(&all[i].items[k], full);
				quality = fits(name, full, &rest);
				if (!round)
					best = quality > best ? quality : best;
				else if (best && quality == best)
					result = add(b, i, wanted, &all[i].items[k], name, rest, &found, err);
			}
	if (!best)
		result = unknown(all, b->count, name, err);
	for (size_t i = 0; i < found.count && result == 0; i++) {
		sl_bindings_add(bindings, SL_BOUND_DATA, 0, (struct sl_range){0, 0});
		bindings->items[bindings->count - 1] = found.items[i];
	}
	sl_bindings_release(&found);
	for (size_t i = 0; i < b->count; i++)
		sl_variables_release(&all[i]);
	free(all);
	return result;
}
