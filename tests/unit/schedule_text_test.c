/*
 * Text to plan and back: what is accepted, how it is printed, and the complaints about the rest.
 */
#include "schedule/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char memory[1 << 20];

static struct sl_plan *
parse(const char *text, struct sl_complaint *complaint)
{
	struct sl_pool pool = {memory, memory + sizeof(memory)};

	return sl_plan_parse(text, strlen(text), &pool, complaint);
}

/* NULL: printed as written */
static const struct {
	const char *text, *printed;
} texts[] = {
	{"a -> b", NULL},
	{"a->b", "a -> b"},
	{"a -> b,", "a -> b"},
	{"a -> b, c -> d", NULL},
	{"a\n->\nb # why\n, // and\nc /* or */ -> d", "a -> b, c -> d"},
	/* the comma between orderings is optional, as in IMUnit */
	{"a -> b c -> d", "a -> b, c -> d"},
	{"a -> b\nc -> d\n, e -> f", "a -> b, c -> d, e -> f"},
	{"a -> b [c] -> d (e || f) -> g \"h\" -> i !(j -> l) -> k",
	 "a -> b, [c] -> d, (e || f) -> g, h -> i, !(j -> l) -> k"},
	{"a -> b@t c#2 -> d@w* e -> q{o} start@t -> end@t",
	 "a -> b@t, c#2 -> d@w*, e -> q{o}, start@t -> end@t"},
	{"a -> lock:m [b] -> f.c:1 f.c:2 -> c", "a -> lock:m, [b] -> f.c:1, f.c:2 -> c"},
	{"a -> schedule schedule -> b", "a -> schedule, schedule -> b"},
	{"a && b -> c", "(a && b) -> c"},
	{"a || b && c -> d", "(a || (b && c)) -> d"},
	{"(a && (b && c)) -> d", NULL},
	{"((a)) -> (b)", "a -> b"},
	{"pkg.Queue.add@worker -> Queue::take", NULL},
	{"add@t#2 -> take#*", "add#2@t -> take#*"},
	{"add{q->lock}#2@w-* -> \"a take\"{\"my q\"}", NULL},
	{"start@t -> end@\"a thread\"", NULL},
	{"\"start\" -> b", NULL},
	{"enter:Queue::~Queue -> exit:f", NULL},
	{"lock:table.locks[3] -> unlock:q->m", NULL},
	{"wait:c -> signal:c@T1", NULL},
	{"write:x -> read:x#2", NULL},
	{"read:\"operator()\" -> b", NULL},
	{"queue.c:12 -> src/queue.c:13@T1", NULL},
	{"\"my-queue.c\":12 -> b", NULL},
	{"exit:queue.c:12 -> exit:src/queue.c:13#2@T1", NULL},
	{"exit:\"my-queue.c\":12 -> exit:\"queue\":12", NULL},
	{"exit: queue.c : 12 -> b", "exit:queue.c:12 -> b"},
	/* the line is reached again; by another thread; a name may be that of another file's */
	{"exit:a.c:3 -> a.c:3#2", NULL},
	{"exit:a.c:3#2 -> a.c:3#3", NULL},
	{"exit:a.c:3@T1 -> a.c:3@T2", NULL},
	{"exit:a.c:3 -> a.c:3@T2", NULL},
	{"exit:a.c:3 -> src/a.c:3", NULL},
	{"a.c:3#2 -> exit:a.c:3", NULL},
	/* when the schedule begins, a thread may be in the function, or have the lock */
	{"exit:f -> enter:f", NULL},
	{"enter:f -> exit:f", NULL},
	{"unlock:m -> lock:m", NULL},
	{"[a] -> b", NULL},
	{"[a#2@t] -> b", NULL},
	{"[@w*] -> b", NULL},
	{"[ @ t ] -> b", "[@t] -> b"},
	{"!(a -> b)", NULL},
	{"!!a => b => c", "!!a => b => c"},
	{"(a => b) => c", NULL},
	{"a <=> b <=> c", NULL},
	{"a <=> (b <=> c)", NULL},
	{"(a -> b) -> c", NULL},
	{"a -> (b -> c)", NULL},
	{"block@t -> unblock@t#2", "block@t -> unblock#2@t"},
	{"schedule -> enter", NULL},
	{"größe -> naïve", NULL},
	{"schedule \"x\" { a -> b }", "schedule \"x\" {\n    a -> b\n}\n"},
};

