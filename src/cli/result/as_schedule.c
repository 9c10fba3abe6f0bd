/*
 * `sleave replay --as-schedule`: a finding as a readable schedule for a test. The switches of the execution give
 * the orderings; trials find out which of them are needed, the fewest first: each of 100 executions that follow
 * only those must show the finding.
 */
#include "cli/result/as_schedule.h"
#include "cli/result/as_schedule_print.h"

#include <stdlib.h>
#include <string.h>

#define RUNS SL_AS_SCHEDULE_RUNS
#define RUNS_MAX 40000u /* including executions that do not follow the schedule */
#define TRIES_MAX 500   /* sets of orderings that are tried */
#define EXECUTIONS_MAX 400000
#define SECONDS_MAX 120 /* for all trials: an execution that is a process of its own is slow */
#define PAIRS_MAX 150   /* tried sets of two orderings */
#define PAIRS_FEW 30    /* … if the schedule has other choices, too */
#define STEPS_MAX 8     /* orderings that are added, one by one */

/*
 * All orderings together may be more than the execution needs; and if one of them is misleading, they may prevent the
 * finding. So they are tried one by one first, then in pairs, then one more at a time, always the one that shows the finding
 * most often. The result is then expressed in the most readable way.
 */
struct search {
	const struct sl_replay *replay;
	const struct sl_target *target;
	int input;
	struct sl_settings settings;
	enum sl_wanted_how how;
	const struct sl_ordering *orderings;
	size_t count;
	const struct sl_setting
		*setting; /* its schedules apply as well; NULL: the finding is outside of sections */
	unsigned scores
		[SL_ORDERINGS_MAX];   /* how many of 100 executions with this ordering alone show the finding */
	bool dead[SL_ORDERINGS_MAX];  /* no execution can follow it */
	bool empty[SL_ORDERINGS_MAX]; /* its right side does not occur, so it is void */
	char text[16384];
	struct sl_err *err;
	bool failed; /* the program can't be run */
	unsigned tries;
	uint64_t executions;
	uint64_t begun, until; /* CLOCK_MONOTONIC, ns */
	bool late;             /* the time limit was reached */
	/* The first orderings for which every execution that follows them shows the finding, but not all follow. */
	bool loose[SL_ORDERINGS_MAX], has_loose;
	enum sl_wanted_how loose_how;
	unsigned followed, left; /* their numbers of executions */
};

/* The result of executions with some orderings. */
struct outcome {
	unsigned executions, shown, dropped;
	bool trouble;
};

static void
write_text(struct search *s, const bool *used)
{
	size_t length = 0;

	if (s->replay->follows && !s->replay->checked) /* a schedule that was only checked has delayed no thread */
		length = (size_t)snprintf(s->text, sizeof(s->text), "%s", s->replay->follows);
	else
		s->text[0] = '\0';
	for (size_t i = 0; i < s->count && length < sizeof(s->text); i++)
		if (used[i])
			length += (size_t)snprintf(s->text + length, sizeof(s->text) - length, "%s%s -> %s",
						   length ? ", " : "", s->orderings[i].before,
						   s->orderings[i].after);
}

/* Returns the remaining nanoseconds; 0: the time is over. */
static uint64_t
time_left(struct search *s)
{
	uint64_t now = sl_nanoseconds();

	s->late |= now >= s->until;
	return s->late ? 0 : s->until - now;
}

static bool
goes_on(struct search *s)
{
	return !s->failed && s->tries < TRIES_MAX && s->executions < EXECUTIONS_MAX && time_left(s);
}

/* Runs executions; `all`: stops at the first that follows the orderings and does not show the finding. */
static struct outcome
run(struct search *s, const bool *used, const char *strategy, unsigned runs, bool all)
{
	struct outcome result = {.trouble = true};
	struct sl_session session;
	struct sl_config *config;

	s->tries++;
	write_text(s, used);
	s->settings.strategy = strategy;
	s->settings.limit.schedules = runs;
	s->settings.limit.time = time_left(s);
	if (!s->settings.limit.time)
		return result;
	if (sl_session_init(&session, &s->settings, s->err) < 0) {
		s->failed = true;
		return result;
	}
	session.program = s->target->path;
	session.argv = s->replay->argv;
	session.directory = s->replay->cwd;
	session.input = s->input;
	config = &session.arena->config;
	config->limit.in_time = 1;
	snprintf(config->plan, sizeof(config->plan), "%s", s->text);
	config->section = s->setting ? s->setting->signature : 0;
	config->wanted.signature = s->replay->signature;
	config->wanted.all = all ? RUNS : 0;
	config->wanted.how = s->how;
	config->explore_call = s->replay->explore_call;
	config->visit.number = s->replay->visit[0];
	config->visit.schedule = s->replay->visit[1];
	config->visit.line = s->replay->visit[2];
	config->races = s->replay->races;
	config->spurious = s->replay->spurious;
	config->again = s->replay->again;
	config->volatiles = s->replay->volatiles;
	config->world = s->replay->world;
	config->sync_only = !s->target->instrumented;
	if ((s->target->linked || sl_session_preload(&session, s->err) == 0) &&
	    sl_session_run(&session, s->err) == 0) {
		const struct sl_counters *c = &session.arena->workers[0].counters;

		result = (struct outcome){.executions = (unsigned)c->executions,
					  .shown = (unsigned)c->shown,
					  .dropped = (unsigned)c->dropped,
					  .trouble = session.arena->workers[0].trouble.kind != 0 || c->given_up};
		s->executions += result.executions;
	} else {
		s->failed = true;
	}
	if (session.interrupts) {
		s->failed = result.trouble = true;
		sl_err_set(s->err, "interrupted");
	}
	sl_session_release(&session);
	return result;
}

