#include "cli/predict/impact_told.h"

#include "report/quote.h"
#include "report/report.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

static const char *
access_word(const struct sl_impacted *i)
{
	return i->access & SL_OP_WRITES ? "write" : "read";
}

/* Accesses of several threads, or in several contexts, may be told in the same words. */
static bool
is_told(const struct sl_impact_set *impact, size_t i)
{
	const struct sl_impacted *it = &impact->items[i];

	for (size_t k = 0; k < i; k++) {
		const struct sl_impacted *before = &impact->items[k];

		if (before->place.line == it->place.line && before->place.column == it->place.column &&
		    (it->place.line || before->pc == it->pc) && before->access == it->access &&
		    !strcmp(before->place.stable, it->place.stable) && !strcmp(before->object, it->object) &&
		    !strcmp(before->why, it->why))
			return true;
	}
	return false;
}

static void
put(FILE *out, const char *text)
{
	sl_text_put(out, text, strlen(text));
}

void
sl_impact_told_lines(FILE *out, const struct sl_impact_set *impact)
{
	for (size_t i = 0; i < impact->count; i++) {
		const struct sl_impacted *it = &impact->items[i];

		if (is_told(impact, i))
			continue;
		fputs("  ", out);
		put(out, it->place.file);
		if (it->place.line)
			fprintf(out, ":%" PRIu32, it->place.line);
		fprintf(out, ": the %s of ", access_word(it));
		put(out, *it->object ? it->object : "memory");
		fputs(": ", out);
		put(out, it->why);
		fputc('\n', out);
	}
}

static void
put_field(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\": ", name);
	sl_json_put_string(out, text, strlen(text));
	fputs(", ", out);
}

void
sl_impact_told_json(FILE *out, const struct sl_impact_set *impact)
{
	fprintf(out, "\"accesses\": %" PRIu64 ", \"impacted\": %" PRIu64 ", \"points\": [", impact->accesses,
		impact->impacted);
	for (size_t i = 0; i < impact->count; i++) {
		const struct sl_impacted *it = &impact->items[i];

		fputs(i ? ", {" : "{", out);
		put_field(out, "file", it->place.file);
		put_field(out, "function", it->place.function);
		put_field(out, "access", access_word(it));
		put_field(out, "object", it->object);
		put_field(out, "reason", it->new ? "new" : "context");
		put_field(out, "text", it->why);
		fprintf(out, "\"line\": %" PRIu32 ", \"thread\": %" PRIu32 ", \"count\": %" PRIu64 "}",
			it->place.line, it->thread, it->count);
	}
	fputc(']', out);
}
