/*
 * The schedule language: an order of events, as text, as a plan, and as a monitor that follows an execution.
 *
 *	text --parse--> sl_plan --start--> sl_monitor <--events-- the program
 *
 * A plan is a conjunction of orderings ("finishedAdd1 -> startingTake1") over atoms, which are patterns of events. What
 * it means is in docs/schedules.md. (The list of choices that an execution has made is another thing: base/chosen.h.)
 *
 * Used by the engine, inside the program under test, and by the command. So these functions neither allocate nor print, and have
 * no state of their own: memory comes from the caller's pool.
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
	/* events of the program's code, which need no change of it */
	SL_EVENT_ENTER,
	SL_EVENT_EXIT, /* from a function, or from a line */
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

/* A pattern of events. Equal patterns are the same atom of a plan. */
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
	bool blocks;          /* the monitor needs START, END, BLOCK and UNBLOCK of all threads */
	uint32_t kinds;       /* bit 1 << kind for each kind of event in the plan */
	struct sl_plan *next; /* in the same file */
};

/*
 * Parses and checks. The text is a list of orderings, or `schedule "name" { … }` any number of times. Returns the first
 * plan, or NULL, and then `complaint` says what and where. The plan lives in the pool and does not refer to `text`.
 */
struct sl_plan *sl_plan_parse(const char *text, size_t length, struct sl_pool *pool,
			      struct sl_complaint *complaint);

/*
 * The text of a plan in the canonical layout. sl_plan_format() keeps the comments of a text, and returns 0 if the text has an
 * error. All return the length of the text, and write as much of it as there is room for, terminated.
 */
size_t sl_plan_print(const struct sl_plan *plan, char *to, size_t room);
size_t sl_plan_format(const char *text, size_t length, struct sl_pool *pool, char *to, size_t room,
		      struct sl_complaint *complaint);
size_t sl_atom_print(const struct sl_atom *atom, char *to, size_t room);
size_t sl_formula_print(const struct sl_formula *formula, char *to, size_t room);

/* The nearest of the names, or NULL if none is near: "did you mean …?" */
const char *sl_nearest(const char *name, const char *const *names, size_t count);
/*
 * The hint for an unknown name: "; did you mean `x`?"; if no name is near, and there are few, all of them: "; there are
 * `x` and `y`"; or nothing.
 */
#define SL_HINT 512
#define SL_HINT_FEW 4
void sl_hint(const char *name, const char *const *names, size_t count, char hint[SL_HINT]);
bool sl_glob(const char *pattern, const char *text);

/* The first unknown name of an event, thread or object in the plan: returns its formula, and which of them it is; NULL: none. */
enum sl_name_kind { SL_NAME_EVENT, SL_NAME_THREAD, SL_NAME_OBJECT };
struct sl_known_names {
	bool (*is_event)(void *data, const char *name);
	bool (*is_thread)(void *data, const char *glob);
	bool (*is_object)(void *data, const char *name);
	void *data;
};
const struct sl_formula *sl_plan_unknown(const struct sl_plan *plan, const struct sl_known_names *known,
					 enum sl_name_kind *what);
bool sl_plan_has_event(const struct sl_plan *plan, const char *name);

/* ---- the monitor ---- */

/*
 * An event that happens, or is about to. Names are compared by their text; that of a file may have folders before it.
 * START of a living thread means that it gets this name, and concerns only that name.
 */
struct sl_event {
	enum sl_event_kind kind;
	uint32_t thread;         /* number: 0 is the first thread */
	uint32_t line;           /* LINE, and EXIT of one; else 0 */
	const char *thread_name; /* the thread's given name, besides `main`, `T1`, …; NULL: it has none */
	const char *name;
	const char *object;
};

/*
 * The atoms that an event matches by its kind, name and line: computed once for a place in the program, then used often,
 * for any thread and object. (If an atom has a thread or an object, they are compared when the event happens.)
 */
struct sl_match {
	uint32_t count;
	uint32_t atoms[13]; /* if there are more, count is UINT32_MAX, and all atoms are searched */
};

enum sl_leave {
	SL_MAY_GO,
	SL_WHEN_QUIET, /* when no other thread can run: every occurrence of another event should come before it */
	SL_NOT_YET,
};

enum sl_value { SL_FALSE, SL_TRUE, SL_OPEN }; /* open: it depends on later events */

struct sl_monitor;

/* A monitor of this plan in memory of the pool; NULL: no room. sl_monitor_reset() sets it back to the state without events. */
struct sl_monitor *sl_monitor_new(const struct sl_plan *plan, struct sl_pool *pool);
void sl_monitor_reset(struct sl_monitor *monitor);
/* Adds a thread that exists at the beginning; after sl_monitor_reset(), before any event. This is no event. */
void sl_monitor_thread(struct sl_monitor *monitor, uint32_t thread, const char *name, bool blocked);
/* Returns true if a thread's number is too large to be followed, though the plan needs it: then the verdict is not valid. */
bool sl_monitor_lost(const struct sl_monitor *monitor);