/*
 * Returns whether every execution that follows the orderings shows the finding, and the orderings are not void
 * (see enum sl_wanted_how).
 */
static void
try_loose(struct search *s, const bool *used)
{
	struct outcome o = {0};
	bool good = false;

	for (size_t i = 0; i < s->count; i++)
		if (used[i] && s->empty[i])
			return;
	if (!goes_on(s))
		return;
	for (s->how = SL_WANTED_FULFILLED; !good && !s->failed && s->how <= SL_WANTED_MISSING; s->how++) {
		o = run(s, used, "random", RUNS_MAX / 10, true);
		if (o.shown && o.shown < RUNS && o.shown + o.dropped == o.executions)
			o = run(s, used, "random", RUNS_MAX,
				true); /* executions that follow the orderings are rare */
		good = !o.trouble && o.shown >= RUNS && o.shown + o.dropped == o.executions;
		if (good)
			s->loose_how = s->how;
	}
	s->how = SL_WANTED_OPEN;
	if (!good)
		return;
	s->has_loose = true;
	memcpy(s->loose, used, sizeof(s->loose));
	s->followed = o.shown;
	s->left = o.dropped;
}

/* The same for executions with the fewest preemptions, which random strategies hardly ever run. */
static bool
works_calmly(struct search *s, const bool *used)
{
	struct outcome o = run(s, used, "icb", RUNS, true);

	return !o.trouble && o.shown == o.executions;
}

/*
 * Returns whether every execution shows the finding; It is tried with several strategies, because each has a bias.
 */
static bool
works(struct search *s, const bool *used)
{
	static const char *const strategies[] = {"random", "walk"};

	for (int i = 0; i < 2; i++) {
		struct outcome o = run(s, used, strategies[i], RUNS, true);

		if (o.trouble)
			return false;
		if (o.dropped && o.shown + o.dropped == o.executions && o.shown && !s->has_loose) {
			try_loose(s, used);
			return false;
		}
		if (o.shown < RUNS || o.dropped)
			return false;
	}
	return works_calmly(s, used);
}

static bool
find_one(struct search *s, bool *used)
{
	for (size_t i = 0; i < s->count && goes_on(s); i++) {
		struct outcome o;

		used[i] = true;
		o = run(s, used, "random", RUNS, false);
		s->scores[i] = o.shown;
		s->dead[i] = o.trouble || o.dropped == o.executions;
		if (!s->dead[i] && o.shown + o.dropped == o.executions) {
			if (works(s, used))
				return true;
			s->empty[i] = o.dropped && !s->has_loose;
		}
		used[i] = false;
	}
	return false;
}

struct pair {
	size_t a, b;
	unsigned cost, score;
};

