/*
 * `sleave cover`: how much of the synchronisation of a program has been exercised, and executions that exercise the rest.
 *
 * A search like that of `sleave run`, with findings and replay files, in which a criterion measures coverage. It ends when
 * coverage is saturated.
 */
#include "base/trust.h"
#include "cli/command/commands.h"
#include "cli/result/cover_parts.h"
#include "cli/result/cover_result.h"
#include "cli/session/cover_native.h"
#include "cli/session/native.h"
#include "report/quote.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TIME_DEFAULT 60000000000u
/*
 * The least time between two saves. Saving takes at most a twentieth of the time; a kill loses at most the time
 * since the last save.
 */
#define KEEP_LEAST 200000000u
#define KEEP_SHARE 20

static void
help(void)
{
	puts("usage: sleave cover [OPTION…] PROGRAM [ARGUMENT…]\n"
	     "\n"
	     "Runs the program (built with `sleave cc`) again and again and reports which pairs of places were covered, which\n"
	     "could be covered but were not, and which are infeasible. Schedules are steered towards the pairs that are not\n"
	     "covered yet, until coverage is saturated. Findings are reported as by `sleave run`.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_COVER);
	puts("\ncriteria:");
	for (const struct sl_criterion *const *c = sl_criteria; *c; c++)
		printf("  %-24s %s\n", (*c)->name, (*c)->summary);
	puts("\nstrategies:");
	for (const struct sl_strategy *const *s = sl_strategies; *s; s++)
		printf("  %-24s %s\n", (*s)->name, (*s)->summary);
	puts("  rnd-y, rnd-s10, rnd-s100 real threads, with noise: at random they yield, or sleep for up to 10 or 100 ms\n"
	     "\n"
	     "The coverage of all runs is stored in .sleave/ in the current folder, and adds up (--show, --diff).");
	puts("\nExit status: 0 nothing found, 1 a finding, or coverage under --fail-under, 2 wrong usage, 3 Sleave could not do\n"
	     "its job.");
}

/* ---- settings ---- */

static int
read_share(const char *name, const char *text, double most, double *share, struct sl_err *err)
{
	char *end;

	if (!text)
		return 0;
	*share = strtod(text, &end);
	if (end == text || *end || !(*share >= 0 && *share <= most))
		return sl_err_set(err, "--%s takes a number from 0 to %g, not '%s'", name, most, text);
	return 0;
}

/* Of real threads only the order of lock operations is recorded; a thread that waits does not announce it. */
static int
check_noise(struct cover *cover, struct sl_err *err)
{
	const struct sl_settings *s = &cover->settings;

	if (cover->criterion != &sl_criterion_sync_pair)
		return sl_err_set(err, "%s runs on real threads, where only sync-pair can be measured, not %s",
				  s->strategy, s->cover.criterion);
	if (s->cover.no_estimate_rule || s->cover.no_focus)
		return sl_err_set(err, "--no-estimate-rule and --no-focus are for the strategy tsa, not for %s",
				  s->strategy);
	return 0;
}

/* --show and --diff run nothing. */
static int
check_show(const struct sl_settings *s, struct sl_err *err)
{
	static const char *const ours[] = {"show", "diff",  "criterion", "all", "fail-under",
					   "json", "quiet", "color",     NULL};
	const char *other = sl_options_beyond(s, SL_FOR_COVER, ours);

	if (other)
		return sl_err_set(err, "--%s runs nothing, so --%s has no effect: leave it out",
				  s->cover.diff ? "diff" : "show", other);
	return s->cover.diff ? sl_store_check_moment(s->cover.diff, err) : 0;
}

static int
check_settings(struct cover *cover, struct sl_err *err)
{
	struct sl_settings *s = &cover->settings;
	const struct sl_strategy *strategy;

	cover->criterion = sl_criterion_find(s->cover.criterion);
	if (!cover->criterion)
		return sl_err_set(err, "there is no criterion '%s'", s->cover.criterion);
	if ((s->cover.show || s->cover.diff) && check_show(s, err) < 0)
		return -1;
	if (!s->strategy)
		s->strategy = cover->criterion->steering ? sl_strategy_tsa.name : sl_options_default_strategy;
	cover->coefficient = 0.1;
	cover->probability = 0.1;
	if (read_share("fail-under", s->cover.fail_under, 100, &cover->fail_under, err) < 0 ||
	    read_share("coefficient", s->cover.coefficient, 1, &cover->coefficient, err) < 0 ||
	    read_share("probability", s->cover.probability, 1, &cover->probability, err) < 0)
		return -1;
	if (sl_options_number_or_time(s->cover.window, &cover->window, &cover->window_time) < 0)
		return sl_err_set(err, "--window takes a number of executions, or a time like 120s; not '%s'",
				  s->cover.window);
	if (s->cover.fail_under && !cover->criterion->estimate)
		return sl_err_set(
			err, "--fail-under needs an estimate of what can be covered, and there is none for %s",
			s->cover.criterion);
	if (sl_cover_noise_is(s->strategy))
		return check_noise(cover, err);
	if (s->cover.probability)
		return sl_err_set(err, "--probability is for the strategies rnd-y, rnd-s10 and rnd-s100");
	if (sl_settings_check_strategy(s->strategy, sl_native_noises, err) < 0)
		return -1;
	strategy = sl_strategy_find(s->strategy);
	if (strategy->traits.covers && !cover->criterion->steering)
		return sl_err_set(
			err,
			"%s steers the order in which threads take locks, and so cannot steer towards %s: use another "
			"strategy",
			s->strategy, s->cover.criterion);
	if ((s->cover.no_estimate_rule || s->cover.no_focus) && !strategy->traits.covers)
		return sl_err_set(err, "--no-estimate-rule and --no-focus are for the strategy tsa, not for %s",
				  s->strategy);
	if (s->sync_only && cover->criterion->accesses)
		return sl_err_set(err, "%s needs accesses to memory, which are not seen with --sync-only",
				  s->cover.criterion);
	return 0;
}

static void
configure(const struct cover *cover, struct sl_config *c, uint32_t world)
{
	c->world = world;
	strncpy(c->cover.criterion, cover->criterion->name, sizeof(c->cover.criterion) - 1);
	c->cover.nanoseconds = cover->window_time;
	c->cover.window = cover->window;
	c->cover.coefficient = cover->coefficient;
	c->again = 1;
	c->tsa_without = (cover->settings.cover.no_estimate_rule ? SL_TSA_NO_ESTIMATE | SL_TSA_NO_FOCUS : 0) |
			 (cover->settings.cover.no_focus ? SL_TSA_NO_FOCUS : 0);
	c->keep_going = 1;
}

/* ---- the store ---- */

/* A store that cannot be written does not end the run: a message says so once, and so does the exit status. */
void
sl_cover_keep_now(struct cover *cover, const struct sl_cover_report *report, bool ended)
{
	struct sl_err err;
	uint64_t begun = sl_nanoseconds();

	if (cover->settings.cover.no_store || cover->not_kept || !report->executions)
		return;
	if (sl_cover_keep(&cover->keeper, report, cover->program, cover->build_id, cover->argv, ended, &err) < 0) {
		sl_live_wipe(&cover->live);
		fprintf(stderr, "sleave cover: this run is not stored: %s (--no-store: it need not be)\n",
			err.text);
		cover->not_kept = true;
	}
	uint64_t took = sl_nanoseconds() - begun;

	cover->keep_next = begun + took + (took * KEEP_SHARE > KEEP_LEAST ? took * KEEP_SHARE : KEEP_LEAST);
}

bool
sl_cover_is_time_to_keep(const struct cover *cover)
{
	return !cover->settings.cover.no_store && sl_nanoseconds() >= cover->keep_next;
}

/* ---- the search ---- */

static bool
tick(void *data)
{
	struct cover *cover = data;
	struct sl_cover_report report;

	if (sl_results_is_world_wrong(&cover->results, cover->settings.world)) {
		cover->other_world = true;
		return false;
	}
	if (sl_results_wait(&cover->results)) {
		sl_live_wipe(&cover->live);
		sl_results_tell(&cover->results, false);
	}
	sl_results_write_early(&cover->results);
	if (sl_cover_is_time_to_keep(cover) && cover->session.arena->coverage[0].execution) {
		sl_cover_report_init(&report, cover->session.arena, sl_results_names(&cover->results),
				     &cover->folders, cover->argv[0], (double)(time(NULL) - cover->begun));
		sl_cover_keep_now(cover, &report, false);
		sl_cover_report_release(&report);
	}
	sl_live_draw(&cover->live, cover->session.arena);
	return true;
}

static int
search(struct cover *cover, uint32_t world, struct sl_err *err)
{
	struct sl_session *s = &cover->session;
	struct sl_results *r = &cover->results;

	if (sl_session_init(s, &cover->settings, err) < 0)
		return -1;
	configure(cover, &s->arena->config, world);
	s->program = cover->program;
	s->argv = cover->argv;
	s->input = cover->input;
	s->tick = tick;
	s->data = cover;
	s->arena->config.limit.in_time = sl_options_given(&cover->settings, SL_FOR_COVER, "time");
	if (!cover->searching)
		cover->searching = s->arena->started;
	else if (s->arena->config.limit.in_time)
		sl_session_began(s, cover->searching);
	sl_results_init(r, s->arena);
	r->out = cover->out;
	r->style = sl_style_for(cover->out, cover->settings.colour);
	r->program = cover->program;
	r->argv = cover->argv;
	r->cwd = cover->cwd;
	r->output = cover->settings.output;
	r->suppressions = cover->suppressions;
	cover->other_world = false;
	sl_text_cut(r->build_id, sizeof(r->build_id), cover->build_id);
	cover->recording = (struct sl_recording){.file = cover->settings.tape,
						 .program = cover->program,
						 .cwd = cover->cwd,
						 .build_id = cover->build_id,
						 .argv = cover->argv};
	if ((!cover->target.linked && sl_session_preload(s, err) < 0) ||
	    sl_recording_begin(&cover->recording, s->arena, err) < 0 || sl_session_run(s, err) < 0 ||
	    sl_recording_end_search(&cover->recording, s, err) < 0) {
		sl_recording_end(&cover->recording, err->text, &(struct sl_err){""});
		sl_results_release(r);
		sl_session_release(s);
		return -1;
	}
	sl_live_wipe(&cover->live);
	cover->other_world =
		!s->interrupts && (cover->other_world || sl_results_is_world_wrong(r, cover->settings.world));
	return 0;
}

/* ---- results ---- */

void
sl_cover_write_plot(struct cover *cover, const struct sl_cover_report *report)
{
	const char *base = strrchr(cover->program, '/');
	char path[2 * PATH_MAX];
	struct sl_err err;
	FILE *out;

	if (cover->settings.cover.plot)
		snprintf(path, sizeof(path), "%s", cover->settings.cover.plot);
	else
		snprintf(path, sizeof(path), "%s/%s-coverage.svg", cover->settings.output,
			 base ? base + 1 : cover->program);
	if (!cover->settings.cover.plot && sl_trust_output(path, &err) < 0) {
		fprintf(stderr, "sleave cover: cannot draw the plot: %s\n", err.text);
		return;
	}
	out = fopen(path, "we");
	if (out)
		sl_cover_plot(out, report);
	if (!out || fclose(out) != 0) {
		sl_say(stderr, "sleave cover: cannot write the plot %s: %s\n", path, strerror(errno));
		cover->no_plot = cover->settings.cover.plot != NULL;
	} else if (!cover->settings.quiet)
		sl_say(cover->out, "  plot: %s\n", path);
}

/* If there is nothing to cover, coverage is short of any share. */
static bool
is_short(const struct cover *cover, uint64_t estimated, double share)
{
	return cover->settings.cover.fail_under && (!estimated || share < cover->fail_under);
}

static void
print_short(FILE *out, uint64_t estimated, double share, double least)
{
	if (estimated) /* 94.96 must not be printed as 95.0 */
		fprintf(out, "failed: %.*f%% is under %g%%\n", share + 0.05 < least ? 1 : 3, share, least);
	else
		fprintf(out, "failed: there is nothing to cover, so %g%% cannot be reached\n", least);
}

/* The share is not known if there was no room to record everything, or if places could not be distinguished. */
static void
print_unknown(FILE *out, bool room, double least)
{
	fprintf(out, "undecided: whether coverage is under %g%% is not known: %s\n", least,
		room ? "not all places could be told apart" : "there was no room to record all of it");
}

/* Is less covered than was asked for? */
int
sl_cover_judge_share(const struct cover *cover, const struct sl_cover_report *report, int status)
{
	bool short_of = is_short(cover, report->estimated, sl_cover_share(report));

	if (!cover->settings.cover.fail_under || !report->executions ||
	    (!short_of && !report->lost && !report->unsure))
		return status;
	if (short_of)
		print_short(cover->out, report->estimated, sl_cover_share(report), cover->fail_under);
	else
		print_unknown(cover->out, !report->lost, cover->fail_under);
	return status != SL_EXIT_CLEAN ? status : short_of ? SL_EXIT_FINDING : SL_EXIT_UNDECIDED;
}

static int
finish(struct cover *cover)
{
	struct sl_arena *a = cover->session.arena;
	struct sl_cover_report report;
	struct sl_summary summary;
	const char *reason = NULL;
	int status;

	if (!a->program.has_control && cover->session.said[0])
		reason = cover->session.said;
	else
		sl_results_tell(&cover->results, true);
	cover->results.given_up = cover->session.given_up;
	cover->results.stuck_pc = cover->session.stuck_pc;
	sl_results_judge(&cover->results, &summary, reason, cover->session.interrupts > 0);
	sl_cover_report_init(&report, a, sl_results_names(&cover->results), &cover->folders, cover->argv[0],
			     summary.seconds);
	report.complete = summary.search.complete;
	status = sl_verdict_status(summary.verdict);
	sl_cover_keep_now(cover, &report, true);
	if (report.executions) {
		sl_cover_print(cover->out, &cover->results.style, &report, cover->settings.cover.all);
		sl_cover_write_plot(cover, &report);
	}
	sl_verdict_print(cover->out, &cover->results.style, &summary);
	if (cover->suppressions)
		sl_suppressions_print(cover->out, &cover->results.style, cover->suppressions);
	if (cover->recording.file && !cover->settings.quiet)
		sl_recording_print(&cover->recording, cover->out);
	status = sl_cover_judge_share(cover, &report, status);
	fflush(cover->out);
	if (cover->settings.json)
		sl_cover_json(stdout, &report, &summary);
	fflush(stdout);
	sl_cover_report_release(&report);
	return status;
}

/* ---- without running ---- */

static int
show(struct cover *cover, const char *program, struct sl_err *err)
{
	const struct sl_settings *s = &cover->settings;
	char path[PATH_MAX], *arguments = NULL;
	int status;
	struct sl_cover_query query = {
		.folder = SL_STORE_FOLDER,
		.criterion = cover->criterion->name,
		.what = cover->criterion->what,
		.since = s->cover.diff,
		.json = s->json,
		.all = s->cover.all,
	};
	struct sl_cover_total total;

	/* a program that was removed still has stored runs */
	if (program)
		query.program = sl_cover_program_name(realpath(program, path) ? path : program);
	if (program && cover->argv[1])
		query.arguments = arguments = sl_words_format(cover->argv + 1);
	status = sl_cover_show(stdout, &query, &total, err);
	free(arguments);
	if (status < 0)
		return -1;
	fflush(stdout);
	if (is_short(cover, total.estimated, sl_cover_percent(&total))) {
		print_short(s->json ? stderr : stdout, total.estimated, sl_cover_percent(&total),
			    cover->fail_under);
		return SL_EXIT_FINDING;
	}
	if (!s->cover.fail_under || !total.lost)
		return SL_EXIT_CLEAN;
	print_unknown(s->json ? stderr : stdout, false, cover->fail_under);
	return SL_EXIT_UNDECIDED;
}

static int
run(struct cover *cover, struct sl_err *err)
{
	uint32_t world =
		cover->settings.world == SL_WORLD_AUTO ? SL_WORLD_MEMORY : (uint32_t)cover->settings.world;
	int status;

	sl_live_init(&cover->live, cover->settings.quiet || cover->settings.show_output);
	for (;; world++) {
		if (search(cover, world, err) < 0)
			return -1;
		world = cover->results.world;
		if (!cover->other_world)
			break;
		if (!cover->settings.quiet)
			fprintf(stderr,
				"note: %s does not restore the program's initial state (did it change files or start processes?); "
				"starting over with --world=%s\n",
				world == SL_WORLD_MEMORY ? "restoring memory" : "forking",
				world == SL_WORLD_MEMORY ? "fork" : "exec");
		sl_results_release(&cover->results);
		sl_session_release(&cover->session);
	}
	status = finish(cover);
	sl_results_release(&cover->results);
	sl_session_release(&cover->session);
	return status;
}

static int
prepare(struct cover *cover, struct sl_err *err)
{
	if (sl_target_check(cover->argv[0], cover->settings.sync_only, &cover->target, err) < 0)
		return -1;
	if (cover->settings.sync_only && cover->target.instrumented)
		return sl_err_set(
			err,
			"%s was built with `sleave cc`, so its accesses to memory can be seen: leave --sync-only out",
			cover->target.path);
	if (!realpath(cover->target.path, cover->program) || !getcwd(cover->cwd, sizeof(cover->cwd)))
		return sl_err_set(err, "cannot resolve the path of %s: %s", cover->target.path, strerror(errno));
	mkdir(cover->settings.output, 0777); /* if that fails, so will writing to it, with a message */
	sl_cover_folders_init(&cover->folders);
	cover->input = sl_input_copy(cover->settings.quiet);
	return sl_build_id(cover->program, cover->build_id, sizeof(cover->build_id), err);
}

int
sl_command_cover(int argc, char **argv)
{
	static struct cover cover;
	struct sl_err err = {""};
	int first = sl_options_parse(&cover.settings, SL_FOR_COVER, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && first == argc && !cover.settings.cover.show && !cover.settings.cover.diff)
		first = sl_err_set(&err, "no program is given");
	if (first < 0 || check_settings(&cover, &err) < 0 ||
	    (cover.settings.suppressions &&
	     sl_suppressions_read(cover.settings.suppressions, &cover.suppressions, &err) < 0)) {
		fprintf(stderr, "sleave cover: %s (sleave cover --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	cover.argv = argv + first;
	cover.settings.limit.preemptions = UINT64_MAX;
	cover.settings.limit.state_memory = 1;
	if (!cover.settings.limit.time && !cover.settings.limit.schedules)
		cover.settings.limit.time = TIME_DEFAULT;
	cover.out = cover.settings.json ? stderr : stdout;
	cover.begun = time(NULL);
	if (cover.settings.cover.show || cover.settings.cover.diff) {
		status = show(&cover, cover.argv[0], &err);
	} else {
		status = prepare(&cover, &err);
		if (status == 0)
			status = sl_cover_noise_is(cover.settings.strategy) ? sl_cover_run_noise(&cover, &err)
									    : run(&cover, &err);
		sl_cover_keeper_release(&cover.keeper);
		sl_cover_folders_release(&cover.folders);
		if (status == SL_EXIT_CLEAN && (cover.not_kept || cover.no_plot))
			status = SL_EXIT_UNDECIDED;
	}
	sl_suppressions_free(cover.suppressions);
	if (status < 0) {
		fprintf(stderr, "sleave cover: %s\n", err.text);
		if (cover.settings.json) {
			struct sl_summary summary = {.verdict = SL_VERDICT_UNDECIDED,
						     .search.bound = -1,
						     .program = cover.argv[0] ? cover.argv[0] : "",
						     .strategy = cover.settings.strategy,
						     .reason = err.text,
						     .seed = cover.settings.seed};
			struct sl_cover_report none = {.program = summary.program,
						       .strategy = cover.settings.strategy,
						       .criterion = cover.criterion->name,
						       .seed = cover.settings.seed};

			sl_cover_json(stdout, &none, &summary);
		}
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