static void
test_prints(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sl_complaint complaint;
		struct sl_plan *plan = parse(texts[i].text, &complaint);
		char printed[512];

		if (!plan)
			fail_msg("%s: %u:%u: %s", texts[i].text, complaint.place.line, complaint.place.column,
				 complaint.text);
		sl_plan_print(plan, printed, sizeof(printed));
		assert_string_equal(printed, texts[i].printed ? texts[i].printed : texts[i].text);
	}
}

/* NULL: laid out already */
static const struct {
	const char *text, *formatted;
} layouts[] = {
	{"a->b", "a -> b\n"},
	{"a -> b,\nc -> d\n", "a -> b, c -> d\n"},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -> bbbbbbbbbbbbbbbbbbbbbbbb, ccccccccccccccccccc -> dddddddddddddddd\n",
	 NULL},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -> bbbbbbbbbbbbbbbbbbbbbbbb, ccccccccccccccccccc -> dddddddddddddddd\n",
	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -> bbbbbbbbbbbbbbbbbbbbbbbb,\nccccccccccccccccccc -> dddddddddddddddd\n"},
	{"# why\na -> b\n", NULL},
	{"a -> b # why", "a -> b # why\n"},
	{"a -> b # why\n, c -> d // and\n# more", "a -> b, # why\nc -> d // and\n# more\n"},
	{"a -> b, /* of c */ c -> d", "a -> b,\n/* of c */\nc -> d\n"},
	{"a -> b /* of b */, c -> d", "a -> b, /* of b */\nc -> d\n"},
	{"a -> b\nc -> d", "a -> b, c -> d\n"},
	{"a -> b # of b\nc -> d", "a -> b, # of b\nc -> d\n"},
	{"a -> b /* of c */ c -> d", "a -> b,\n/* of c */\nc -> d\n"},
	{"schedule \"x\" {a -> b c -> d}", "schedule \"x\" {\n    a -> b,\n    c -> d\n}\n"},
	{"a # first\n  && c -> b", "# first\n(a && c) -> b\n"},
	{"a -> b, #2 of them", "a -> b # 2 of them\n"},
	{"a -> b, #2 of them\nc -> d", "a -> b, #2 of them\nc -> d\n"},
	{"a -> b // x\n, # y\nc -> d", "a -> b, // x\n# y\nc -> d\n"},
	{"a -> b,\n\n\n# c\nc -> d\n", "a -> b,\n\n# c\nc -> d\n"},
	{"a -> b,   /* x */ /* y */  \t\n c -> d//z  \n", "a -> b, /* x */ /* y */\nc -> d //z\n"},
	{"a -> b, /* x\n  y */ c -> d", "a -> b,\n/* x\n  y */\nc -> d\n"},
	{"schedule \"x\" {a -> b, c -> d}", "schedule \"x\" {\n    a -> b,\n    c -> d\n}\n"},
	{"# of all\n\n# of x\nschedule \"x\" {\n    # in x\n    a -> b, # b\n\n    c -> d\n    # end\n}\n\n"
	 "# of y\nschedule \"y\" {\n    e -> f\n}\n\n# last\n",
	 NULL},
	{"schedule /* a */ \"x\" { // b\n\n a -> b /* c */ } /* d */ schedule \"y\" { c -> d }",
	 "/* a */\nschedule \"x\" {\n    // b\n\n    a -> b /* c */\n}\n\n/* d */\nschedule \"y\" {\n    c -> d\n}\n"},
};

static void
test_layouts(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const char *text = layouts[i].text, *expected = layouts[i].formatted ? layouts[i].formatted : text;
		char formatted[1024], again[1024];
		struct sl_complaint complaint;

		for (size_t room = 1; room <= sizeof(formatted); room += sizeof(formatted) - 1) {
			struct sl_pool pool = {memory, memory + sizeof(memory)};

			if (sl_plan_format(text, strlen(text), &pool, formatted, room, &complaint) != strlen(expected))
				fail_msg("%s: %u:%u: %s\n%s", text, complaint.place.line, complaint.place.column,
					 complaint.text, formatted);
			assert_memory_equal(formatted, expected, room == 1 ? 0 : strlen(expected) + 1);
			assert_true(room > 1 || !*formatted);
		}
		struct sl_pool pool = {memory, memory + sizeof(memory)};

		sl_plan_format(formatted, strlen(formatted), &pool, again, sizeof(again), &complaint);
		assert_string_equal(again, formatted);
	}
}