static int
by_score(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

static bool
find_two(struct search *s, bool *used, size_t most)
{
	static struct pair pairs[SL_ORDERINGS_MAX * SL_ORDERINGS_MAX / 2];
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		for (size_t k = i + 1; k < s->count; k++)
			if (!s->dead[i] && !s->dead[k] && s->orderings[i].edge != s->orderings[k].edge)
				pairs[count++] = (struct pair){i, k, s->orderings[i].cost + s->orderings[k].cost,
							       s->scores[i] + s->scores[k]};
	qsort(pairs, count, sizeof(pairs[0]), by_score);
	for (size_t i = 0; i < count && i < most && goes_on(s); i++) {
		used[pairs[i].a] = used[pairs[i].b] = true;
		if (works(s, used))
			return true;
		used[pairs[i].a] = used[pairs[i].b] = false;
	}
	return false;
}

/* How often the finding happens, in the executions that follow the orderings, or in all. */
static unsigned
score_of(const struct outcome *o, bool loose)
{
	unsigned of = loose ? o->executions - o->dropped : o->executions;

	return o->trouble || !of ? 0 : 1 + o->shown * 1000 / of;
}

/* Adds one ordering at a time, the one that helps most. */
static bool
find_more(struct search *s, bool *used, bool loose)
{
	unsigned reached = 0;

	for (unsigned step = 0; step < STEPS_MAX && goes_on(s); step++) {
		size_t best = s->count;

		for (size_t i = 0; i < s->count && goes_on(s); i++) {
			struct outcome o;
			unsigned score;

			if (used[i] || s->dead[i] || (loose && s->empty[i]))
				continue;
			used[i] = true;
			s->how = loose ? SL_WANTED_FULFILLED : SL_WANTED_OPEN;
			o = run(s, used, "random", loose ? 4 * RUNS : RUNS, false);
			s->how = SL_WANTED_OPEN;
			score = score_of(&o, loose);
			if (score > reached) {
				reached = score;
				best = i;
			}
			used[i] = false;
			if (score == 1001)
				break;
		}
		if (best == s->count)
			return false;
		used[best] = true;
		if (reached == 1001)
			return works(s, used);
	}
	return false;
}

/* One ordering for each switch: the most readable one, or lines; with or without objects that no other thread has accessed. */
static bool
find_all(struct search *s, bool *used, bool lines, bool far)
{
	for (size_t i = 0; i < s->count; i++) {
		bool better = s->dead[i] || s->orderings[i].extra || (s->orderings[i].far && !far);

		for (size_t k = 0; k < s->count && !better; k++)
			better = k != i && !s->dead[k] && s->orderings[k].edge == s->orderings[i].edge &&
				 (lines ? k > i : k < i);
		used[i] = !better;
	}
	return works(s, used);
}

/* Removes orderings that are not needed. */
static void
drop_some(struct search *s, bool *used)
{
	for (size_t i = s->count; i-- > 0;) {
		if (!used[i])
			continue;
		used[i] = false;
		used[i] = !works(s, used);
	}
}

/* Replaces orderings by more readable ones. */
static void
reword(struct search *s, bool *used)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; used[i] && k < s->count; k++) {
			if (s->dead[k] || s->orderings[k].edge != s->orderings[i].edge ||
			    s->orderings[k].cost >= s->orderings[i].cost)
				continue;
			used[i] = false;
			used[k] = true;
			if (works(s, used))
				break;
			used[k] = false;
			used[i] = true;
		}
}

static void
drop_some_loose(struct search *s)
{
	bool used[SL_ORDERINGS_MAX];

	for (size_t i = s->count; i-- > 0;) {
		memcpy(used, s->loose, sizeof(used));
		if (!used[i])
			continue;
		used[i] = false;
		try_loose(s, used);
	}
}

/* Of 1000 executions, the number of those that follow the orderings and show the finding; 0 if some follow them and do not show it. */
static unsigned
share_of(struct search *s, const bool *used)
{
	struct outcome o;

	s->how = s->loose_how;
	o = run(s, used, "random", RUNS, false);
	s->how = SL_WANTED_OPEN;
	return o.trouble || !o.executions || o.shown + o.dropped != o.executions ? 0
										 : o.shown * 1000 / o.executions;
}

/*
 * A schedule that hardly any execution follows is of little use: an ordering is added if that makes at least half
 * as many more executions follow it.
 */
static void
strengthen(struct search *s)
{
	unsigned reached = s->followed * 1000ul / (s->followed + s->left);

	for (unsigned step = 0; step < STEPS_MAX && s->left && goes_on(s); step++) {
		bool used[SL_ORDERINGS_MAX];
		unsigned wanted = reached + reached / 2 + 1;
		size_t best = s->count;

		memcpy(used, s->loose, sizeof(used));
		for (size_t i = 0; i < s->count && goes_on(s); i++) {
			unsigned share;

			if (used[i] || s->dead[i] || s->empty[i])
				continue;
			used[i] = true;
			share = share_of(s, used);
			used[i] = false;
			if (share >= wanted) {
				wanted = share + 1;
				best = i;
			}
		}
		if (best == s->count)
			return;
		used[best] = true;
		try_loose(s, used);
		if (!s->loose[best]) /* with more executions, some do not show it */
			return;
		reached = s->followed * 1000ul / (s->followed + s->left);
	}
}

