/*
 * The object that --json ends with: one line, so that a program takes the last line and needs nothing else.
 * Keys are only ever added.
 */
#include "report/words.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* JSON has characters only: bytes that are none become U+FFFD. */
void
sl_json_put_string(FILE *out, const char *text, size_t size)
{
	fputc('"', out);
	for (size_t i = 0, n; i < size; i += n) {
		unsigned char c = (unsigned char)text[i];

		n = sl_utf8_length(text + i, size - i);
		if (!n)
			fputs("\\ufffd", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else if (n == 2 && c == 0xc2 && (unsigned char)text[i + 1] < 0xa0) /* the second set of control characters: dangerous for a terminal, too */
			fprintf(out, "\\u%04x", (unsigned char)text[i + 1]);
		else
			fwrite(text + i, 1, n, out);
		if (!n)
			n = 1;
	}
	fputc('"', out);
}

void
sl_json_put_field(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\": ", key);
	if (text)
		sl_json_put_string(out, text, strlen(text));
	else
		fputs("null", out);
}

static void
put_frame(FILE *out, const struct sl_outline_frame *f)
{
	sl_json_put_field(out, "function", f->function);
	fputs(", ", out);
	sl_json_put_field(out, "file", f->file);
	fprintf(out, ", \"line\": %" PRIu32, f->line);
}

static void
put_outline(FILE *out, const struct sl_outline *o)
{
	fputc('{', out);
	sl_json_put_field(out, "kind", o->kind);
	fputs(", ", out);
	sl_json_put_field(out, "message", o->message);
	fprintf(out, ", \"preemptions\": %u, \"execution\": ", o->preemptions);
	if (o->execution)
		fprintf(out, "%" PRIu64, o->execution);
	else
		fputs("null", out);
	fputs(", \"places\": [", out);
	for (unsigned i = 0; i < o->place_count; i++) {
		fputs(i ? ", {" : "{", out);
		sl_json_put_field(out, "thread", o->places[i].thread);
		fputs(", ", out);
		put_frame(out, &o->places[i].frames[0]);
		fputs(", \"callers\": [", out);
		for (unsigned k = 1; k < o->places[i].frame_count; k++) {
			fputs(k > 1 ? ", {" : "{", out);
			put_frame(out, &o->places[i].frames[k]);
			fputc('}', out);
		}
		fputs("]}", out);
	}
	fputs("], \"cycle\": [", out);
	for (unsigned i = 0; i < o->wait_count; i++) {
		const struct sl_outline_wait *w = &o->waits[i];

		fputs(i ? ", {" : "{", out);
		sl_json_put_field(out, "thread", w->thread);
		fputs(", ", out);
		sl_json_put_field(out, "place", w->place);
		fputs(", ", out);
		sl_json_put_field(out, "object", w->object[0] ? w->object : NULL);
		fputs(", ", out);
		sl_json_put_field(out, "by", w->by);
		fputs(", ", out);
		sl_json_put_field(out, "how", w->how);
		fputs(", ", out);
		sl_json_put_field(out, "by_place", w->by_place[0] ? w->by_place : NULL);
		fputc('}', out);
	}
	fputs("], ", out);
	sl_json_put_field(out, "replay", o->replay[0] ? o->replay : NULL);
	fputs(", ", out);
	fputs("\"delay\": ", out);
	if (o->delayed) {
		fputc('{', out);
		sl_json_put_field(out, "thread", o->delayed_thread);
		fprintf(out, ", \"seconds\": %" PRIu64 ".%03u}, ", o->delayed / 1000000000u,
			(unsigned)(o->delayed / 1000000u % 1000));
	} else {
		fputs("null, ", out);
	}
	sl_json_put_field(out, "stdout", o->output[0] ? o->output : NULL);
	fputs(", ", out);
	sl_json_put_field(out, "stderr", o->errors[0] ? o->errors : NULL);
	fputc('}', out);
}

static void
put_outlines(FILE *out, const char *key, const struct sl_outline *outlines, size_t count)
{
	fprintf(out, ", \"%s\": [", key);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputs(", ", out);
		put_outline(out, &outlines[i]);
	}
	fputc(']', out);
}

static void
put_texts(FILE *out, const char *key, const char *const *texts, size_t count)
{
	fprintf(out, ", \"%s\": [", key);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		sl_json_put_string(out, texts[i], strlen(texts[i]));
	}
	fputc(']', out);
}