void sl_monitor_match(const struct sl_monitor *monitor, const struct sl_event *event, struct sl_match *match);

/*
 * Returns whether the event may happen now, and changes nothing. NOT_YET: it would make an ordering false for good.
 * WHEN_QUIET: it would make it impossible that another event of an ordering still comes in order. An ordering that is
 * already false for good holds no thread back. `match` may be NULL.
 */
enum sl_leave sl_monitor_asks(const struct sl_monitor *monitor, const struct sl_event *event,
			      const struct sl_match *match);
/* The event happens now, allowed or not (checking). Returns whether a held thread may go now. */
bool sl_monitor_happens(struct sl_monitor *monitor, const struct sl_event *event, const struct sl_match *match);

/* Both: the event happens if it may. */
enum sl_leave sl_monitor_goes(struct sl_monitor *monitor, const struct sl_event *event,
			      const struct sl_match *match, bool *frees);

/* Keeps of the matching atoms those that are about this thread and this object. (The name of either may change.) */
void sl_monitor_narrow(const struct sl_monitor *monitor, const struct sl_event *event, struct sl_match *match);
/* Returns whether further events of this kind make no difference. To be called after the event has happened once. */
bool sl_monitor_settled(const struct sl_monitor *monitor, const struct sl_match *match);

/*
 * A swift atom: its occurrences wait only for numbers of occurrences of other atoms, and only their number matters. Threads
 * can count such events by themselves, without a total order of all events. The left side of such orderings never
 * becomes false again. The atoms in `left` must occur before each occurrence (last is SL_EVERY) or only before the last
 * one; need 0: as often as this atom then has occurred. (A thread's first event must be passed to the monitor, if threads
 * are followed.)
 *
 * A shy atom must be passed to the monitor unless the monitor is calm: there are orderings for which every event is a
 * moment, and the last moment may have changed one. An event that is counted while the monitor is calm might as well have
 * happened before that moment.
 */
#define SL_SWIFT_LEFT 4
struct sl_swift {
	uint32_t last; /* the occurrence beyond which there is nothing to count */
	bool frees;    /* other events may wait for it */
	bool shy;
	uint32_t left_count;
	struct {
		uint32_t atom, need;
	} left[SL_SWIFT_LEFT];
};
bool sl_monitor_swift(const struct sl_monitor *monitor, uint32_t atom, struct sl_swift *swift);
/* Stores the number of occurrences that the threads have counted. */
void sl_monitor_counted(struct sl_monitor *monitor, uint32_t atom, uint32_t count);
bool sl_monitor_calm(const struct sl_monitor *monitor);

/*
 * The number of changes so far. An event that may happen and changes nothing need not be passed to the monitor again, for the same
 * thread and names, until this number changes. (Events that threads count change nothing in this sense: they cannot make anything
 * false.)
 */
uint64_t sl_monitor_changes(const struct sl_monitor *monitor);

/* The value of the whole plan, or of one of its orderings, after the events so far. */
enum sl_value sl_monitor_value(const struct sl_monitor *monitor);
enum sl_value sl_monitor_ordering(const struct sl_monitor *monitor, uint32_t ordering);
/* The same if no more events happen: never open. */
bool sl_monitor_satisfied(const struct sl_monitor *monitor);
/* The number of the event, from 1, that first made an ordering false, and that ordering; 0: none did. */
uint64_t sl_monitor_broken(const struct sl_monitor *monitor, uint32_t *ordering);
/* The occurrence that the atom means: 2 for `a#2`. */
uint32_t sl_atom_needs(const struct sl_atom *atom);
/* How often the atom must have occurred at the end, independent of the orderings; 0: it need not occur. */
uint32_t sl_plan_needs(const struct sl_plan *plan, const struct sl_atom *atom);
/* How often the atom has occurred. */
uint32_t sl_monitor_count(const struct sl_monitor *monitor, const struct sl_atom *atom);
/* The value of a part of a literal ordering, now and for good. */
enum sl_value sl_monitor_formula(const struct sl_monitor *monitor, const struct sl_formula *formula);

/*
 * Explains why the event may not happen now: stores the orderings that hold it back, up to `room`, and returns their number.
 * Calls wants() for each atom that such an ordering still waits for.
 */
uint32_t sl_monitor_holds(const struct sl_monitor *monitor, const struct sl_event *event, uint32_t *orderings,
			  uint32_t room);
void sl_monitor_wants(const struct sl_monitor *monitor, uint32_t ordering,
		      void (*wants)(void *data, const struct sl_formula *missing), void *data);

/*
 * The state of the monitor: for recognising states, and for saving and restoring (by copying it back). The number of events so
 * far, and the one that broke the plan, are not in it, but in the other block, which has a fixed size.
 */
const void *sl_monitor_state(const struct sl_monitor *monitor, size_t *size);
const void *sl_monitor_past(const struct sl_monitor *monitor, size_t *size);

#endif