/* clang-format off */
static const struct {
	const char *text;
	uint32_t line, column;
	const char *complaint;
} wrong[] = {
	{"", 1, 1, "expected an ordering (`a -> b`), found the end of the text"},
	{"   # nothing but a comment", 1, 27, "expected an ordering (`a -> b`), found the end of the text"},
	{"a", 1, 2, "expected `->` after `a`: an ordering is `a -> b`"},
	{"a, b -> c", 1, 2, "expected `->` after `a`: an ordering is `a -> b`"},
	{"[a]", 1, 4, "expected `->` after `[a]`: an ordering is `a -> b`"},
	{"[@t]", 1, 5, "expected `->` after `[@t]`: an ordering is `a -> b`"},
	{"lock:q->m", 1, 10, "expected `->` after `lock:q->m`: an ordering is `a -> b`, with blanks: without blanks, `->` is part of a name"},
	{"a -> ", 1, 6, "expected an event, `[`, `(` or `!`, found the end of the text"},
	{"-> b", 1, 1, "expected an event, `[`, `(` or `!`, found `->`"},
	{"a -> b c", 1, 8, "expected `,`, `&&` or `||`, found `c`"},
	{"a b", 1, 3, "expected `->`, `&&` or `||`, found `b`"},
	{"a b -> c", 1, 3, "expected `->`, `&&` or `||`, found `b`"},
	/* without a comma only orderings, which have an arrow of their own */
	{"a -> b c, d -> e", 1, 8, "expected `,`, `&&` or `||`, found `c`"},
	{"a -> b c d -> e", 1, 8, "expected `,`, `&&` or `||`, found `c`"},
	{"a -> b or c -> d", 1, 8, "expected `,`, `&&` or `||`, found `or`"},
	{"a -> b [c]", 1, 8, "expected `,`, `&&` or `||`, found `[`"},
	{"a -> b !(c -> d)", 1, 8, "expected `,`, `&&` or `||`, found `!`"},
	{"!(a -> b) c -> d", 1, 11, "expected `->`, `&&` or `||`, found `c`"},
	{"(a -> b) c -> d", 1, 10, "expected `,`, `&&` or `||`, found `c`"},
	{"a -> b (c -> d)", 1, 8, "expected `,`, `&&` or `||`, found `(`"},
	{"a -> b c -> d -> e", 1, 15, "`->` does not chain: write `a -> b, b -> c` instead of `a -> b -> c`"},
	{"a -> b c ->", 1, 12, "expected an event, `[`, `(` or `!`, found the end of the text"},
	{"a -> b -> c", 1, 8, "`->` does not chain: write `a -> b, b -> c` instead of `a -> b -> c`"},
	{"a -> b,, c -> d", 1, 8, "expected an event, `[`, `(` or `!`, found `,`"},
	{", a -> b", 1, 1, "expected an event, `[`, `(` or `!`, found `,`"},
	{"a -> b;", 1, 7, "expected `,`, `&&` or `||`, found `;`: orderings are separated by `,`"},
	{"a - b", 1, 3, "expected `->`, `&&` or `||`, found `-`: \"before\" is `->`"},
	{"a & b -> c", 1, 3, "expected `->`, `&&` or `||`, found `&`: \"and\" is `&&`"},
	{"a | b -> c", 1, 3, "expected `->`, `&&` or `||`, found `|`: \"or\" is `||`"},
	{"a && -> c", 1, 6, "expected an event, `[`, `(` or `!`, found `->`"},
	{"(a -> b", 1, 8, "expected `)`, found the end of the text"},
	{"a -> b)", 1, 7, "expected `,`, `&&` or `||`, found `)`"},
	{"(a && b -> c", 1, 13, "expected `)`, found the end of the text"},
	{"() -> b", 1, 2, "expected an event, `[`, `(` or `!`, found `)`"},
	{"[a -> b", 1, 4, "expected `]`, found `->`"},
	{"[] -> b", 1, 2, "expected an event or `@thread` after `[`, found `]`"},
	{"[ -> b", 1, 3, "expected an event or `@thread` after `[`, found `->`"},
	{"[a b] -> c", 1, 4, "expected `]`, found `b`"},
	{"[w*] -> b", 1, 3, "expected `]`, found `*`: a group of threads is `@w*`, in brackets `[@w*]`"},
	{"[@] -> b", 1, 3, "expected a thread's name after `@`, found `]`"},
	{"a@ -> b", 1, 4, "expected a thread's name after `@`, found `->`"},
	{"a@t@u -> b", 1, 4, "`@` twice: an event belongs to one thread"},
	{"a#0 -> b", 1, 3, "occurrences are counted from 1: expected `#1` or more, found `#0`"},
	{"a#1#2 -> b", 1, 4, "`#` twice: an event has one occurrence, or `#*`"},
	{"a# -> b", 1, 4, "expected a number or `*` after `#` (a comment needs a blank before it), found `->`"},
	{"a#x -> b", 1, 3, "expected a number or `*` after `#` (a comment needs a blank before it), found `x`"},
	{"a #2 -> b", 1, 3, "a blank before `#`: an occurrence is written without one (`add#2`), a comment with one after it (`# 2`)"},
	{"a -> b #2", 1, 8, "a blank before `#`: an occurrence is written without one (`add#2`), a comment with one after it (`# 2`)"},
	{"a#99999999999 -> b", 1, 3, "this number is too large"},
	{"a{q -> b", 1, 5, "expected `}`, found `->`"},
	{"a{} -> b", 1, 3, "expected an object's name after `{`, found `}`"},
	{"a{q}{p} -> b", 1, 5, "expected `->`, `&&` or `||`, found `{`"},
	{"lock:m{q} -> b", 1, 7, "`{`: only an event that the program names has an object"},
	{"start -> b", 1, 1, "`start` needs a thread: expected `start@name` (an event of that name is written in quotes)"},
	{"a -> end", 1, 6, "`end` needs a thread: expected `end@name` (an event of that name is written in quotes)"},
	{"[start] -> b", 1, 2, "`start` needs a thread: expected `start@name` (an event of that name is written in quotes)"},
	{"unblock#2 -> b", 1, 1, "`unblock` needs a thread: expected `unblock@name` (an event of that name is written in quotes)"},
	{"lock: -> b", 1, 7, "expected an object's name after `:`, found `->`"},
	{"lock:3 -> b", 1, 6, "expected an object's name after `:`, found `3`"},
	{"loc:m -> b", 1, 1, "there is no kind of event `loc:`; did you mean `lock:`?"},
	{"foo:bar -> b", 1, 1, "there is no kind of event `foo:`; expected enter, exit, lock, unlock, wait, signal, write, read, or FILE:LINE"},
	{"queue:12 -> b", 1, 1, "there is no kind of event `queue:`; expected enter, exit, lock, unlock, wait, signal, write, read, or FILE:LINE"},
	{"queue.c: -> b", 1, 10, "expected a line number after the file's name and `:`, found `->`"},
	{"queue.c:x -> b", 1, 9, "expected a line number after the file's name and `:`, found `x`"},
	{"queue.c:0 -> b", 1, 9, "lines are counted from 1, found line 0"},
	{"src/queue.c -> b", 1, 13, "expected `:` and a line number after the name of a file, found `->`"},
	{"exit:queue.c:0 -> b", 1, 14, "lines are counted from 1, found line 0"},
	{"exit:queue.c: -> b", 1, 15, "expected a line number after the file's name and `:`, found `->`"},
	{"exit:add:3 -> b", 1, 6, "`add` is not a file: expected a function's name, or FILE:LINE"},
	{"exit:src/queue.c -> b", 1, 9, "expected `->`, `&&` or `||`, found `/`"},
	{"Queue::add:3 -> b", 1, 1, "`Queue::add` is not a file: expected FILE:LINE, or a name without `:`"},
	{"a -> \"b", 1, 6, "this text does not end on its line: expected `\"`"},
	{"a -> \"\"", 1, 6, "an empty name"},
	{"a -> \"b\\n\"", 1, 8, "after `\\` in a text: expected `\"` or `\\`"},
	{"a -> /* b", 1, 6, "this comment does not end: expected `*/`"},
	{"ä -> ö ü", 1, 8, "expected `,`, `&&` or `||`, found `ü`"},
	{"a\n  -> b,\nc =>", 3, 5, "expected an event, `[`, `(` or `!`, found the end of the text"},
	{"a \001 b", 1, 3, "expected `->`, `&&` or `||`, found a control character"},
	{"a -> \377", 1, 6, "this is not UTF-8"},
	{"% -> b", 1, 1, "expected an event, `[`, `(` or `!`, found `%`"},
	{"schedule \"x\"", 1, 13, "expected `{`, found the end of the text"},
	{"schedule \"x\" {", 1, 15, "expected an event, `[`, `(` or `!`, found the end of the text"},
	{"schedule \"x\" { a -> b", 1, 22, "expected `,`, `}`, `&&` or `||`, found the end of the text"},
	{"schedule \"x\" { }", 1, 16, "expected an event, `[`, `(` or `!`, found `}`"},
	{"schedule \"x\" { a -> b } b -> c", 1, 25, "expected `schedule`, found `b`"},
	{"schedule \"x\" { a -> b } schedule { c -> d }", 1, 34, "expected the schedule's name in quotes, found `{`"},
	{"schedule \"x\" { a -> b } schedule \"x\" { c -> d }", 1, 34, "there is a schedule \"x\" already"},
	{"schedule { a -> b }", 1, 10, "expected the schedule's name in quotes, found `{`"},
	{"schedule \"x\" { a -> b c }", 1, 23, "expected `,`, `}`, `&&` or `||`, found `c`"},
	{"a -> b, schedule \"x\" { a -> b }", 1, 18, "expected `->`, `&&` or `||`, found `\"x\"`"},
	{"exit:a.c:3 -> a.c:3", 1, 1, "these orderings form a cycle: `a.c:3` after `exit:a.c:3` after `a.c:3`"},
	{"exit:a.c:3@T1 -> a.c:3", 1, 1, "these orderings form a cycle: `a.c:3` after `exit:a.c:3@T1` after `a.c:3`"},
	{"exit:a.c:3#2 -> a.c:3#2", 1, 1,
	 "these orderings form a cycle: `a.c:3#2` after `exit:a.c:3#2` after `a.c:3#2`"},
	{"exit:a.c:3#* -> a.c:3#*", 1, 1,
	 "these orderings form a cycle: `a.c:3#*` after `exit:a.c:3#*` after `a.c:3#*`"},
	{"exit:src/a.c:3@T1 -> b, b -> a.c:3@T1", 1, 25,
	 "these orderings form a cycle: `a.c:3@T1` after `b` after `exit:src/a.c:3@T1` after `a.c:3@T1`"},
	{"a.c:3 -> exit:a.c:3", 1, 1, "this ordering always holds: whenever `exit:a.c:3` occurs, `a.c:3` has occurred"},
	{"a.c:3#* -> exit:a.c:3#*@T1", 1, 1,
	 "this ordering always holds: whenever `exit:a.c:3#*@T1` occurs, `a.c:3#*` has occurred"},
	{"a -> a", 1, 1, "this ordering always holds: whenever `a` occurs, `a` has occurred"},
	{"add -> add#2", 1, 1, "this ordering always holds: whenever `add#2` occurs, `add` has occurred"},
	{"(a || c) -> a", 1, 1, "this ordering always holds: whenever `a` occurs, `a || c` has occurred"},
	{"add -> add@T1", 1, 1, "this ordering always holds: whenever `add@T1` occurs, `add` has occurred"},
	{"a#* -> a#*", 1, 1, "this ordering always holds: whenever `a#*` occurs, `a#*` has occurred"},
	{"!a -> e", 1, 1, "this ordering always holds: whenever `e` occurs, `!a` is true"},
	{"(e || [@t]) -> e", 1, 1, "this ordering always holds: whenever `e` occurs, `e || [@t]` is true"},
	{"(a => b) -> c", 1, 1, "this ordering always holds: whenever `c` occurs, `a => b` is true"},
	{"(a && b && [@t]) -> e", 1, 2, "`a` and `b` are different events, and only one event happens at a moment: with `!`, `=>`, `<=>`, `[@t]`, `block@` or a `->` inside, an event means \"now\""},
	{"!(a && b) -> [@t]", 1, 3, "`a` and `b` are different events, and only one event happens at a moment: with `!`, `=>`, `<=>`, `[@t]`, `block@` or a `->` inside, an event means \"now\""},
	{"((a -> b) && c && d) -> e", 1, 2, "`(a -> b) && c` and `d` are different events, and only one event happens at a moment: with `!`, `=>`, `<=>`, `[@t]`, `block@` or a `->` inside, an event means \"now\""},
	{"(a#1 && a#2 && [@t]) -> e", 1, 2, "`a#1` and `a#2` are different events, and only one event happens at a moment: with `!`, `=>`, `<=>`, `[@t]`, `block@` or a `->` inside, an event means \"now\""},
	{"a -> b, b -> a", 1, 9, "these orderings form a cycle: `b` after `a` after `b`"},
	{"a -> b, c -> d, b -> c, d -> a", 1, 25, "these orderings form a cycle: `d` after `c` after `b` after `a` after `d`"},
	{"a -> b, (b && c) -> a", 1, 9, "these orderings form a cycle: `a` after `b` after `a`"},
	{"(a || b) -> c, c -> a, c -> b", 1, 16, "these orderings form a cycle: `a` after `c` after `a`"},
	{"a#2 -> b, b -> a", 1, 11, "these orderings form a cycle: `a` after `b` after `a#2` after `a`"},
	{"a#2 -> a", 1, 1, "these orderings form a cycle: `a` after `a#2` after `a`"},
	{"add@T1 -> x, x -> add", 1, 14, "these orderings form a cycle: `add` after `x` after `add@T1` after `add`"},
	{"a#* -> e, e -> a#2", 1, 11, "these orderings form a cycle: `e` after `a#2` after `e`"},
	{"[a] -> a", 1, 1, "these orderings form a cycle: `a` after `a`"},
	/* what a thread does */
	{"end@t -> start@t", 1, 1, "these orderings form a cycle: `start@t` after `end@t` after `start@t`"},
	{"x@t -> y, y -> start@t", 1, 11, "these orderings form a cycle: `start@t` after `y` after `x@t` after `start@t`"},
	{"end@T1 -> a@T1", 1, 1, "these orderings form a cycle: `a@T1` after `end@T1` after `a@T1`"},
	{"end@main -> b, b -> lock:m@main", 1, 16, "these orderings form a cycle: `lock:m@main` after `b` after `end@main` after `lock:m@main`"},
	{"[a@T1] -> b@T1", 1, 1, "`[a@T1]` cannot be when `b@T1` occurs: a blocked thread does nothing"},
	{"a -> b, a -> b", 1, 9, "`a -> b` is in the schedule already"},
	{"a -> b, c -> d, (a) -> (b)", 1, 17, "`a -> b` is in the schedule already"},
	{"a#* -> block@t", 1, 1, "`a#*`: `#*` is for orderings like `a#* -> b#*`; not with `!`, `=>`, `<=>`, `[@t]`, `block@`, `unblock@` or `->` inside"},
	{"!(a#* -> b)", 1, 3, "`a#*`: `#*` is for orderings like `a#* -> b#*`; not with `!`, `=>`, `<=>`, `[@t]`, `block@`, `unblock@` or `->` inside"},
	{"[a#*] -> b", 1, 1, "`[a#*]`: a thread blocks after one event; expected `#` and a number"},
	{"[end@t] -> b", 1, 1, "`[end@t]` cannot be: a thread that has ended is not blocked"},
	{"[block@t] -> b", 1, 1, "`[block@t]`: a blocked thread is written `[@t]`"},
	{"a -> b, a -> b -> c", 1, 16, "`->` does not chain: write `a -> b, b -> c` instead of `a -> b -> c`"},
	{"a -> b || c &&", 1, 15, "expected an event, `[`, `(` or `!`, found the end of the text"},
	{"a > b", 1, 3, "expected `->`, `&&` or `||`, found `>`: \"before\" is `->`"},
	{"a = b", 1, 3, "expected `->`, `&&` or `||`, found `=`: \"implies\" is `=>`"},
	{"'a' -> b", 1, 1, "expected an event, `[`, `(` or `!`, found `'`: quotes are `\"`"},
	{"Queue.add?1 -> b", 1, 10, "expected `->`, `&&` or `||`, found `?`: a group of threads is `@w?`, in brackets `[@w?]`"},
	{"(a -> b) c", 1, 10, "expected `,`, `&&` or `||`, found `c`"},
	{"schedule \"x\" { (a || b) }", 1, 23, "expected `->` after `a || b`: an ordering is `a -> b`"},
	{"schedule \"x\" { a -> b } schedule \"y\" { b -> c, c -> b }", 1, 48, "these orderings form a cycle: `c` after `b` after `c`"},
	{"a@\"\" -> b", 1, 3, "an empty name"},
	{"a@t* b", 1, 6, "expected `->`, `&&` or `||`, found `b`"},
	{"((((a -> b", 1, 11, "expected `)`, found the end of the text"},
	{"a -> (b", 1, 8, "expected `)`, found the end of the text"},
	{"[a@t#2#3] -> b", 1, 7, "`#` twice: an event has one occurrence, or `#*`"},
	{"[a]@t -> b", 1, 4, "expected `->`, `&&` or `||`, found `@`"},
	{"[a]#2 -> b", 1, 4, "expected `->`, `&&` or `||`, found `#`"},
	{"!-> b", 1, 2, "expected an event, `[`, `(` or `!`, found `->`"},
	{"a <= b", 1, 3, "expected `->`, `&&` or `||`, found `<`"},
	{"a <=> -> b", 1, 7, "expected an event, `[`, `(` or `!`, found `->`"},
	{"enter:\"\" -> b", 1, 7, "an empty name"},
	{"ab-cd -> e", 1, 3, "expected `->`, `&&` or `||`, found `-`: \"before\" is `->`"},
	{"a -> (b)#2", 1, 9, "expected `,`, `&&` or `||`, found `#`"},
	{"a -> b, (c)#2", 1, 12, "expected `->`, `&&` or `||`, found `#`"},
	{"a || b", 1, 7, "expected `->` after `a || b`: an ordering is `a -> b`"},
	{"a && b", 1, 7, "expected `->` after `a && b`: an ordering is `a -> b`"},
	{"[a] #2 -> b", 1, 5, "a blank before `#`: an occurrence is written without one (`add#2`), a comment with one after it (`# 2`)"},
};
/* clang-format on */

