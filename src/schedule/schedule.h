/*
 * The schedule language: the order that a user means, as text, as a plan, and as a monitor that follows an execution.
 *
 *	text --parse--> sl_plan --start--> sl_monitor <--events-- the program
 *
 * A plan is a conjunction of orderings ("finishedAdd1 -> startingTake1") over atoms, which are patterns of events. What
 * it means is in docs/schedules.md. (The list of choices that an execution has made is another thing: base/chosen.h.)
 *
 * Used by the engine, inside the program under test, and by the command. So nothing here allocates, prints or keeps
 * anything of its own: memory comes from a pool that the caller gives.
 */
#ifndef SL_SCHEDULE_SCHEDULE_H
#define SL_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory, handed out from the front, never given back. */
struct sl_pool {
	char *at, *end;
};

/* Where in a text; lines and columns (in characters) from 1. */
struct sl_spot {
	uint32_t offset, line, column;
};

struct sl_complaint {
	struct sl_spot place;
	char text[240]; /* "expected an event, found `,`" */
};

/* ---- the plan ---- */

enum sl_event_kind {
	SL_EVENT_NAMED, /* sleave_event() */
	SL_EVENT_START,
	SL_EVENT_END,
	SL_EVENT_BLOCK,
	SL_EVENT_UNBLOCK,
	/* of the program's code, without an edit */
	SL_EVENT_ENTER,
	SL_EVENT_EXIT, /* of a function, or of a line */
	SL_EVENT_LINE,
	SL_EVENT_LOCK,
	SL_EVENT_UNLOCK,
	SL_EVENT_WAIT,
	SL_EVENT_SIGNAL,
	SL_EVENT_WRITE,
	SL_EVENT_READ,
	SL_EVENT_KINDS
};

#define SL_EVERY UINT32_MAX /* #* */

/* A pattern of events. Two that are written alike are the same atom of a plan. */
struct sl_atom {
	enum sl_event_kind kind;
	const char *name;    /* of the event, function, object or file; NULL for START … UNBLOCK */
	const char *object;  /* {object}; NULL: any */
	const char *thread;  /* a glob; NULL: any */
	uint32_t line;       /* LINE, and EXIT of one; else 0 */
	uint32_t occurrence; /* 0: not said, which is the first (BLOCK, UNBLOCK: any, as in the logic); SL_EVERY */
	uint32_t number;     /* among the plan's atoms */
	struct sl_spot place; /* where it is written first */
};

enum sl_formula_kind {
	SL_FORMULA_ATOM,
	SL_FORMULA_BLOCKED_EVENT, /* [a]: it has occurred, and its thread is blocked; or [t], if the name is a thread's */
	SL_FORMULA_BLOCKED_THREAD, /* [@t] */
	SL_FORMULA_NOT,
	SL_FORMULA_AND,
	SL_FORMULA_OR,
	SL_FORMULA_IMPLIES,
	SL_FORMULA_IFF,
	SL_FORMULA_BEFORE, /* left -> right */
};

struct sl_formula {
	enum sl_formula_kind kind;
	struct sl_atom *atom; /* ATOM, BLOCKED_EVENT */
	const char *thread;   /* BLOCKED_THREAD: a glob */
	struct sl_formula *left, *right;
	uint32_t
		number; /* among the plan's formulas, the whole tree; an ordering's own is less than those in it */
	bool plain; /* an ordering in the plain reading: the atoms on its left have occurred, rather than occur now */
	struct sl_spot from, to; /* what it is made of, in the text */
};

struct sl_plan {
	const char *name; /* "" if it has none */
	const char *text; /* all that was parsed, NUL-terminated */
	struct sl_formula **orderings;
	uint32_t ordering_count;
	struct sl_atom **atoms;
	uint32_t atom_count;
	uint32_t formula_count;
	bool blocks;          /* somebody must say who is blocked: START, END, BLOCK and UNBLOCK, of all threads */
	uint32_t kinds;       /* bit 1 << kind for each kind of event that is named */
	struct sl_plan *next; /* in the same file */
};

/*
 * Parses and checks. The text is a list of orderings, or `schedule "name" { … }` any number of times. Returns the first
 * plan, or NULL, and then `complaint` says what and where. The plan lives in the pool and does not refer to `text`.
 */
