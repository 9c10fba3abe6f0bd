#include "cli/change/since.h"

#include "base/room.h"
#include "cli/change/mapping.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXECUTIONS_LEAST 200 /* of the old version … */
#define EXECUTIONS_MOST 20000
#define TIMES 4 /* … and as many as this for each that the finding took */

/* The place of a finding as the other version has it; NULL: it has no such place. */
static const char *
place_back(const struct sl_program_change *change, const struct sl_outline_place *place, uint32_t *line)
{
	const char *old_file;

	if (!place->path[0] || !place->frames[0].line ||
	    !sl_alignment_back(change->forth, sl_binaries_name(&change->new_files, place->path),
			       place->frames[0].line, &old_file, line))
		return NULL;
	return old_file;
}

static bool
is_at(const struct sl_program_change *change, const struct sl_outline *old, const char *file, uint32_t line)
{
	for (unsigned i = 0; i < old->place_count; i++)
		if (old->places[i].frames[0].line == line &&
		    strcmp(sl_binaries_name(&change->old_files, old->places[i].path), file) == 0)
			return true;
	return false;
}

static bool
has_function(const struct sl_outline *old, const char *function)
{
	for (unsigned i = 0; i < old->place_count; i++)
		if (strcmp(old->places[i].frames[0].function, function) == 0)
			return true;
	return false;
}

/* How long is what an assertion says, in front of where it stands? */
static size_t
assertion_size(const char *message)
{
	size_t size = strlen(message);

	while (size > 0 && strncmp(message + size, " in ", 4) != 0)
		size--;
	return size;
}

static bool
is_same_assertion(const struct sl_outline *new, const struct sl_outline *old)
{
	size_t size = assertion_size(new->message);

	return size && size == assertion_size(old->message) && strncmp(new->message, old->message, size) == 0;
}

/* Places on lines that the old version does not have are compared by their functions. */
bool
sl_since_is_same(const struct sl_program_change *change, const struct sl_outline *new,
		 const struct sl_outline *old)
{
	if (strcmp(new->kind, old->kind) != 0)
		return false;
	if (!new->place_count || !old->place_count)
		return new->place_count == old->place_count &&strcmp(new->message, old->message) == 0;
	for (unsigned i = 0; i < new->place_count; i++) {
		uint32_t line;
		const char *file = place_back(change, &new->places[i], &line);

		if (file ? !is_at(change, old, file, line) : !has_function(old, new->places[i].frames[0].function))
			return false;
		if (!file && strcmp(new->kind, "assertion") == 0 && !is_same_assertion(new, old))
			return false;
	}
	return true;
}

static uint64_t
executions_for(const struct sl_summary *summary)
{
	uint64_t most = 0;

	for (size_t i = 0; i < summary->finding_count; i++)
		if (summary->findings[i].execution > most)
			most = summary->findings[i].execution;
	most *= TIMES;
	return most < EXECUTIONS_LEAST ? EXECUTIONS_LEAST : most > EXECUTIONS_MOST ? EXECUTIONS_MOST : most;
}

/* What it is in the old version, if that shows it. */
static bool
find_same(const struct sl_summary *old, const struct sl_outline *new, const struct sl_program_change *change,
	  char *why, size_t room)
{
	const struct sl_outline *found = NULL;

	for (size_t i = 0; i < old->finding_count; i++)
		if (sl_since_is_same(change, new, &old->findings[i]) &&
		    (!found || strcmp(old->findings[i].message, new->message) == 0))
			found = &old->findings[i];
	if (found)
		snprintf(why, room, "%s", found->message);
	return found;
}

static void
compare(const struct sl_summary *new, const struct sl_summary *old, uint64_t guided,
	const struct sl_program_change *change, enum sl_since *since, char (*why)[512])
{
	char count[32];

	for (size_t i = 0; i < new->finding_count; i++) {
		if (since[i] == SL_SINCE_BEFORE)
			continue;
		since[i] = SL_SINCE_CHANGE;
		snprintf(why[i], sizeof(why[i]), "the old version does not show it in %s execution%s%s",
			 sl_count_format(old->executions + guided, count),
			 old->executions + guided == 1 ? "" : "s",
			 old->search.complete ? ", which is every interleaving" : "");
		if (find_same(old, &new->findings[i], change, why[i], sizeof(why[i]))) {
			since[i] = SL_SINCE_BEFORE;
		} else if (old->verdict == SL_VERDICT_UNDECIDED) {
			since[i] = SL_SINCE_UNKNOWN;
			snprintf(why[i], sizeof(why[i]), "%s",
				 old->reason ? old->reason : "its search has no answer");
		}
	}
}