static void
test_complaints(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct sl_complaint complaint;

		if (parse(wrong[i].text, &complaint))
			fail_msg("accepted: %s", wrong[i].text);
		if (complaint.place.line != wrong[i].line || complaint.place.column != wrong[i].column ||
		    strcmp(complaint.text, wrong[i].complaint) != 0)
			fail_msg("%s\n%u:%u: %s", wrong[i].text, complaint.place.line, complaint.place.column,
				 complaint.text);
	}
}

/* Cases near the limits, on both sides. */
static void
test_limits(void **unused)
{
	static char text[1 << 16];
	struct sl_complaint complaint;
	struct sl_pool small = {memory, memory + 500};
	size_t n;

	(void)unused;
	for (unsigned atoms = 512; atoms <= 513; atoms++) {
		n = 0;
		for (unsigned i = 0; i + 1 < atoms; i++)
			n += (size_t)sprintf(text + n, "e%u -> e%u,\n", i, atoms - 1);
		assert_int_equal(parse(text, &complaint) != NULL, atoms == 512);
	}
	assert_string_equal(complaint.text, "a schedule has at most 512 different events");
	assert_int_equal(complaint.place.line, 512);
	for (unsigned depth = 99; depth <= 100; depth++) {
		memset(text, '(', depth);
		sprintf(text + depth, "a");
		memset(text + depth + 1, ')', depth);
		strcpy(text + 2 * depth + 1, " -> b");
		assert_int_equal(parse(text, &complaint) != NULL, depth == 99);
	}
	assert_string_equal(complaint.text, "more than 100 levels of parentheses");
	for (unsigned length = 200; length <= 201; length++) {
		n = (size_t)sprintf(text, "a0");
		for (unsigned i = 1; i < length; i++)
			n += (size_t)sprintf(text + n, " && a%u", i);
		strcpy(text + n, " -> b");
		assert_int_equal(parse(text, &complaint) != NULL, length == 200);
	}
	assert_string_equal(complaint.text, "more than 200 levels in one ordering");
	for (unsigned names = 30; names <= 31; names++) {
		n = 0;
		for (unsigned i = 0; i < names; i++)
			n += (size_t)sprintf(text + n, "[x%u] -> b,\n", i);
		assert_int_equal(parse(text, &complaint) != NULL, names == 30);
	}
	assert_string_equal(complaint.text, "a schedule has at most 30 different names in brackets");
	assert_null(sl_plan_parse("a -> b, c -> d", 14, &small, &complaint));
	assert_string_equal(complaint.text, "there is not enough memory for the schedule");
}