static bool
find_strict(struct search *s, bool *used)
{
	/* with other kinds of choices, more orderings hardly help */
	bool chosen = sl_replay_chooses(s->replay, SL_PICK_WAITER) || sl_replay_chooses(s->replay, SL_PICK_VALUE),
	     found = false;
	bool many[SL_ORDERINGS_MAX];
	size_t count = 0;

	if (works(s, used))
		return true;
	if (s->replay->kind == SL_FINDING_LIVELOCK) /* see refuse() */
		return false;
	if (find_one(s, used))
		return true;
	if (chosen && s->has_loose)
		return false;
	for (unsigned way = 0; way < 4 && !found && goes_on(s); way++) {
		memset(many, 0, sizeof(many));
		found = find_all(s, many, way & 1, way & 2);
	}
	if (found)
		drop_some(s, many);
	for (size_t i = 0; i < s->count; i++)
		count += found && many[i];
	if (count != 2 && find_two(s, used, chosen ? PAIRS_FEW : PAIRS_MAX))
		return true;
	memset(used, 0, sizeof(many));
	if (!found && !(chosen && s->has_loose) && find_more(s, used, false)) {
		drop_some(s, used);
		return true;
	}
	if (found)
		memcpy(used, many, sizeof(many));
	return found;
}

static bool
find(struct search *s, bool *used)
{
	size_t size = SL_ORDERINGS_MAX * sizeof(*used);

	if (find_strict(s, used)) {
		reword(s, used);
		s->has_loose = false;
		return !s->failed;
	}
	memset(used, 0, size);
	if (s->replay->kind == SL_FINDING_LIVELOCK || s->failed)
		return false;
	s->tries = 0;
	if (!s->has_loose)
		find_more(s, used, true);
	if (!s->has_loose || s->failed)
		return false;
	drop_some_loose(s);
	strengthen(s);
	if (!s->left && works(s, s->loose))
		s->has_loose = false;
	memcpy(used, s->loose, size);
	return !s->failed;
}

static int
refuse(const struct search *s, const char *unordered)
{
	/* an order of some switches does not keep its threads in step */
	if (s->replay->kind == SL_FINDING_LIVELOCK)
		return sl_err_set(s->err, "the livelock depends on every switch of threads: "
					  "no list of orderings leads to it every time");
	if (unordered[0])
		return sl_err_set(s->err, "no orderings lead to the finding every time: %s", unordered);
	if (s->late)
		return sl_err_set(s->err,
				  "no orderings that lead to the finding every time were found in %.3g seconds",
				  (double)(s->until - s->begun) / 1e9);
	if (sl_replay_chooses(s->replay, SL_PICK_WAITER))
		return sl_err_set(
			s->err,
			"no orderings lead to the finding every time: it depends on which waiter a signal wakes");
	if (sl_replay_chooses(s->replay, SL_PICK_VALUE))
		return sl_err_set(
			s->err,
			"no orderings lead to the finding every time: it depends on a choice that is not one of order");
	return sl_err_set(s->err, s->count
					  ? "no orderings of events, names or lines lead to the finding every time"
					  : "threads are switched only at places without a name or a line");
}

int
sl_as_schedule(FILE *out, const struct sl_orderings *orderings, const struct sl_replay *replay,
	       const struct sl_target *target, int input, uint64_t until, struct sl_err *err)
{
	static struct search s;
	static struct sl_real_runs real;
	bool used[SL_ORDERINGS_MAX] = {false};

	s = (struct search){.replay = replay,
			    .target = target,
			    .input = input,
			    .orderings = orderings->items,
			    .count = orderings->count,
			    .setting = orderings->setting.signature ? &orderings->setting : NULL,
			    .err = err};
	s.settings =
		(struct sl_settings){.strategy = "random",
				     .limit.preemptions = UINT64_MAX,
				     .limit.schedules = RUNS,
				     .jobs = 1,
				     /* a livelock in lockstep is recognised much sooner */
				     .limit.operations = replay->kind == SL_FINDING_LIVELOCK ? 500000 : 20000000,
				     .watchdog = 30000000000u,
				     .races = SL_RACES_ON,
				     .memory = SL_RACES_ON,
				     .misuse = SL_RACES_ON,
				     .limit.state_memory = 1 << 20};
	s.begun = sl_nanoseconds();
	s.until = until ? until : s.begun + SECONDS_MAX * UINT64_C(1000000000);
	if (!find(&s, used))
		return s.failed ? -1 : refuse(&s, orderings->unordered);
	write_text(&s, used);
	if (s.text[0])
		sl_followed_try(replay, s.setting, s.text, target, input, until, &real);
	sl_as_schedule_print(out, &(struct sl_found){.replay = replay,
						     .setting = s.setting,
						     .orderings = s.orderings,
						     .used = used,
						     .count = s.count,
						     .text = s.text,
						     .loose = s.has_loose,
						     .followed = s.followed,
						     .left = s.left,
						     .real = &real});
	return 0;
}
