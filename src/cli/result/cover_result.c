#include "cli/result/cover_result.h"

#include "base/room.h"
#include "coverage/coverage.h"
#include "trace/name/source_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME (PATH_MAX + 512)

static void *
make(size_t count, size_t size)
{
	void *made = sl_must(calloc(count ? count : 1, size));

	return made;
}

/* Copies a text into memory that is freed with the report. */
static const char *
copy(struct sl_cover_report *r, const char *text)
{
	if ((r->text_count & (r->text_count - 1)) == 0)
		r->texts = realloc(r->texts, (r->text_count ? 2 * r->text_count : 1) * sizeof(*r->texts));
	if (!r->texts || !(r->texts[r->text_count] = strdup(text)))
		abort();
	return r->texts[r->text_count++];
}

/* ---- names of places ---- */

struct file {
	const char *path, *name;
};

/* Maps the paths of files in debug information to the names that the store uses. */
struct files {
	char folder[PATH_MAX]; /* the current one; "": unknown */
	const struct sl_cover_folders *earlier;
	struct file *items;
	size_t count;
};

static void
files_init(struct files *f, const struct sl_cover_folders *earlier)
{
	*f = (struct files){.earlier = earlier};
	if (!getcwd(f->folder, sizeof(f->folder)))
		f->folder[0] = '\0';
}

/* Finds a file that was compiled before the folder was moved; NULL if there is none. */
static char *
name_from_before(const struct files *f, const char *path)
{
	for (size_t i = 0; i < f->earlier->count; i++) {
		size_t length = strlen(f->earlier->items[i]);

		if (!strncmp(path, f->earlier->items[i], length) && path[length] == '/')
			return strdup(path + length + 1);
	}
	return NULL;
}

/*
 * The path of the file relative to the current folder, where the store is: the name does not depend on the place of compilation, and
 * other files have other names. The path in debug information may go through links.
 */
static const char *
file_of(struct sl_cover_report *r, struct files *f, const struct sl_place *place)
{
	char real[PATH_MAX], *name = NULL;
	const char *given = place->path ? place->path : place->stable, *path = given;

	if (path[0] != '/') { /* the compiler removed the folder (-ffile-prefix-map) */
		while (!strncmp(path, "./", 2))
			path += 2;
		return path;
	}
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->items[i].path, given))
			return f->items[i].name;
	f->items = sl_must(realloc(f->items, (f->count + 1) * sizeof(*f->items)));
	if (realpath(given, real))
		path = real;
	else /* the file was moved or removed */
		name = name_from_before(f, path);
	if (!name)
		name = sl_path_apart(path, f->folder);
	f->items[f->count] = (struct file){given, copy(r, name)};
	free(name);
	return f->items[f->count++].name;
}

/* "queue.c:31:9 (push)": the column distinguishes two locks on one line. */
static const char *
name_of(struct sl_cover_report *r, struct sl_names *names, struct files *files, uint64_t pc)
{
	struct sl_place place;
	char text[NAME];

	if (!names || !sl_names_use(names, pc, &place))
		snprintf(text, sizeof(text), "%#lx", (unsigned long)pc);
	else if (!place.line)
		sl_place_format(&place, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s:%u:%u (%s)", file_of(r, files, &place), place.line, place.column,
			 place.function);
	return copy(r, text);
}

/* Of a wait for a condition it is the mutex. NULL: the compiler has not told it. */
static const char *
object_of(struct sl_cover_report *r, struct sl_names *names, uint64_t pc, bool reads)
{
	const struct sl_site *site = names ? sl_names_site(names, pc, !reads) : NULL;

	return site && *site->text ? copy(r, site->text) : NULL;
}

