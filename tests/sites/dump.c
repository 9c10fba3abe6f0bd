/*
 * Prints the table of sites of a program as text, for tests and for looking at it.
 *
 *     sites_dump PROGRAM             a line for each site
 *     sites_dump --code PROGRAM      the functions as they were written: for each what it is, then its points, then its regions
 *     sites_dump --slices PROGRAM    for each function what its branches, writes, arguments and results depend on
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
print_object(FILE *out, const struct sl_site_object *o)
{
	if (*o->holder)
		fprintf(out, "%s.%s", o->holder, o->member);
	else if (*o->variable)
		fprintf(out, "%s%s %s", o->per_thread ? "thread-local " : "", kind_of(o), o->variable);
	else
		fprintf(out, "%s %s", kind_of(o), *o->container ? o->container : o->type);
}

static const char *
last_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/* Without template arguments, which the compilers write differently. */
static int
base_length(const char *name)
{
	return (int)(strncmp(name, "operator", 8) ? strcspn(name, "<") : strlen(name));
}

static void
print_point(FILE *out, const struct sl_site_point *p)
{
	if (strcmp(p->file, p->function->file) != 0)
		fprintf(out, "in %s ", last_name(p->file));
	if (!p->call) {
		fprintf(out, "%s%s%s ", p->flags & TABLE_READS ? "r" : "", p->flags & TABLE_WRITES ? "w" : "",
			p->flags & TABLE_ATOMIC ? "a" : "");
		print_object(out, p->object);
	} else {
		fprintf(out, "%s%s%s%s%s%s", p->call & TABLE_CALL_IMPLICIT ? "implicit " : "",
			p->call & TABLE_CALL_TRIES ? "tries " : "", p->call & TABLE_CALL_TAKES ? "takes " : "",
			p->call & TABLE_CALL_GIVES ? "gives " : "", p->call & TABLE_CALL_SHARED ? "shared " : "",
			p->call & TABLE_CALL_VIRTUAL ? "virtual " : "");
		if (p->callee)
			fprintf(out, "call %.*s", base_length(p->callee->name), p->callee->name);
		else
			fprintf(out, "call by pointer %s", *p->type ? p->type : "of a type that is not known");
		if (p->object) {
			fprintf(out, " of ");
			print_object(out, p->object);
		}
	}
	putc('\n', out);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those of a line in the order of their text, each once: compilers differ in columns. */
static void
print_points(const struct sl_site_function *f)
{
	char **texts = calloc(f->point_count + 1, sizeof(*texts));

	for (uint32_t i = 0, n; texts && i < f->point_count; i = n) {
		size_t size;

		for (n = i; n < f->point_count && f->points[n].line == f->points[i].line; n++) {
			FILE *out = open_memstream(&texts[n], &size);

			print_point(out, &f->points[n]);
			fclose(out);
		}
		qsort(&texts[i], n - i, sizeof(*texts), by_text);
		for (uint32_t k = i; k < n; k++)
			if (k == i || strcmp(texts[k], texts[k - 1]) != 0)
				printf("  %u %s", f->points[i].line, texts[k]);
	}
	for (uint32_t i = 0; texts && i < f->point_count; i++)
		free(texts[i]);
	free(texts);
}

static void
print_region(const struct sl_site_region *r)
{
	printf("  region");
	for (uint32_t i = 0; i < r->line_count; i++)
		printf("%s%u-%u", i ? "," : " ", r->lines[i].first, r->lines[i].last);
	printf(" of ");
	print_object(stdout, r->object);
	printf(" `%s`%s%s%s%s, %u points\n", r->text, r->flags & TABLE_OPEN_START ? " open-start" : "",
	       r->flags & TABLE_OPEN_END ? " open-end" : "", r->flags & TABLE_SHARED ? " shared" : "",
	       r->flags & TABLE_TRIED ? " tried" : "", r->point_count);
}

/* ---- slices ---- */

/* Of a line: what depends, and on what. */
struct dependence {
	uint32_t line;
	char *text, *source;
};

static void
add_dependence(struct dependence **all, size_t *count, const struct sl_site_slice *s,
	       const struct sl_site_source *source)
{
	struct dependence *more = realloc(*all, (*count + 1) * sizeof(*more)), *one = &more[*count];
	size_t size;
	FILE *out;

	if (!more)
		exit(1);
	*all = more;
	one->line = s->point ? s->point->line : s->line;
	out = open_memstream(&one->text, &size);
	if (s->kind == TABLE_SLICE_BRANCH)
		fprintf(out, "%s", s->flags & TABLE_SLICE_LOOP ? "loop" : "branch");
	else if (s->kind == TABLE_SLICE_RESULT)
		fprintf(out, "result");
	else if (s->kind == TABLE_SLICE_ARGUMENT && s->point->callee)
		fprintf(out, "argument %u of %.*s", s->argument, base_length(s->point->callee->name),
			s->point->callee->name);
	else if (s->kind == TABLE_SLICE_ARGUMENT)
		fprintf(out, "argument %u of the call by pointer", s->argument);
	else
		print_object(out, s->point->object);
	if (s->flags & TABLE_SLICE_CUT)
		fprintf(out, " (cut)");
	fclose(out);
	out = open_memstream(&one->source, &size);
	if (!source->point) {
		fprintf(out, "parameter %u", source->parameter);
	} else {
		char *text;
		FILE *point = open_memstream(&text, &size);

		print_point(point, source->point);
		fclose(point);
		fprintf(out, "%u %.*s", source->point->line, (int)strcspn(text, "\n"), text);
		free(text);
	}
	fclose(out);
	++*count;
}

static int
by_dependence(const void *a, const void *b)
{
	const struct dependence *x = a, *y = b;
	int order = x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->text, y->text);

	return order ? order : strcmp(x->source, y->source);
}

