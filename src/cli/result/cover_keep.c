/*
 * sleave cover: from the report of a run to the store.
 */
#include "cli/result/cover_store.h"

#include "report/quote.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *
sl_cover_program_name(const char *path)
{
	char folder[PATH_MAX];
	size_t length;

	if (!getcwd(folder, sizeof(folder)))
		return path;
	length = strlen(folder);
	return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void
add_folder(void *context, const char *folder)
{
	struct sl_cover_folders *f = context;

	f->items = realloc(f->items, (f->count + 1) * sizeof(*f->items));
	if (!f->items || !(f->items[f->count++] = strdup(folder)))
		abort();
}

/* Errors of a store are reported when a run is to be saved. */
void
sl_cover_folders_init(struct sl_cover_folders *f)
{
	struct sl_store *store;
	struct sl_err err;

	*f = (struct sl_cover_folders){0};
	if (sl_store_open(&store, SL_STORE_FOLDER, true, &err) < 0)
		return;
	sl_store_folders(store, add_folder, f, &err);
	sl_store_close(store);
}

void
sl_cover_folders_release(struct sl_cover_folders *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->items[i]);
	free(f->items);
	*f = (struct sl_cover_folders){0};
}

static int
begin(struct sl_cover_keeper *k, const struct sl_cover_report *report, const char *program, const char *build_id,
      char **argv, struct sl_err *err)
{
	if (!k->store && sl_store_open(&k->store, SL_STORE_FOLDER, false, err) < 0)
		return -1;
	if (!k->arguments)
		k->arguments = sl_words_format(argv + 1); /* they distinguish the tests of a program */
	if (!k->run.started)
		k->run.started = (int64_t)time(NULL) - (int64_t)report->seconds;
	if (!getcwd(k->folder, sizeof(k->folder)))
		k->folder[0] = '\0';
	k->run.folder = k->folder;
	k->run.program = sl_cover_program_name(program);
	k->run.build = build_id;
	k->run.arguments = k->arguments;
	k->run.criterion = report->criterion;
	k->run.strategy = report->strategy;
	k->run.seed = report->seed;
	k->run.seconds = report->seconds;
	k->run.executions = report->executions;
	k->run.lost = report->lost + report->unsure;
	return 0;
}

/* Describes the nearest attempt, which is stored instead of a reason. */
static char *
nearest(const struct sl_cover_pair *pair)
{
	char *text;

	if (asprintf(&text, "nearest: %u between, the last at %s", pair->near, pair->near_last) < 0)
		abort();
	return text;
}

int
sl_cover_keep(struct sl_cover_keeper *k, const struct sl_cover_report *report, const char *program,
	      const char *build_id, char **argv, bool ended, struct sl_err *err)
{
	static const enum sl_store_state states[] = {[SL_COVERED_YES] = SL_STORE_COVERED,
						     [SL_COVERED_NOT_YET] = SL_STORE_ESTIMATED,
						     [SL_COVERED_NEVER] = SL_STORE_INFEASIBLE};
	struct sl_store_requirement *requirements;
	struct sl_store_growth *growth;
	char **texts;
	int result;

	if (begin(k, report, program, build_id, argv, err) < 0)
		return -1;
	k->run.ended = ended;
	requirements = calloc(report->count + 1, sizeof(*requirements));
	growth = calloc(report->growth_count + 1, sizeof(*growth));
	texts = calloc(report->count + 1, sizeof(*texts));
	if (!requirements || !growth || !texts)
		abort();
	for (size_t i = 0; i < report->count; i++) {
		const struct sl_cover_pair *pair = &report->pairs[i];

		if (pair->state == SL_COVERED_NOT_YET && pair->near)
			texts[i] = nearest(pair);
		requirements[i] = (struct sl_store_requirement){.first = pair->first,
								.second = pair->second,
								.object = "",
								.state = states[pair->state],
								.reason = texts[i] ? texts[i] : pair->reason,
								.execution = pair->execution,
								.seconds = pair->seconds};
	}
	for (size_t i = 0; i < report->growth_count; i++)
		growth[i] = (struct sl_store_growth){report->growth[i].execution, report->growth[i].seconds,
						     report->growth[i].covered, report->growth[i].estimated};
	result = sl_cover_save(k->store, &k->run, requirements, report->count, growth, report->growth_count, err);
	for (size_t i = 0; i < report->count; i++)
		free(texts[i]);
	free(texts);
	free(growth);
	free(requirements);
	return result;
}

void
sl_cover_keeper_release(struct sl_cover_keeper *k)
{
	sl_store_close(k->store);
	free(k->arguments);
	*k = (struct sl_cover_keeper){0};
}