static const char *
reason_of(struct sl_cover_report *report, const struct sl_requirement *r, const char **names)
{
	const char *place = r->because ? names[r->because] : "something";
	char text[2 * NAME];

	switch ((enum sl_reason)r->reason) {
	case SL_REASON_NOT_NEXT:
		return "only one thread comes to both places, and never to one right after the other";
	case SL_REASON_HELD_ON:
		snprintf(text, sizeof(text),
			 "from the first place to %s another lock is held, which the second needs", place);
		return copy(report, text);
	case SL_REASON_HELD_FROM:
		snprintf(text, sizeof(text),
			 "from %s to the second place another lock is held, which the first needs", place);
		return copy(report, text);
	case SL_REASON_BEFORE:
		return "the second always comes before the first";
	case SL_REASON_BETWEEN:
		snprintf(text, sizeof(text), "%s always comes between", place);
		return copy(report, text);
	case SL_REASON_SIGNAL:
		return "the second ends a wait, and the thread that signals takes the lock in between";
	case SL_REASON_EXCLUDED:
		return "both threads hold another lock";
	case SL_REASON_AFTER:
		return "one is always over before the other begins";
	case SL_REASON_TRIES:
		return "the first only tries to take the lock, and does not wait for it";
	case SL_REASON_SHARED:
		return "readers do not wait for readers";
	case SL_REASON_OVERWRITTEN:
		snprintf(text, sizeof(text), "%s always writes there in between", place);
		return copy(report, text);
	case SL_REASON_NONE:
	case SL_REASON_COUNT:
		break;
	}
	return "";
}

/* ---- pairs ---- */

static int
compare_names(const struct sl_cover_pair *a, const struct sl_cover_pair *b)
{
	int order = strcmp(a->first, b->first);

	return order ? order : strcmp(a->second, b->second);
}

/* Sorts pairs by name, and those of one name by what is known of them, the best first. */
static int
compare_for_merging(const void *x, const void *y)
{
	const struct sl_cover_pair *a = x, *b = y;
	int order = compare_names(a, b);

	if (!order && a->state != b->state)
		order = a->state < b->state ? -1 : 1;
	if (!order && a->execution != b->execution)
		order = a->execution < b->execution ? -1 : 1;
	if (!order && a->near != b->near)
		order = (a->near ? a->near : 999) < (b->near ? b->near : 999) ? -1 : 1;
	return order;
}

static int
compare_for_telling(const void *x, const void *y)
{
	const struct sl_cover_pair *a = x, *b = y;

	return a->state != b->state ? (a->state < b->state ? -1 : 1) : compare_names(a, b);
}

/* Two addresses may have one name: code that was inlined twice, or made from one template. */
static size_t
merge(struct sl_cover_pair *pairs, size_t count)
{
	size_t kept = 0;

	qsort(pairs, count, sizeof(*pairs), compare_for_merging);
	for (size_t i = 0; i < count; i++) {
		struct sl_cover_pair *same = kept ? &pairs[kept - 1] : NULL;

		if (!same || compare_names(same, &pairs[i]) != 0) {
			pairs[kept++] = pairs[i];
			continue;
		}
		same->foreseen |= pairs[i].foreseen;
		if (pairs[i].state != SL_COVERED_NEVER && pairs[i].known < same->known)
			same->known = pairs[i].known;
	}
	qsort(pairs, kept, sizeof(*pairs), compare_for_telling);
	return kept;
}

static double
seconds_of(const struct sl_coverage *c, uint64_t execution)
{
	for (uint32_t i = 0; i < c->growth_count; i++)
		if (c->growth[i].execution >= execution)
			return (double)c->growth[i].nanoseconds / 1e9;
	return 0;
}

static void
fill(struct sl_cover_report *r, const struct sl_coverage *c, const struct sl_criterion *criterion,
     struct sl_names *names, const struct sl_cover_folders *folders)
{
	const char **name = make(c->place_count + 1, sizeof(*name));
	struct files files;

	files_init(&files, folders);
	for (uint32_t i = 1; i <= c->place_count; i++) {
		name[i] = name_of(r, names, &files, c->places[i].pc);
		r->unsure += names && sl_names_modules_at(names, c->places[i].pc) != 1;
	}
	free(files.items);
	r->pairs = make(c->requirement_count, sizeof(*r->pairs));
	for (uint32_t i = 1; i <= c->requirement_count; i++) {
		const struct sl_requirement *q = &c->requirements[i];

		if (!q->state)
			continue;
		r->pairs[r->count++] = (struct sl_cover_pair){
			.first = name[q->first],
			.second = name[q->second],
			.first_object = object_of(r, names, c->places[q->first].pc, false),
			.second_object =
				object_of(r, names, c->places[q->second].pc, criterion == &sl_criterion_def_use),
			.state = q->state & SL_COVER_COVERED     ? SL_COVERED_YES
				 : q->state & SL_COVER_ESTIMATED ? SL_COVERED_NOT_YET
								 : SL_COVERED_NEVER,
			.foreseen = q->state & SL_COVER_FIRST,
			.known = q->known,
			.execution = q->execution,
			.seconds = q->state & SL_COVER_COVERED ? seconds_of(c, q->execution) : 0,
			.near = q->near,
			.near_last = q->near ? name[q->near_place] : "",
			.near_thread = q->near_thread,
			.near_execution = q->near_execution,
			.reason = q->state & SL_COVER_RULED_OUT ? reason_of(r, q, name) : "",
		};
	}
	free(name);
	r->count = merge(r->pairs, r->count);
	for (size_t i = 0; i < r->count; i++) {
		r->covered += r->pairs[i].state == SL_COVERED_YES;
		r->estimated += r->pairs[i].state != SL_COVERED_NEVER;
		r->never += r->pairs[i].state == SL_COVERED_NEVER;
		r->first_estimate += r->pairs[i].foreseen;
		r->unforeseen += r->pairs[i].state == SL_COVERED_YES && !r->pairs[i].foreseen;
	}
}