static void
put_paths(FILE *out, const struct sl_paths_told *p)
{
	fprintf(out,
		", \"paths\": {\"combinations\": %" PRIu64 ", \"executions\": %" PRIu64 ", \"states\": %" PRIu64 ", \"complete\": %s",
		p->combinations, p->executions, p->states, p->complete ? "true" : "false");
	put_texts(out, "loops", p->loops, p->loop_count);
	put_texts(out, "left_out", p->lacks, p->lack_count);
	if (p->branches) {
		fputs(", \"branches\": ", out);
		p->branches(out, p->data);
	}
	fputc('}', out);
}

static void
put_change(FILE *out, const struct sl_summary *s)
{
	static const char *const since[] = {"unknown", "change", "before"};
	const struct sl_change_told *c = s->change;

	fputs(", \"change\": {", out);
	sl_json_put_field(out, "old", c->old);
	fputs(", ", out);
	sl_json_put_field(out, "new", c->new);
	fprintf(out,
		", \"impacted_lines\": %zu, \"impacted_fields\": %zu, \"with_code\": %zu, \"reached\": %zu, \"impacted\": %s, "
		"\"in_old\": %s, \"iterations\": %" PRIu64 ", \"predicted\": %zu, \"tried\": %zu, ",
		c->lines, c->fields, c->with_code, c->reached, c->unreached || !(c->lines + c->fields) ? "false" : "true",
		c->all_new ? "false" : "true", s->search.iterations, c->predicted, c->tried);
	sl_json_put_field(out, "unpredicted", c->unpredicted);
	fputs(", ", out);
	sl_json_put_field(out, "lacks", c->lacks);
	fputs(", ", out);
	sl_json_put_field(out, "others", c->others);
	fputs(", \"findings\": [", out);
	for (size_t i = 0; c->since && i < s->finding_count; i++) {
		fputs(i ? ", {" : "{", out);
		sl_json_put_field(out, "since", since[c->since[i]]);
		fputs(", ", out);
		sl_json_put_field(out, "text", c->why[i]);
		fputc('}', out);
	}
	fputs("], \"replays\": [", out);
	for (size_t i = 0; i < c->earlier_count; i++) {
		fputs(i ? ", {" : "{", out);
		sl_json_put_field(out, "file", c->earlier[i].path);
		fprintf(out, ", \"fails\": %s, ", c->earlier[i].fails ? "true" : "false");
		sl_json_put_field(out, "lost", c->earlier[i].lost[0] ? c->earlier[i].lost : NULL);
		fputc('}', out);
	}
	fputs("]}", out);
}