/* Those of a line with the same text are one: compilers differ in columns. */
static void
print_slices(const struct sl_site_function *f)
{
	struct dependence *all = NULL;
	size_t count = 0;

	for (uint32_t i = 0; i < f->slice_count; i++)
		for (uint32_t k = 0; k < f->slices[i].source_count; k++)
			add_dependence(&all, &count, &f->slices[i], &f->slices[i].sources[k]);
	if (count)
		qsort(all, count, sizeof(*all), by_dependence);
	for (size_t i = 0; i < count; i++) {
		bool more = i && all[i].line == all[i - 1].line && !strcmp(all[i].text, all[i - 1].text);

		if (!more && all[i].line)
			printf("%s  %u %s: %s", i ? "\n" : "", all[i].line, all[i].text, all[i].source);
		else if (!more)
			printf("%s  %s: %s", i ? "\n" : "", all[i].text, all[i].source);
		else if (strcmp(all[i].source, all[i - 1].source) != 0)
			printf("; %s", all[i].source);
	}
	if (count)
		putchar('\n');
	for (size_t i = 0; i < count; i++) {
		free(all[i].text);
		free(all[i].source);
	}
	free(all);
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
print_code(const struct sl_sites *sites, const char *what)
{
	bool hashes = !strcmp(what, "--hashes");

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
				printf("%.*s %016llx %016llx\n", base_length(f->name), f->name,
				       (unsigned long long)f->hash, (unsigned long long)f->own_hash);
				continue;
			}
			if (!strcmp(what, "--slices")) {
				printf("%s %s:%u\n", f->name, last_name(f->file), f->line);
				print_slices(f);
				continue;
			}
			printf("%s %s:%u%s%s%s%s%s%s %s\n", f->name, last_name(f->file), f->line,
			       f->flags & TABLE_LOCAL_NAME ? " static" : "",
			       f->flags & TABLE_ADDRESS_TAKEN ? " address-taken" : "",
			       f->flags & TABLE_VIRTUAL ? " virtual" : "",
			       f->flags & TABLE_INLINED ? " inlined" : "", *f->class_name ? " of " : "",
			       f->class_name, f->type);
			print_points(f);
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
		print_code(sites, argv[1]);
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