static const struct {
	const char *pattern, *text;
	bool fits;
} globs[] = {
	{"", "", true},	      {"", "a", false},	       {"a", "a", true},      {"a", "b", false},
	{"*", "", true},      {"*", "abc", true},      {"a*", "abc", true},   {"a*c", "abc", true},
	{"a*d", "abc", false}, {"?", "a", true},       {"?", "", false},      {"?", "ä", true},
	{"w?", "w12", false}, {"w*-?", "w12-3", true}, {"*a*b*", "xaybz", true}, {"*a*b*", "xbya", false},
	{"\\*", "*", true},   {"\\*", "a", false},     {"**a", "ba", true},   {"a**", "a", true},
};

static void
test_globs(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++)
		if (sl_glob(globs[i].pattern, globs[i].text) != globs[i].fits)
			fail_msg("%s %s", globs[i].pattern, globs[i].text);
}

static void
test_nearest(void **unused)
{
	static const char *const names[] = {"finishedAdd1", "startingTake1", "startingTake2", "go"};

	(void)unused;
	assert_string_equal(sl_nearest("finishedAd1", names, 4), "finishedAdd1");
	assert_string_equal(sl_nearest("startingtake2", names, 4), "startingTake2");
	assert_string_equal(sl_nearest("finished", names, 4), "finishedAdd1");
	assert_string_equal(sl_nearest("og", names, 4) ? sl_nearest("og", names, 4) : "none", "none");
	assert_null(sl_nearest("nothing like it", names, 4));
	assert_string_equal(sl_nearest("rnu", (const char *[]){"run"}, 1), "run"); /* one slip */
	assert_null(sl_nearest("nur", (const char *[]){"run"}, 1));
	assert_null(sl_nearest("x", names, 0));
}