static int
compare_numbers(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* Counts pairs by name, which the table counts by address. */
static void
fill_growth(struct sl_cover_report *r, const struct sl_coverage *c, uint32_t count)
{
	uint64_t *covered = make(r->covered, sizeof(*covered)), *known = make(r->estimated, sizeof(*known));
	size_t covered_count = 0, known_count = 0;
	uint32_t at = 0, expected = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->pairs[i].state == SL_COVERED_YES)
			covered[covered_count++] = r->pairs[i].execution;
		if (r->pairs[i].state != SL_COVERED_NEVER)
			known[known_count++] = r->pairs[i].known;
	}
	qsort(covered, covered_count, sizeof(*covered), compare_numbers);
	qsort(known, known_count, sizeof(*known), compare_numbers);
	r->growth = make(count, sizeof(*r->growth));
	for (uint32_t i = 0; i < count; i++) {
		const struct sl_growth *g = &c->growth[i];
		const struct sl_cover_growth *last = r->growth_count ? &r->growth[r->growth_count - 1] : NULL;

		while (at < covered_count && covered[at] <= g->execution)
			at++;
		while (expected < known_count && known[expected] <= g->execution)
			expected++;
		if (!last || last->covered != at || last->estimated != expected)
			r->growth[r->growth_count++] =
				(struct sl_cover_growth){g->execution, (double)g->nanoseconds / 1e9, at, expected};
	}
	free(covered);
	free(known);
}

void
sl_cover_report_fill(struct sl_cover_report *r, const struct sl_coverage *c, const struct sl_criterion *criterion,
		     struct sl_names *names, const struct sl_cover_folders *folders, const char *program,
		     double seconds)
{
	uint32_t growth_count = c->growth_count; /* it may grow meanwhile */

	*r = (struct sl_cover_report){
		.program = program,
		.criterion = criterion->name,
		.what = criterion->what,
		.first = criterion->first,
		.second = criterion->second,
		.estimates = criterion->estimate,
		.nearness = criterion->nearness,
		.executions = c->execution,
		.seconds = seconds,
		.saturated = c->saturated,
		.lost = c->lost + c->log_lost,
		.estimates_made = c->estimates,
	};
	memcpy(r->rules, c->rules, sizeof(r->rules));
	fill(r, c, criterion, names, folders);
	fill_growth(r, c, growth_count);
}

/* Returns the strategy's name with all options that disable parts of it: one option may imply another. */
static const char *
strategy_of(const struct sl_config *config)
{
	static const char *const without[] = {
		[SL_TSA_NO_ESTIMATE] = "tsa --no-estimate-rule",
		[SL_TSA_NO_FOCUS] = "tsa --no-focus",
		[SL_TSA_NO_ESTIMATE | SL_TSA_NO_FOCUS] = "tsa --no-estimate-rule --no-focus",
	};

	return config->tsa_without ? without[config->tsa_without] : sl_strategy_find(config->strategy)->name;
}

void
sl_cover_report_init(struct sl_cover_report *r, struct sl_arena *a, struct sl_names *names,
		     const struct sl_cover_folders *folders, const char *program, double seconds)
{
	sl_cover_report_fill(r, &a->coverage[0], sl_arena_criterion(a), names, folders, program, seconds);
	r->strategy = strategy_of(&a->config);
	r->seed = a->config.seed;
	r->window = a->config.cover.window;
	r->window_seconds = (double)a->config.cover.nanoseconds / 1e9;
}

void
sl_cover_report_release(struct sl_cover_report *r)
{
	for (size_t i = 0; i < r->text_count; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r->pairs);
	free(r->growth);
}