/* The old program, as quietly as can be. */
static struct sl_exploration
of_old(const struct sl_exploration *e, const struct sl_program_change *change, const char *strategy,
       uint64_t executions)
{
	struct sl_exploration old = {.settings = e->settings,
				     .self = e->self,
				     .argv = e->argv,
				     .path = change->old,
				     .directory = change->old_cwd,
				     .file = {.fd = -1}};

	old.settings.strategy = strategy;
	old.settings.stateful = 0;
	old.settings.output = NULL;
	old.settings.tape = NULL;
	old.settings.quiet = 1;
	old.settings.keep_going = 1;
	old.settings.limit.preemptions = UINT64_MAX;
	old.settings.limit.schedules = executions;
	old.settings.change.prioritise = SL_HEURISTIC_BASIC;
	return old;
}

struct guided {
	const struct sl_replay *replay;
	const struct sl_program_change *change;
};

static int
give_schedule(struct sl_arena *arena, void *data, struct sl_err *err)
{
	const struct guided *guided = data;
	struct sl_mapping mapping;

	(void)err;
	sl_mapping_make(&mapping, &arena->guide, guided->replay, guided->change, SL_MAPPING_TO_OLD);
	return 0;
}

/* The schedule of the finding, mapped. Returns the number of executions. */
static uint64_t
follow(const struct sl_exploration *e, const struct sl_outline *finding, const struct sl_program_change *change,
       enum sl_since *since, char *why, size_t room)
{
	static struct sl_exploration old;
	struct sl_summary answer;
	struct sl_replay replay;
	struct guided guided = {&replay, change};
	struct sl_err err = {""};
	uint64_t executions = 0;

	if (!finding->replay[0] || sl_replay_read(finding->replay, &replay, &err) < 0)
		return 0;
	old = of_old(e, change, sl_strategy_guided.name, 1);
	old.settings.jobs = 1;
	old.settings.compare = SL_COMPARE_OFF; /* it is asked at operations that are no points of choice */
	old.prepare = give_schedule;
	old.data = &guided;
	if (sl_exploration_find(&old, &err) == 0 && sl_exploration_run(&old, &err) == 0) {
		sl_exploration_judge(&old, &answer);
		executions = answer.executions;
		if (find_same(&answer, finding, change, why, room))
			*since = SL_SINCE_BEFORE;
		sl_exploration_release(&old);
	}
	sl_replay_release(&replay);
	return executions;
}

/* In the process for the old version: its schedule first, then a short search. */
static void
look(const struct sl_exploration *e, const struct sl_summary *summary, const struct sl_program_change *change,
     enum sl_since *since, char (*why)[512])
{
	static struct sl_exploration old;
	struct sl_summary answer;
	struct sl_err err = {""};
	uint64_t guided = 0;
	bool all = true;

	for (size_t i = 0; i < summary->finding_count; i++) {
		guided += follow(e, &summary->findings[i], change, &since[i], why[i], sizeof(why[i]));
		all = all && since[i] == SL_SINCE_BEFORE;
	}
	if (all)
		return;
	old = of_old(e, change, sl_options_default_strategy, executions_for(summary));
	if (sl_exploration_find(&old, &err) < 0 || sl_exploration_run(&old, &err) < 0) {
		for (size_t i = 0; i < summary->finding_count; i++)
			if (since[i] == SL_SINCE_UNKNOWN)
				snprintf(why[i], sizeof(why[i]), "%s", err.text);
		return;
	}
	sl_exploration_judge(&old, &answer);
	compare(summary, &answer, guided, change, since, why);
	sl_exploration_release(&old);
}

void
sl_since_find(const struct sl_exploration *e, const struct sl_summary *summary,
	      const struct sl_program_change *change, enum sl_since *since, char (*why)[512])
{
	struct answers {
		enum sl_since since[SL_FINDINGS_MAX];
		char why[SL_FINDINGS_MAX][512];
	} * shared;
	pid_t pid;

	for (size_t i = 0; i < summary->finding_count; i++) {
		since[i] = change->old ? SL_SINCE_UNKNOWN : SL_SINCE_CHANGE;
		snprintf(why[i], sizeof(why[i]), "%s",
			 change->old ? "" : "the old version does not have the program");
	}
	if (!change->old)
		return;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		munmap((void *)SL_ARENA_ADDRESS, sizeof(struct sl_arena));
		look(e, summary, change, shared->since, shared->why);
		_exit(0);
	}
	if (pid < 0) {
		snprintf(why[0], sizeof(why[0]), "cannot start a process for the old version: %s",
			 strerror(errno));
	} else {
		sl_session_wait(pid);
		for (size_t i = 0; i < summary->finding_count && i < SL_FINDINGS_MAX; i++) {
			since[i] = shared->since[i];
			memcpy(why[i], shared->why[i], sizeof(why[i]));
		}
	}
	munmap(shared, sizeof(*shared));
}