struct sl_plan *sl_plan_parse(const char *text, size_t length, struct sl_pool *pool,
			      struct sl_complaint *complaint);

/*
 * The text of a plan in the one layout there is. sl_plan_format() keeps the comments of a text, and returns 0 if there is
 * something wrong with it. All return how long it is, and write as much as there is room for, ended.
 */
size_t sl_plan_print(const struct sl_plan *plan, char *to, size_t room);
size_t sl_plan_format(const char *text, size_t length, struct sl_pool *pool, char *to, size_t room,
		      struct sl_complaint *complaint);
size_t sl_atom_print(const struct sl_atom *atom, char *to, size_t room);
size_t sl_formula_print(const struct sl_formula *formula, char *to, size_t room);

/* The nearest of the names, or NULL if none is near: "did you mean …?" */
const char *sl_nearest(const char *name, const char *const *names, size_t count);
/*
 * What to say of a name that there is not: "; did you mean `x`?"; if none is near, and there are few, all of them: "; there are
 * `x` and `y`"; or nothing.
 */
#define SL_HINT 512
#define SL_HINT_FEW 4
void sl_hint(const char *name, const char *const *names, size_t count, char hint[SL_HINT]);
bool sl_glob(const char *pattern, const char *text);

/* The first event, thread or object in the plan that there is not: the formula it stands in, and which of them; NULL: none. */
enum sl_name_kind { SL_NAME_EVENT, SL_NAME_THREAD, SL_NAME_OBJECT };
struct sl_known_names {
	bool (*is_event)(void *data, const char *name);
	bool (*is_thread)(void *data, const char *glob);
	bool (*is_object)(void *data, const char *name);
	void *data;
};
const struct sl_formula *sl_plan_unknown(const struct sl_plan *plan, const struct sl_known_names *known,
					 enum sl_name_kind *what);
bool sl_plan_has_event(const struct sl_plan *plan, const char *name); /* it is one of its own */

/* ---- the monitor ---- */

/*
 * Something that happens, or is about to. Names are compared by their text; that of a file may have folders before it.
 * START of a thread that lives already is its being named, and concerns that name alone.
 */
struct sl_event {
	enum sl_event_kind kind;
	uint32_t thread;         /* number: 0 is the first thread */
	uint32_t line;           /* LINE, and EXIT of one; else 0 */
	const char *thread_name; /* as it was named; NULL: it was not. `main`, `T1`, … it is always */
	const char *name;
	const char *object;
};

/*
 * The atoms that an event matches by its kind, name and line: worked out once for a place in the program, then used often,
 * whatever the thread and the object are. (Those are looked at when it happens, if an atom says something about them.)
 */
struct sl_match {
	uint32_t count;
	uint32_t atoms[13]; /* more than that: count is UINT32_MAX, and the long way is taken */
};

enum sl_leave {
	SL_MAY_GO,
	SL_WHEN_QUIET, /* when nothing else can go: every occurrence of something is to come before it */
	SL_NOT_YET,
};

enum sl_value { SL_FALSE, SL_TRUE, SL_OPEN }; /* open: it depends on what is to come */

struct sl_monitor;

/* A monitor of this plan in memory of the pool; NULL: no room. sl_monitor_reset() begins anew with nothing happened. */
struct sl_monitor *sl_monitor_new(const struct sl_plan *plan, struct sl_pool *pool);
void sl_monitor_reset(struct sl_monitor *monitor);
/* A thread that is there when it begins; after sl_monitor_reset(), before anything happens. No event. */
void sl_monitor_thread(struct sl_monitor *monitor, uint32_t thread, const char *name, bool blocked);
/* A thread had a number beyond those that can be followed, though the plan asks for it: its verdict is worth nothing. */
bool sl_monitor_lost(const struct sl_monitor *monitor);

void sl_monitor_match(const struct sl_monitor *monitor, const struct sl_event *event, struct sl_match *match);

/*
 * May it happen now? Nothing changes. NOT_YET: it would make an ordering false for good. WHEN_QUIET: it would make it
 * impossible that something else, which an ordering is about, still comes as it should. An ordering that is false for
 * good already holds nobody back. `match` may be NULL.
 */
enum sl_leave sl_monitor_asks(const struct sl_monitor *monitor, const struct sl_event *event,
			      const struct sl_match *match);