void
sl_json_print(FILE *out, const struct sl_summary *s)
{
	fputc('{', out);
	sl_json_put_field(out, "verdict",
		  s->change && s->change->unreached && s->verdict == SL_VERDICT_CLEAN
			  ? "not impacted"
			  : sl_verdict_name(s->verdict));
	fprintf(out, ", \"complete\": %s, \"classes\": %s, \"interrupted\": %s, ",
		s->search.complete ? "true" : "false", s->search.complete && s->search.classes ? "true" : "false",
		s->interrupted ? "true" : "false");
	sl_json_put_field(out, "reason", s->reason);
	fputs(", ", out);
	sl_json_put_field(out, "program", s->program);
	fputs(", ", out);
	sl_json_put_field(out, "strategy", s->strategy);
	fprintf(out, ", \"seed\": %" PRIu64 ", \"executions\": %" PRIu64 ", \"interleavings\": %" PRIu64 ", ",
		s->seed, s->executions, s->interleavings);
	fprintf(out,
		"\"spent\": {\"search\": %" PRIu64 ", \"lockstep\": %" PRIu64 ", \"warm_up\": %" PRIu64
		", \"compare\": %" PRIu64 ", \"confirm\": %" PRIu64 ", \"shorten\": %" PRIu64
		", \"trace\": %" PRIu64 ", \"enablers\": %" PRIu64 ", \"endless\": %" PRIu64
		", \"leaks\": %" PRIu64 ", \"given_up\": %" PRIu64 ", \"recorded\": %" PRIu64 ", \"other_world\": %" PRIu64 "}, ",
		s->spent.search, s->spent.lockstep, s->spent.warm_up, s->spent.compare, s->spent.confirm,
		s->spent.shorten, s->spent.trace, s->spent.enablers, s->spent.endless, s->spent.leaks,
		s->spent.given_up, s->spent.recorded, s->spent.other_world);
	/* Thousandths, formatted here: a comma of the user's locale would not be JSON. */
	uint64_t ms = s->seconds > 0 && isfinite(s->seconds) ? (uint64_t)(s->seconds * 1000 + 0.5) : 0;

	fprintf(out, "\"seconds\": %" PRIu64 ".%03u", ms / 1000, (unsigned)(ms % 1000));
	fprintf(out, ", \"operations\": %" PRIu64 ", \"accesses\": %" PRIu64 ", \"threads\": %u",
		s->counts.operations, s->counts.accesses, s->counts.threads);
	if (s->search.bound >= 0)
		fprintf(out, ", \"bound\": %d", s->search.bound);
	else
		fputs(", \"bound\": null", out);
	if (s->states.counted)
		fprintf(out,
			", \"states\": {\"new\": %" PRIu64 ", \"visited\": %" PRIu64 ", \"transitions\": %" PRIu64
			", \"end\": %" PRIu64 ", \"opaque\": %" PRIu64 ", \"bytes\": %" PRIu64
			", \"evicted\": %" PRIu64 ", \"restored\": %" PRIu64 "}",
			s->states.fresh, s->states.visited, s->states.fresh + s->states.visited, s->states.ends,
			s->states.opaque, s->states.bytes, s->states.evicted, s->states.restored);
	fprintf(out, ", \"cut\": %" PRIu64 ", \"given_up\": %" PRIu64 ", \"abandoned\": %" PRIu64 ", ",
		s->counts.cut, s->counts.given_up, s->counts.abandoned);
	fprintf(out, "\"suppressed\": %zu, ", s->suppressed);
	fprintf(out, "\"sync_only\": %s, ", s->sync_only ? "true" : "false");
	fprintf(out, "\"unaided\": %s, ", s->unaided ? "true" : "false");
	fprintf(out, "\"relaxed\": %s, ", s->relaxed ? "true" : "false");
	fprintf(out, "\"set_aside\": %s, ", s->set_aside ? "true" : "false");
	fprintf(out, "\"compared\": %" PRIu64 ", \"diverged\": %" PRIu64 ", ", s->counts.compared,
		s->counts.different);
	sl_json_put_field(out, "world", s->world);
	fputs(", ", out);
	sl_json_put_field(out, "carrier", s->carrier);
	put_outlines(out, "findings", s->findings, s->finding_count);
	put_outlines(out, "warnings", s->warnings, s->warning_count);
	fputs(", \"schedules\": [", out);
	for (size_t i = 0; i < s->schedule_count; i++) {
		const struct sl_followed *f = &s->schedules[i];

		fputs(i ? ", {" : "{", out);
		sl_json_put_field(out, "name", f->name);
		fputs(", ", out);
		sl_json_put_field(out, "file", f->file[0] ? f->file : NULL);
		fprintf(out,
			", \"line\": %u, \"infeasible\": %s, \"followed\": %" PRIu64 ", \"left\": %" PRIu64 ", ",
			f->line, f->infeasible ? "true" : "false", f->kept, f->dropped);
		sl_json_put_field(out, "unknown", f->unknown[0] ? f->unknown : NULL);
		fputc('}', out);
	}
	static const char *const what[] = {"assembly", "assembly outside of functions",
					   "library",  "thread",
					   "object",   "memory"};

	fputs("], \"not_seen\": [", out);
	for (size_t i = 0; i < s->not_seen_count; i++) {
		fputs(i ? ", {" : "{", out);
		sl_json_put_field(out, "what", what[s->not_seen[i].what]);
		fprintf(out, ", \"count\": %" PRIu64 ", ", s->not_seen[i].count);
		sl_json_put_field(out, "place", s->not_seen[i].place[0] ? s->not_seen[i].place : NULL);
		fputc('}', out);
	}
	fputs("], \"escapes\": [", out);
	for (size_t i = 0; i < s->escape_count; i++) {
		fputs(i ? ", {" : "{", out);
		sl_json_put_field(out, "name", s->escapes[i].name);
		fprintf(out, ", \"count\": %" PRIu64 ", ", s->escapes[i].count);
		sl_json_put_field(out, "place", s->escapes[i].place[0] ? s->escapes[i].place : NULL);
		fputc('}', out);
	}
	fputc(']', out);
	if (s->paths)
		put_paths(out, s->paths);
	if (s->change)
		put_change(out, s);
	fputs("}\n", out);
}
