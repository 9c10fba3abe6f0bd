/*
 * The object of `sleave test --json`: one line. Keys are only ever added.
 */
#include "report/tests/tests.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

static void
put_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "\"seconds\": %" PRIu64 ".%06u", ns / 1000000000u, (unsigned)(ns / 1000 % 1000000));
}

static void
put_test(FILE *out, const struct sl_test *t)
{
	fputc('{', out);
	sl_json_put_field(out, "name", t->name);
	fputs(", ", out);
	sl_json_put_field(out, "verdict", sl_test_verdict_name(t->verdict));
	fputs(", ", out);
	sl_json_put_field(out, "message", t->message);
	fputs(", ", out);
	sl_json_put_field(out, "note", sl_test_note(t));
	fputs(", ", out);
	sl_json_put_field(out, "function", t->function);
	fputs(", ", out);
	sl_json_put_field(out, "schedule", t->schedule);
	fputs(", ", out);
	sl_json_put_field(out, "file", t->file);
	fprintf(out, ", \"line\": %u, ", t->line);
	sl_json_put_field(out, "how", t->how);
	fprintf(out, ", \"complete\": %s, \"executions\": %" PRIu64 ", ",
		t->complete && t->executions ? "true" : "false", t->executions);
	put_seconds(out, t->nanoseconds);
	fputs(", ", out);
	sl_json_put_field(out, "replay", t->replay);
	fputc('}', out);
}

static void
put_program(FILE *out, const struct sl_tested *tested)
{
	bool all = true;

	fputc('{', out);
	sl_json_put_field(out, "program", tested->program);
	fputs(", ", out);
	sl_json_put_field(out, "path", tested->path);
	fputs(", ", out);
	sl_json_put_field(out, "mode", tested->mode);
	fputs(", ", out);
	put_seconds(out, tested->nanoseconds);
	fputs(", \"tests\": [", out);
	for (size_t i = 0; i < tested->count; i++) {
		fputs(i ? ", " : "", out);
		put_test(out, tested->tests[i]);
		all = all && sl_test_is_fine(tested->tests[i]);
	}
	fputs("], \"output\": ", out);
	if (all)
		fputs("null", out);
	else
		sl_json_put_string(out, tested->output ? tested->output : "", tested->output_size);
	fputc('}', out);
}

void
sl_tests_json_print(FILE *out, const struct sl_tested *const *tested, size_t count, bool interrupted)
{
	struct sl_test_counts counts = {0};
	bool next = false;

	for (size_t i = 0; i < count; i++)
		sl_tested_count(tested[i], &counts);
	fprintf(out,
		"{\"passed\": %zu, \"failed\": %zu, \"undecided\": %zu, \"skipped\": %zu, \"interrupted\": %s, \"programs\": [",
		counts.of[SL_TEST_PASSED], counts.of[SL_TEST_FAILED], counts.of[SL_TEST_UNDECIDED],
		counts.of[SL_TEST_SKIPPED], interrupted ? "true" : "false");
	for (size_t i = 0; i < count; i++) {
		if (!tested[i]->count)
			continue;
		fputs(next ? ", " : "", out);
		put_program(out, tested[i]);
		next = true;
	}
	fputs("]}\n", out);
}
