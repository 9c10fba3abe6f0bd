/*
 * Prints the table of sites of a program as text, for tests and for looking at it.
 *
 *     sites_dump PROGRAM             a line for each site
 *     sites_dump --code PROGRAM      the functions as they were written: for each what it is, then its points, then its regions
 *     sites_dump --hashes PROGRAM    each function's name and hash
 *
 * A site: function, line, what is done (r, w, rw, call; a: atomic), bytes, the innermost type and member or the variable, the text.
 * What both compilers say of a function's code is in an order that depends on the source alone.
 */
#include "source/sites.h"

#include <fcntl.h>
#include <stdbool.h>
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

static void
print_object(const struct sl_site_object *o)
{
	if (*o->holder)
		printf("%s.%s", o->holder, o->member);
	else if (*o->variable)
		printf("%s%s %s", o->per_thread ? "thread-local " : "", kind_of(o), o->variable);
	else
		printf("%s %s", kind_of(o), *o->container ? o->container : o->type);
}

static const char *
last_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static void
print_point(const struct sl_site_point *p)
{
	printf("  %u ", p->line);
	if (strcmp(p->file, p->function->file) != 0)
		printf("in %s ", last_name(p->file));
	if (!p->call) {
		printf("%s%s%s ", p->flags & TABLE_READS ? "r" : "", p->flags & TABLE_WRITES ? "w" : "",
		       p->flags & TABLE_ATOMIC ? "a" : "");
		print_object(p->object);
	} else {
		printf("%s%s%s%s%s%s", p->call & TABLE_CALL_IMPLICIT ? "implicit " : "",
		       p->call & TABLE_CALL_TRIES ? "tries " : "", p->call & TABLE_CALL_TAKES ? "takes " : "",
		       p->call & TABLE_CALL_GIVES ? "gives " : "", p->call & TABLE_CALL_SHARED ? "shared " : "",
		       p->call & TABLE_CALL_VIRTUAL ? "virtual " : "");
		if (p->callee)
			printf("call %s", p->callee->name);
		else
			printf("call by pointer %s", *p->type ? p->type : "of a type that is not known");
		if (p->object) {
			printf(" of ");
			print_object(p->object);
		}
	}
	putchar('\n');
}

static void
print_region(const struct sl_site_region *r)
{
	printf("  region");
	for (uint32_t i = 0; i < r->line_count; i++)
		printf("%s%u-%u", i ? "," : " ", r->lines[i].first, r->lines[i].last);
	printf(" of ");
	print_object(r->object);
	printf(" `%s`%s%s%s%s, %u points\n", r->text, r->flags & TABLE_OPEN_START ? " open-start" : "",
	       r->flags & TABLE_OPEN_END ? " open-end" : "", r->flags & TABLE_SHARED ? " shared" : "",
	       r->flags & TABLE_TRIED ? " tried" : "", r->point_count);
}

static int
by_line(const void *a, const void *b)
{
	const struct sl_site_function *x = *(const struct sl_site_function *const *)a;
	const struct sl_site_function *y = *(const struct sl_site_function *const *)b;
	int files = strcmp(last_name(x->file), last_name(y->file));

	if (files)
		return files;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* What the compilers make on their own is left out: they do not make the same. */
static void
print_code(const struct sl_sites *sites, bool hashes)
{
	for (size_t i = 0; i < sl_sites_unit_count(sites); i++) {
		const struct sl_site_unit *unit = sl_sites_unit(sites, i);
		const struct sl_site_function **all = calloc(unit->function_count + 1, sizeof(*all));
		size_t count = 0;

		for (size_t k = 0; all && k < unit->function_count; k++)
			if (unit->functions[k].flags & TABLE_DEFINED &&
			    !(unit->functions[k].flags & TABLE_VARIANT))
				all[count++] = &unit->functions[k];
		if (count)
			qsort(all, count, sizeof(*all), by_line);
		for (size_t k = 0; k < count; k++) {
			const struct sl_site_function *f = all[k];

			if (hashes) {
				printf("%s %016llx %016llx\n", f->name, (unsigned long long)f->hash,
				       (unsigned long long)f->own_hash);
				continue;
			}
			printf("%s %s:%u-%u%s%s%s%s%s%s %s\n", f->name, last_name(f->file), f->line, f->last_line,
			       f->flags & TABLE_LOCAL_NAME ? " static" : "",
			       f->flags & TABLE_ADDRESS_TAKEN ? " address-taken" : "",
			       f->flags & TABLE_VIRTUAL ? " virtual" : "",
			       f->flags & TABLE_INLINED ? " inlined" : "", *f->class_name ? " of " : "",
			       f->class_name, f->type);
			for (uint32_t n = 0; n < f->point_count; n++)
				print_point(&f->points[n]);
			for (uint32_t n = 0; n < f->region_count; n++)
				print_region(&f->regions[n]);
		}
		free(all);
	}
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
	if (argc > 2)
		print_code(sites, !strcmp(argv[1], "--hashes"));
	for (size_t i = 0; argc == 2 && i < sl_sites_unit_count(sites); i++) {
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