/* It happens now, whether it may or not (that is checking). Returns whether anybody who is held may go now. */
bool sl_monitor_happens(struct sl_monitor *monitor, const struct sl_event *event, const struct sl_match *match);

/* Both: it happens if it may. */
enum sl_leave sl_monitor_goes(struct sl_monitor *monitor, const struct sl_event *event,
			      const struct sl_match *match, bool *frees);

/* Of the atoms that it matches, those that ask for this thread and this object. (The name of either may change.) */
void sl_monitor_narrow(const struct sl_monitor *monitor, const struct sl_event *event, struct sl_match *match);
/* Does it make no difference any more whether such an event happens? Asked for after it has happened once. */
bool sl_monitor_settled(const struct sl_monitor *monitor, const struct sl_match *match);

/*
 * An atom of which an occurrence waits for no more than numbers of others, and nothing else is to be noted of it: then
 * threads can count by themselves, without anybody who puts all events in a row. The left side of such orderings never
 * becomes false again. What is in `left` has to be before each occurrence (last is SL_EVERY) or only the last; need 0: as
 * often as this one then will have. (A thread's first event has to be told, if threads are followed.)
 *
 * A shy one has to be told unless the monitor is calm: there are orderings for which every event is a moment, and the last
 * one may have been one of theirs. What is counted then, with everything before it looked at first, might as well
 * have been before that.
 */
#define SL_SWIFT_LEFT 4
struct sl_swift {
	uint32_t last; /* the occurrence beyond which there is nothing to count */
	bool frees;    /* others may wait for it */
	bool shy;
	uint32_t left_count;
	struct {
		uint32_t atom, need;
	} left[SL_SWIFT_LEFT];
};
bool sl_monitor_swift(const struct sl_monitor *monitor, uint32_t atom, struct sl_swift *swift);
/* … and this is what has come of it. */
void sl_monitor_counted(struct sl_monitor *monitor, uint32_t atom, uint32_t count);
bool sl_monitor_calm(const struct sl_monitor *monitor);

/*
 * How often something has changed so far. An event of the same thread, and with the same names, that may happen and changes nothing
 * will do so again, until something changes: it need not be told meanwhile. (What is counted as above changes nothing in
 * this sense: it only adds to what is true.)
 */
uint64_t sl_monitor_changes(const struct sl_monitor *monitor);

/* The whole plan, or one of its orderings, after what has happened. */
enum sl_value sl_monitor_value(const struct sl_monitor *monitor);
enum sl_value sl_monitor_ordering(const struct sl_monitor *monitor, uint32_t ordering);
/* … if nothing more happens: never open. */
bool sl_monitor_satisfied(const struct sl_monitor *monitor);
/* Which event made it false first: its number, from 1; 0: none did. And which ordering that was. */
uint64_t sl_monitor_broken(const struct sl_monitor *monitor, uint32_t *ordering);
/* Of how many occurrences it is the last: 2 of `a#2`. */
uint32_t sl_atom_needs(const struct sl_atom *atom);
/* How often it must have come when all is over, however the orderings turn out; 0: it need not. */
uint32_t sl_plan_needs(const struct sl_plan *plan, const struct sl_atom *atom);
/* How often the atom has occurred. */
uint32_t sl_monitor_count(const struct sl_monitor *monitor, const struct sl_atom *atom);
/* What a part of an ordering that is read literally is now, and for good. */
enum sl_value sl_monitor_formula(const struct sl_monitor *monitor, const struct sl_formula *formula);

/*
 * Why the event may not happen now: fills `orderings` with those that hold it back, up to `room`, and returns how many.
 * For each atom that such an ordering still waits for, wants() is called.
 */
uint32_t sl_monitor_holds(const struct sl_monitor *monitor, const struct sl_event *event, uint32_t *orderings,
			  uint32_t room);
void sl_monitor_wants(const struct sl_monitor *monitor, uint32_t ordering,
		      void (*wants)(void *data, const struct sl_formula *missing), void *data);

/*
 * All that distinguishes it from another state of the same plan: for recognising states, and for saving and restoring (copy
 * it back). Not in it: the number of events so far, and which broke it; that is in the other block, of fixed size.
 */
const void *sl_monitor_state(const struct sl_monitor *monitor, size_t *size);
const void *sl_monitor_past(const struct sl_monitor *monitor, size_t *size);

#endif