/* the message about it */
static const struct {
	const char *name, *names[6], *hint;
} hints[] = {
	{"finishedAd1", {"go", "finishedAdd1"}, "; did you mean `finishedAdd1`?"},
	/* all names if there are few, rather than one that is near only because it is short */
	{"b", {"a"}, "; there is `a`"},
	{"o9", {"o1", "o2"}, "; there are `o1` and `o2`"},
	{"x", {"a", "b", "c", "d"}, "; there are `a`, `b`, `c` and `d`"},
	{"x", {"b", "a", "b", "b", "a"}, "; there are `a` and `b`"},
	{"x", {"worker", "T1", "main", "t2"}, "; there are `main`, `T1`, `t2` and `worker`"},
	{"x", {"a", "b", "c", "d", "e"}, ""},
	{"workr", {"a", "b", "c", "d", "worker"}, "; did you mean `worker`?"},
	{"x", {NULL}, ""},
};

static void
test_hints(void **unused)
{
	char hint[SL_HINT], longest[2 * SL_HINT];

	(void)unused;
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		size_t count = 0;

		while (count < 6 && hints[i].names[count])
			count++;
		sl_hint(hints[i].name, hints[i].names, count, hint);
		assert_string_equal(hint, hints[i].hint);
	}
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	sl_hint("x", (const char *[]){longest, "b"}, 2, hint);
	assert_string_equal(hint, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prints),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_globs),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_hints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
