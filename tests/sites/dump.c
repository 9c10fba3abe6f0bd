/*
 * Prints the table of sites of a program as text, for tests and for looking at it.
 *
 *     sites_dump PROGRAM            a line for each site that has a place in the code
 *     sites_dump --calls PROGRAM    how many calls of the announcing functions lead to a site, and how many do not
 *
 * A line: function, line, what is done (r, w, rw, call; a: atomic), bytes, the innermost type and member or the variable, the text.
 */
#include "source/sites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *
kind_of(const struct sl_site_object *o)
{
	static const char *const kinds[] = {
		[TABLE_UNKNOWN] = "unknown",        [TABLE_POINTED] = "pointed",
		[TABLE_GLOBAL] = "global",          [TABLE_STATIC] = "static",
		[TABLE_STATIC_LOCAL] = "static in", [TABLE_PARAMETER] = "parameter of",
		[TABLE_LOCAL] = "local of",
	};

	return kinds[o->kind];
}

static void
print_site(const struct sl_site *s)
{
	const struct sl_site_object *o = s->object;

	printf("%s:%u %s%s%s%s %u ", s->frame->function->name, s->line, s->flags & TABLE_CALL ? "call" : "",
	       s->flags & TABLE_READS ? "r" : "", s->flags & TABLE_WRITES ? "w" : "",
	       s->flags & TABLE_ATOMIC ? "a" : "", s->size);
	if (*o->holder)
		printf("%s.%s", o->holder, o->member);
	else if (*o->variable)
		printf("%s%s%s%s %s", o->per_thread ? "thread-local " : "", kind_of(o),
		       o->kind == TABLE_STATIC_LOCAL ? " " : "", o->kind == TABLE_STATIC_LOCAL ? o->scope : "",
		       o->variable);
	else
		printf("%s %s", kind_of(o), *o->container ? o->container : o->type);
	printf(" `%s`\n", s->text);
}

int
main(int argc, char **argv)
{
	const char *path = argv[argc - 1];
	int fd = argc > 1 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE && fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL)
								 : NULL;
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	struct sl_err err = {""};
	struct sl_sites *sites = elf ? sl_sites_read(elf, dwarf, &err) : NULL;

	if (!sites) {
		fprintf(stderr, "%s: %s\n", path, *err.text ? err.text : "no table of sites");
		return 1;
	}
	for (size_t i = 0; i < sl_sites_unit_count(sites); i++) {
		const struct sl_site_unit *unit = sl_sites_unit(sites, i);

		for (size_t k = 0; k < unit->site_count; k++)
			print_site(&unit->sites[k]);
	}
	sl_sites_free(sites);
	if (dwarf)
		dwarf_end(dwarf);
	elf_end(elf);
	close(fd);
	return 0;
}
