#include "paths/path_search.h"

#include "base/index.h"

#include <errno.h>

#define STATES_DEFAULT (4ul << 20)
#define PERIOD_MAX 16
#define BROKEN_MAX 64
#define NO_STATE SIZE_MAX
#define ROUNDS 3 /* so often a loop may observe the same before it is not unrolled any further */

enum status { NOT_STARTED, RUNS, SLEEPS, AT_BARRIER, OVER };

/*
 * A state: a word for each thread (its node, its status), the contents of each place, and for each object a word: of a lock the
 * holder plus one and how often it holds it, or READERS and how many they are; the value of a semaphore; the threads at a barrier.
 */
#define STATUS_BITS 3
#define READERS 0x80000000u
#define DEPTH 16

struct choice {
	uint32_t thread, wakes; /* wakes: the thread that its signal wakes, plus one */
};

struct frame {
	size_t state, steps; /* where its state begins; how many steps led to it */
	size_t choices;      /* where its choices begin */
	uint32_t count, next;
	bool entered;
};

/* What a thread may still do from a node on. */
struct future {
	uint64_t *touches, *writes, *joins; /* sets: of places, objects and threads, and of threads */
	bool exits;
};

enum asked { NOTHING, START, BEYOND, COMBINATION };

/* The identity of a state. */
struct visited {
	uint64_t a, b;
};

struct sl_path_search {
	struct sl_behaviour *b;
	struct sl_path_search_options options;
	struct sl_index executed, tried; /* combinations */
	struct {
		uint64_t *items; /* places in the code */
		size_t count, capacity;
		struct sl_index by_place;
	} rolled;
	struct {
		enum asked what;
		uint64_t combination;
		size_t steps, followed;
		unsigned broken; /* so often the execution was */
		bool again;      /* it is asked once more */
	} question;
	/* a pass */
	bool passing, limited, over;
	uint64_t grown, built; /* of the behaviour when it began */
	uint32_t threads, places, objects, nodes;
	size_t width; /* words of a state */
	size_t wide;  /* words of a set */
	uint64_t *sets;
	bool *exits;
	/*
	 * By node: what it is and what may follow, as a number; of a JOIN behind others the first of them (0: there is none). By thread: equal
	 * for those that may be exchanged; and what identify() collects.
	 */
	uint64_t *shapes, *alike, *held;
	uint32_t *joins;
	uint32_t *words;
	size_t word_count, word_capacity;
	struct {
		struct frame *items;
		size_t count, capacity;
	} frames;
	struct choice *choices;
	size_t choice_count, choice_capacity;
	struct sl_path_step *steps;
	size_t step_count, step_capacity;
	struct {
		struct visited *slots; /* a hash table */
		size_t count, capacity;
	} visited;
	uint64_t unreached, combinations;
	bool *in_set, *best_set;
};

/* ---- states ---- */

static uint32_t *
thread_at(uint32_t *state, uint32_t thread)
{
	return &state[thread];
}

/* A thread that was created before anything was known of it has the word of node 0. */
static uint32_t
node_of(const struct sl_path_search *s, const uint32_t *state, uint32_t thread)
{
	uint32_t node = state[thread] >> STATUS_BITS;

	return node ? node : sl_behaviour_root(s->b, thread);
}

static enum status
status_of(const uint32_t *state, uint32_t thread)
{
	return (enum status)(state[thread] & ((1u << STATUS_BITS) - 1));
}

static void
put(uint32_t *state, uint32_t thread, uint32_t node, enum status status)
{
	*thread_at(state, thread) = node << STATUS_BITS | status;
}

static const struct sl_path_node *
next_of(const struct sl_path_search *s, const uint32_t *state, uint32_t thread)
{
	return sl_behaviour_node(s->b, node_of(s, state, thread));
}

static uint32_t *
contents(const struct sl_path_search *s, uint32_t *state)
{
	return state + s->threads;
}

static uint32_t *
object_word(const struct sl_path_search *s, uint32_t *state, uint32_t object)
{
	return state + s->threads + s->places + object;
}

/* ---- what the next operation of a thread needs, and does ---- */

enum ability {
	WAITS,
	GOES,
	GOES_BEYOND, /* what follows was never seen */
	NEVER,       /* it has ended, or nothing more can be known of it */
};

static bool
is_free_for(uint32_t word, uint32_t thread)
{
	return !word || (!(word & READERS) && (word & ((1u << DEPTH) - 1)) == thread + 1);
}

static enum ability
known(const struct sl_path_search *s, uint32_t node, uint64_t seen)
{
	uint32_t after = sl_behaviour_after(s->b, node, seen);

	if (!after)
		return GOES_BEYOND;
	return sl_behaviour_node(s->b, after)->act == SL_ACT_SPINS ? WAITS : GOES;
}

static enum ability
look(const struct sl_path_search *s, uint32_t *state, uint32_t thread, uint64_t *seen)
{
	uint32_t node = node_of(s, state, thread);
	const struct sl_path_node *n = sl_behaviour_node(s->b, node);
	enum status status = status_of(state, thread);
	uint32_t word;

	*seen = 0;
	if (status == NOT_STARTED || status == OVER)
		return NEVER;
	if (status == SLEEPS || status == AT_BARRIER)
		return WAITS;
	word = *object_word(s, state, n->object);
	switch ((enum sl_act)n->act) {
	case SL_ACT_UNKNOWN:
		return GOES_BEYOND;
	case SL_ACT_READ:
	case SL_ACT_UPDATE:
		if (!sl_behaviour_observe(s->b, n, contents(s, state), seen))
			return GOES_BEYOND;
		break;
	case SL_ACT_LOCK:
		if (!is_free_for(word, thread))
			return WAITS;
		break;
	case SL_ACT_READ_LOCK:
		if (word && !(word & READERS))
			return WAITS;
		break;
	case SL_ACT_TRY_LOCK:
		*seen = is_free_for(word, thread) ? 0 : EBUSY;
		break;
	case SL_ACT_COND_RELOCK:
		if (word && !n->second)
			return WAITS;
		break;
	case SL_ACT_SEM_WAIT:
		if (!word)
			return WAITS;
		break;
	case SL_ACT_SEM_TRY:
		*seen = word ? 0 : EAGAIN;
		break;
	case SL_ACT_SEM_VALUE:
		*seen = word;
		break;
	case SL_ACT_BARRIER_WAIT: {
		uint64_t needed;

		sl_behaviour_initial(s->b, n->object, &needed);
		*seen = word + 1 == needed;
		break;
	}
	case SL_ACT_JOIN:
		if (status_of(state, n->second) != OVER)
			return WAITS;
		*seen = sl_behaviour_node(s->b, next_of(s, state, n->second)->parent)->value;
		break;
	case SL_ACT_FAIL:
	case SL_ACT_CUT:
	case SL_ACT_SPINS:
		return NEVER;
	default:
		break;
	}
	return known(s, node, *seen);
}

static void
write_parts(struct sl_path_search *s, uint32_t *state, const struct sl_path_node *n, uint64_t value)
{
	const struct sl_path_part *parts = sl_behaviour_part(s->b, n->parts);
	uint32_t *at = contents(s, state);

	for (uint32_t i = 0; i < n->part_count; i++)
		at[parts[i].place] = sl_behaviour_write(s->b, at[parts[i].place], parts[i].mask,
							sl_behaviour_share(parts, i, value, n->opaque), n->opaque);
}

static void
release(uint32_t *word)
{
	if (*word & READERS)
		*word = *word == (READERS | 1) ? 0 : *word - 1;
	else if (*word)
		*word = *word >> DEPTH == 1 ? 0 : *word - (1u << DEPTH);
}

static void
take(uint32_t *word, uint32_t thread)
{
	*word = *word ? *word + (1u << DEPTH) : (thread + 1) | 1u << DEPTH;
}

static void
wake(const struct sl_path_search *s, uint32_t *state, uint32_t object, enum status from, uint32_t only)
{
	for (uint32_t i = 0; i < s->threads; i++) {
		uint32_t node = node_of(s, state, i);

		if (status_of(state, i) != from || (only && i + 1 != only))
			continue;
		if (sl_behaviour_node(s->b, sl_behaviour_node(s->b, node)->parent)->object == object)
			put(state, i, node, RUNS);
	}
}

/* Does a wait for this condition sleep? The first such thread from `from` on, plus one; 0: none. */
static uint32_t
sleeper(const struct sl_path_search *s, const uint32_t *state, uint32_t object, uint32_t from)
{
	for (uint32_t i = from; i < s->threads; i++)
		if (status_of(state, i) == SLEEPS &&
		    sl_behaviour_node(s->b, next_of(s, state, i)->parent)->object == object)
			return i + 1;
	return 0;
}

/* Performs the next operation of a thread that goes. */
static void
perform(struct sl_path_search *s, uint32_t *state, uint32_t thread, uint64_t seen, uint32_t wakes)
{
	uint32_t node = node_of(s, state, thread), after = sl_behaviour_after(s->b, node, seen);
	const struct sl_path_node *n = sl_behaviour_node(s->b, node);
	uint32_t *word = object_word(s, state, n->object);
	enum status status = RUNS;

	switch ((enum sl_act)n->act) {
	case SL_ACT_WRITE:
		write_parts(s, state, n, n->value);
		break;
	case SL_ACT_UPDATE:
		write_parts(s, state, n, sl_behaviour_node(s->b, after)->wrote);
		break;
	case SL_ACT_LOCK:
		take(word, thread);
		break;
	case SL_ACT_COND_RELOCK:
		if (!n->second)
			take(word, thread);
		break;
	case SL_ACT_READ_LOCK:
		*word = *word ? *word + 1 : READERS | 1;
		break;
	case SL_ACT_TRY_LOCK:
		if (!seen)
			take(word, thread);
		break;
	case SL_ACT_UNLOCK:
		release(word);
		break;
	case SL_ACT_COND_WAIT:
		release(object_word(s, state, n->second));
		status = SLEEPS;
		break;
	case SL_ACT_SIGNAL:
		if (wakes)
			wake(s, state, n->object, SLEEPS, wakes);
		break;
	case SL_ACT_BROADCAST:
		wake(s, state, n->object, SLEEPS, 0);
		break;
	case SL_ACT_SEM_WAIT:
		--*word;
		break;
	case SL_ACT_SEM_TRY:
		*word -= !seen;
		break;
	case SL_ACT_SEM_POST:
		++*word;
		break;
	case SL_ACT_BARRIER_WAIT:
		*word = seen ? 0 : *word + 1;
		if (seen)
			wake(s, state, n->object, AT_BARRIER, 0);
		else
			status = AT_BARRIER;
		break;
	case SL_ACT_CREATE:
		put(state, n->second, sl_behaviour_root(s->b, n->second), RUNS);
		break;
	case SL_ACT_END:
	case SL_ACT_EXIT:
		status = OVER;
		break;
	default:
		break;
	}
	put(state, thread, after, status);
}

static void
step(struct sl_path_search *s, const uint32_t *state, uint32_t thread, uint32_t wakes)
{
	const struct sl_path_node *n = next_of(s, state, thread);

	/* if there is only one nothing is to be chosen */
	if (wakes && !sleeper(s, state, n->object, wakes) && sleeper(s, state, n->object, 0) == wakes)
		wakes = 0;
	s->steps = sl_room_for(s->steps, s->step_count, &s->step_capacity, sizeof(*s->steps));
	s->steps[s->step_count++] = (struct sl_path_step){
		.thread = sl_behaviour_origin(s->b, thread),
		.index = n->act == SL_ACT_UNKNOWN ? SL_PATH_FAR : n->index,
		.wakes = wakes ? sl_behaviour_origin(s->b, wakes - 1) : 0,
	};
}

/* Does the execution fail as soon as the thread has performed its next operation? */
static bool
fails(const struct sl_path_search *s, uint32_t *state, uint32_t thread)
{
	const struct sl_path_node *n = next_of(s, state, thread);
	uint32_t after;
	uint64_t seen;

	if (look(s, state, thread, &seen) != GOES)
		return false;
	after = n->act == SL_ACT_CREATE ? sl_behaviour_root(s->b, n->second)
					: sl_behaviour_after(s->b, node_of(s, state, thread), seen);
	return sl_behaviour_node(s->b, after)->act == SL_ACT_FAIL;
}

/* Only its own thread can tell when such an operation is performed, or it only enables others. */
static bool
is_prompt(const struct sl_path_search *s, const struct sl_path_node *n)
{
	switch ((enum sl_act)n->act) {
	case SL_ACT_CREATE:
	case SL_ACT_JOIN:
	case SL_ACT_END:
	case SL_ACT_BARRIER_LEAVE:
		return true;
	case SL_ACT_UNLOCK:
		return !sl_behaviour_examined(s->b, n->object);
	default:
		return false;
	}
}

static bool
has_failed(const struct sl_path_search *s, const uint32_t *state)
{
	for (uint32_t i = 0; i < s->threads; i++)
		if (status_of(state, i) == RUNS && next_of(s, state, i)->act == SL_ACT_FAIL)
			return true;
	return false;
}

static bool
has_exited(const struct sl_path_search *s, const uint32_t *state)
{
	for (uint32_t i = 0; i < s->threads; i++)
		if (status_of(state, i) == OVER &&
		    sl_behaviour_node(s->b, next_of(s, state, i)->parent)->act == SL_ACT_EXIT)
			return true;
	return false;
}

static void
go_on(struct sl_path_search *s, uint32_t *state)
{
	for (bool any = true; any;) {
		any = false;
		for (uint32_t i = 0; i < s->threads; i++) {
			uint64_t seen;

			while (is_prompt(s, next_of(s, state, i)) && look(s, state, i, &seen) == GOES &&
			       !fails(s, state, i)) {
				step(s, state, i, 0);
				perform(s, state, i, seen, 0);
				any = true;
			}
		}
	}
}

/*
 * What a state is, without what makes no difference: a node counts by what may follow it and by the path that led to it, and threads that are
 * alike may be exchanged.
 */
static void
identify(const struct sl_path_search *s, const uint32_t *state, uint64_t *a, uint64_t *b)
{
	uint64_t threads = 0, more = 0;

	for (uint32_t i = 0; i < s->threads; i++) {
		uint32_t node = node_of(s, state, i);
		enum status status = status_of(state, i);
		uint64_t x;

		if (status == OVER) /* by its END, which knows the path */
			node = sl_behaviour_node(s->b, node)->parent;
		x = node < s->nodes ? s->shapes[node] : sl_join(node, 1);
		if (node < s->nodes && s->joins[node] && status == RUNS)
			x = s->shapes[s->joins[node]];
		x = sl_join(sl_join(x, status), s->alike[i]);
		if (status == SLEEPS || status == AT_BARRIER)
			x = sl_join(x, sl_behaviour_node(s->b, sl_behaviour_node(s->b, node)->parent)->object);
		s->held[i] = x;
	}
	*a = 1;
	*b = 2;
	for (uint32_t i = s->threads; i < s->width; i++) {
		uint64_t word = state[i];

		if (i >= s->threads + s->places && word && !(word & READERS) && word >> DEPTH) {
			uint32_t holder = (uint32_t)(word & ((1u << DEPTH) - 1)) - 1;

			s->held[holder] = sl_join(s->held[holder], (uint64_t)i << 32 | word >> DEPTH);
			word = 1;
		}
		*a = (*a ^ word) * 0x9e3779b97f4a7c15u;
		*a ^= *a >> 29;
		*b = (*b + word) * 0xd6e8feb86659fd93u;
		*b ^= *b >> 32;
	}
	for (uint32_t i = 0; i < s->threads; i++) {
		threads += sl_mix(s->held[i]);
		more += sl_mix(s->held[i] ^ 0x5bf03635u) | 1;
	}
	*a = sl_join(*a, threads) | 1;
	*b = sl_join(*b, more);
}

static bool
visit(struct sl_path_search *s, const uint32_t *state)
{
	uint64_t a, b;
	size_t at, mask;

	identify(s, state, &a, &b);
	if (s->visited.count * 3 >= s->visited.capacity * 2) {
		size_t capacity = s->visited.capacity ? 2 * s->visited.capacity : 1024;
		struct visited *more = sl_room_zeroed(capacity, sizeof(*more));

		for (size_t i = 0; i < s->visited.capacity; i++) {
			if (!s->visited.slots[i].a)
				continue;
			for (at = s->visited.slots[i].a & (capacity - 1); more[at].a;)
				at = (at + 1) & (capacity - 1);
			more[at] = s->visited.slots[i];
		}
		free(s->visited.slots);
		s->visited.slots = more;
		s->visited.capacity = capacity;
	}
	mask = s->visited.capacity - 1;
	for (at = a & mask; s->visited.slots[at].a; at = (at + 1) & mask)
		if (s->visited.slots[at].a == a && s->visited.slots[at].b == b)
			return false;
	s->visited.slots[at] = (struct visited){a, b};
	s->visited.count++;
	return true;
}

/* ---- what threads may still do ---- */

static void
add_bit(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= 1ul << bit % 64;
}

static bool
has_bit(const uint64_t *set, uint32_t bit)
{
	return set[bit / 64] >> bit % 64 & 1;
}

static struct future
future_of(const struct sl_path_search *s, uint32_t node)
{
	uint64_t *at = s->sets + (size_t)node * 3 * s->wide;

	return (struct future){at, at + s->wide, at + 2 * s->wide, s->exits[node]};
}

static void
own_sets(const struct sl_path_search *s, const struct sl_path_node *n, uint64_t *touches, uint64_t *writes)
{
	const struct sl_path_part *parts = sl_behaviour_part(s->b, n->parts);

	for (uint32_t i = 0; i < n->part_count; i++) {
		add_bit(touches, parts[i].place);
		if (n->act != SL_ACT_READ)
			add_bit(writes, parts[i].place);
	}
	switch ((enum sl_act)n->act) {
	case SL_ACT_UNKNOWN:
	case SL_ACT_READ:
	case SL_ACT_WRITE:
	case SL_ACT_UPDATE:
	case SL_ACT_CREATE:
	case SL_ACT_BARRIER_LEAVE:
	case SL_ACT_EXIT:
	case SL_ACT_PASS:
	case SL_ACT_FAIL:
	case SL_ACT_CUT:
	case SL_ACT_SPINS:
		return;
	case SL_ACT_JOIN:
		add_bit(touches, s->places + s->objects + n->second);
		return;
	case SL_ACT_END:
		add_bit(touches, s->places + s->objects + n->thread);
		add_bit(writes, s->places + s->objects + n->thread);
		return;
	case SL_ACT_COND_WAIT:
		add_bit(touches, s->places + n->second);
		add_bit(writes, s->places + n->second);
		break;
	default:
		break;
	}
	add_bit(touches, s->places + n->object);
	add_bit(writes, s->places + n->object);
}

static void
foresee_node(struct sl_path_search *s, uint32_t number)
{
	const struct sl_path_node *n = sl_behaviour_node(s->b, number);
	struct future f = future_of(s, number);
	bool first = true;

	for (uint32_t child = n->child; child; child = sl_behaviour_node(s->b, child)->sibling) {
		struct future g = future_of(s, child);

		for (size_t i = 0; i < s->wide; i++) {
			f.touches[i] |= g.touches[i];
			f.writes[i] |= g.writes[i];
		}
		if (g.exits) {
			for (size_t i = 0; i < s->wide; i++)
				f.joins[i] = first ? g.joins[i] : f.joins[i] & g.joins[i];
			first = false;
			s->exits[number] = true;
		}
	}
	if (n->act == SL_ACT_JOIN)
		add_bit(f.joins, n->second);
	if (n->act == SL_ACT_EXIT)
		s->exits[number] = true;
	own_sets(s, n, f.touches, f.writes);
	if (n->act == SL_ACT_CREATE && sl_behaviour_root(s->b, n->second)) {
		struct future g = future_of(s, sl_behaviour_root(s->b, n->second));

		for (size_t i = 0; i < s->wide; i++) {
			f.touches[i] |= g.touches[i];
			f.writes[i] |= g.writes[i];
		}
	}
}

/* ---- what is alike ---- */

static uint64_t
shape_of(const struct sl_path_search *s, uint32_t number)
{
	const struct sl_path_node *n = sl_behaviour_node(s->b, number);
	const struct sl_path_part *parts = sl_behaviour_part(s->b, n->parts);
	uint64_t shape = sl_join(sl_join(n->act | (uint64_t)n->opaque << 8, n->pc), n->path), children = 0;

	if (n->act == SL_ACT_WRITE || n->act == SL_ACT_END)
		shape = sl_join(shape, n->value);
	shape = sl_join(sl_join(sl_join(shape, n->object), n->second), n->index);
	for (uint32_t i = 0; i < n->part_count; i++)
		shape = sl_join(shape, (uint64_t)parts[i].place << 8 | parts[i].mask);
	for (uint32_t child = n->child; child; child = sl_behaviour_node(s->b, child)->sibling) {
		const struct sl_path_node *c = sl_behaviour_node(s->b, child);

		children += sl_join(sl_join(c->seen, c->wrote), s->shapes[child]);
	}
	return sl_join(shape, children);
}

/*
 * Threads may be exchanged if they do the same, one thread has created them, and they are joined one directly after the other. What they were
 * never seen to do may differ, but then a pass sees that, and in the next one they are not alike.
 */
static void
find_alike(struct sl_path_search *s)
{
	s->shapes = sl_must(realloc(s->shapes, s->nodes * sizeof(*s->shapes)));
	s->joins = sl_must(realloc(s->joins, s->nodes * sizeof(*s->joins)));
	s->alike = sl_must(realloc(s->alike, (s->threads + 1) * sizeof(*s->alike)));
	s->held = sl_must(realloc(s->held, (s->threads + 1) * sizeof(*s->held)));
	memset(s->alike, 0, (s->threads + 1) * sizeof(*s->alike));
	s->shapes[0] = 1;
	s->joins[0] = 0;
	for (uint32_t i = s->nodes; --i;)
		s->shapes[i] = shape_of(s, i);
	for (uint32_t i = 1; i < s->nodes; i++) {
		const struct sl_path_node *n = sl_behaviour_node(s->b, i);

		s->joins[i] = 0;
		if (n->act == SL_ACT_JOIN) {
			s->joins[i] = s->joins[n->parent] ? s->joins[n->parent] : i;
			s->alike[n->second] += sl_join(s->joins[i], 5);
		}
		if (n->act == SL_ACT_CREATE)
			s->alike[n->second] += sl_join(n->thread, 6);
	}
	for (uint32_t i = 0; i < s->threads; i++) {
		uint32_t root = sl_behaviour_root(s->b, i);

		s->alike[i] = root ? sl_join(s->alike[i], s->shapes[root]) : sl_join(i, 7);
	}
}

/* Children have greater numbers than their parents, but threads may be created by threads of any number. */
static void
foresee(struct sl_path_search *s)
{
	uint32_t *heads = sl_room_zeroed(s->threads, sizeof(*heads)),
		 *links = sl_room_zeroed(s->nodes, sizeof(*links));

	s->sets = sl_must(realloc(s->sets, (size_t)s->nodes * 3 * s->wide * sizeof(*s->sets) + 8));
	memset(s->sets, 0, (size_t)s->nodes * 3 * s->wide * sizeof(*s->sets));
	s->exits = sl_must(realloc(s->exits, s->nodes));
	memset(s->exits, 0, s->nodes);
	for (uint32_t i = 1; i < s->nodes; i++) {
		uint32_t thread = sl_behaviour_node(s->b, i)->thread;

		links[i] = heads[thread];
		heads[thread] = i;
	}
	/* twice: a thread that creates one with a lower number has what that one does in the second round */
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t thread = s->threads; thread--;)
			for (uint32_t i = heads[thread]; i; i = links[i])
				foresee_node(s, i);
	free(heads);
	free(links);
}

/* ---- persistent sets ---- */

static bool
meet(const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

static bool
is_new(const struct sl_path_search *s, uint32_t node)
{
	return node >= s->nodes;
}

/* Can anything that `other` may still do be dependent on the next operation of `thread`? */
static bool
may_depend(const struct sl_path_search *s, const uint32_t *state, uint32_t thread, const uint64_t *touches,
	   const uint64_t *writes, uint32_t other)
{
	uint32_t node = node_of(s, state, other);
	struct future f;

	if (is_new(s, node))
		return true;
	f = future_of(s, node);
	if (f.exits && !has_bit(f.joins, thread))
		return true;
	return meet(writes, f.touches, s->wide) || meet(touches, f.writes, s->wide);
}

/*
 * The set that begins with a thread; returns how many of its threads go.
 *
 * What ends the program is dependent on all that other threads do. A failure counts by the path of its thread alone, so it may be
 * put off until the others have gone as far as they can; the end of the program may not, because how far the others have come is a
 * part of the combination.
 */
static unsigned
gather(struct sl_path_search *s, uint32_t *state, uint32_t first, uint64_t *touches, uint64_t *writes)
{
	unsigned going = 0;
	bool any = true;

	memset(s->in_set, 0, s->threads);
	s->in_set[first] = true;
	while (any) {
		any = false;
		for (uint32_t i = 0; i < s->threads; i++) {
			const struct sl_path_node *n = next_of(s, state, i);
			bool everything = n->act == SL_ACT_UNKNOWN || n->act == SL_ACT_EXIT || fails(s, state, i);

			if (!s->in_set[i] || status_of(state, i) == OVER || status_of(state, i) == NOT_STARTED)
				continue;
			memset(touches, 0, s->wide * sizeof(*touches));
			memset(writes, 0, s->wide * sizeof(*writes));
			own_sets(s, n, touches, writes);
			if (status_of(state, i) == SLEEPS || status_of(state, i) == AT_BARRIER) {
				add_bit(touches, s->places + sl_behaviour_node(s->b, n->parent)->object);
				add_bit(writes, s->places + sl_behaviour_node(s->b, n->parent)->object);
			}
			for (uint32_t k = 0; k < s->threads; k++)
				if (!s->in_set[k] && status_of(state, k) != OVER &&
				    status_of(state, k) != NOT_STARTED &&
				    (everything || may_depend(s, state, i, touches, writes, k)))
					s->in_set[k] = any = true;
		}
	}
	for (uint32_t i = 0; i < s->threads; i++) {
		uint64_t seen;
		enum ability ability = s->in_set[i] ? look(s, state, i, &seen) : WAITS;

		going += ability == GOES || ability == GOES_BEYOND;
	}
	return going;
}

static void
choices_of(struct sl_path_search *s, struct frame *f)
{
	uint32_t *state = s->words + f->state;
	uint64_t *sets = sl_room_zeroed(2 * s->wide, sizeof(*sets)), seen;
	unsigned best = UINT32_MAX;

	f->choices = s->choice_count;
	for (uint32_t i = 0; i < s->threads && best > 1; i++) {
		enum ability ability = look(s, state, i, &seen);
		unsigned going;

		if (ability != GOES && ability != GOES_BEYOND)
			continue;
		going = gather(s, state, i, sets, sets + s->wide);
		if (going < best) {
			best = going;
			memcpy(s->best_set, s->in_set, s->threads);
		}
	}
	free(sets);
	for (uint32_t i = 0; i < s->threads && best != UINT32_MAX; i++) {
		const struct sl_path_node *n = next_of(s, state, i);
		enum ability ability = s->best_set[i] ? look(s, state, i, &seen) : WAITS;
		uint32_t wakes = 0;

		if (ability != GOES && ability != GOES_BEYOND)
			continue;
		do {
			if (n->act == SL_ACT_SIGNAL)
				wakes = sleeper(s, state, n->object, wakes);
			if (n->act == SL_ACT_SIGNAL && !wakes && s->choice_count > f->choices &&
			    s->choices[s->choice_count - 1].thread == i)
				break;
			s->choices =
				sl_room_for(s->choices, s->choice_count, &s->choice_capacity, sizeof(*s->choices));
			s->choices[s->choice_count++] = (struct choice){i, wakes};
		} while (wakes);
	}
	f->count = (uint32_t)(s->choice_count - f->choices);
}

/* ---- loops ---- */

static bool
is_same(const struct sl_path_search *s, uint32_t a, uint64_t seen_a, uint32_t b, uint64_t seen_b)
{
	const struct sl_path_node *x = sl_behaviour_node(s->b, a), *y = sl_behaviour_node(s->b, b);

	return seen_a == seen_b && x->pc == y->pc && x->act == y->act && x->object == y->object &&
	       x->part_count == y->part_count &&
	       (!x->part_count ||
		sl_behaviour_part(s->b, x->parts)->place == sl_behaviour_part(s->b, y->parts)->place);
}

/* Is this one more round of a loop that has observed the same in its last rounds? */
static bool
rolls(struct sl_path_search *s, uint32_t node, uint64_t seen)
{
	uint32_t history[PERIOD_MAX * ROUNDS + 1];
	uint64_t observed[PERIOD_MAX * ROUNDS + 1];
	unsigned count = 1;

	history[0] = node;
	observed[0] = seen;
	for (uint32_t i = node; count < PERIOD_MAX * ROUNDS + 1; count++) {
		const struct sl_path_node *n = sl_behaviour_node(s->b, i);

		if (!n->parent)
			break;
		history[count] = n->parent;
		observed[count] = n->seen;
		i = n->parent;
	}
	for (unsigned period = 1; period <= PERIOD_MAX && period * ROUNDS < count; period++) {
		unsigned i = 0;

		while (i + period < count && i < period * (ROUNDS - 1) + 1 &&
		       is_same(s, history[i], observed[i], history[i + period], observed[i + period]))
			i++;
		if (i == period * (ROUNDS - 1) + 1) {
			uint64_t pc = sl_behaviour_node(s->b, node)->pc,
				 *at = sl_index_at(&s->rolled.by_place, pc);

			if (!*at) {
				s->rolled.items = sl_room_for(s->rolled.items, s->rolled.count,
							      &s->rolled.capacity, sizeof(*s->rolled.items));
				s->rolled.items[s->rolled.count++] = pc;
				*at = 1;
			}
			return true;
		}
	}
	return false;
}

/* ---- a pass ---- */

static void
push(struct sl_path_search *s, size_t from)
{
	while (s->word_count + s->width > s->word_capacity) {
		s->word_capacity = s->word_capacity ? 2 * s->word_capacity : 4096;
		s->words = sl_must(realloc(s->words, s->word_capacity * sizeof(*s->words)));
	}
	s->frames.items =
		sl_room_for(s->frames.items, s->frames.count, &s->frames.capacity, sizeof(*s->frames.items));
	s->frames.items[s->frames.count++] = (struct frame){.state = s->word_count, .steps = s->step_count};
	if (from != NO_STATE)
		memcpy(s->words + s->word_count, s->words + from, s->width * sizeof(*s->words));
	else
		memset(s->words + s->word_count, 0, s->width * sizeof(*s->words));
	s->word_count += s->width;
}

static void
pop(struct sl_path_search *s)
{
	struct frame *f = &s->frames.items[--s->frames.count];

	s->word_count = f->state;
	if (f->entered)
		s->choice_count = f->choices;
}

static void
pass_begin(struct sl_path_search *s)
{
	s->passing = true;
	s->limited = false;
	s->grown = sl_behaviour_grown(s->b);
	s->built = sl_behaviour_built(s->b);
	s->threads = sl_behaviour_threads(s->b);
	s->places = sl_behaviour_places(s->b);
	s->objects = sl_behaviour_objects(s->b);
	s->nodes = sl_behaviour_nodes(s->b);
	s->width = s->threads + s->places + s->objects + 1;
	s->wide = (s->threads + s->places + s->objects + 63) / 64;
	s->in_set = sl_must(realloc(s->in_set, s->threads));
	s->best_set = sl_must(realloc(s->best_set, s->threads));
	memset(s->best_set, 0, s->threads);
	foresee(s);
	find_alike(s);
	s->frames.count = s->word_count = s->choice_count = s->step_count = 0;
	if (s->visited.count)
		memset(s->visited.slots, 0, s->visited.capacity * sizeof(*s->visited.slots));
	s->visited.count = 0;
	push(s, NO_STATE);
	put(s->words, 0, sl_behaviour_root(s->b, 0), RUNS);
	for (uint32_t i = 0; i < s->objects; i++) {
		uint64_t value;

		/* a barrier's word counts those that have arrived */
		if (sl_behaviour_initial(s->b, i, &value) && !sl_behaviour_gathers(s->b, i))
			*object_word(s, s->words, i) = (uint32_t)value;
	}
}

/* No thread goes. Returns whether an execution has to show this. */
static bool
is_news(struct sl_path_search *s, uint32_t *state)
{
	bool exited = has_exited(s, state), stuck = false;
	uint64_t c;

	for (uint32_t i = 0; i < s->threads; i++) {
		enum sl_act act = (enum sl_act)next_of(s, state, i)->act;

		if (status_of(state, i) == NOT_STARTED || status_of(state, i) == OVER)
			continue;
		if (act == SL_ACT_CUT || s->rolled.count)
			return false;
		stuck = true;
	}
	c = stuck && !exited ? SL_PATH_STUCK : SL_PATH_ENDED;
	for (uint32_t i = 0; i < s->threads; i++) {
		const struct sl_path_node *n = next_of(s, state, i);

		if (status_of(state, i) == NOT_STARTED)
			continue;
		if (status_of(state, i) == OVER)
			c = sl_path_combine(c, sl_behaviour_node(s->b, n->parent)->path, SL_PATH_OVER);
		else
			c = sl_path_combine(c, exited ? 0 : sl_behaviour_stop(s->b, node_of(s, state, i)),
					    exited ? SL_PATH_UNFINISHED : SL_PATH_WAITS);
	}
	c |= 1;
	s->question.combination = c;
	return !sl_index_get(&s->executed, c) && !sl_index_get(&s->tried, c);
}

static bool
is_stopped(const struct sl_path_search *s)
{
	return s->options.stop && __atomic_load_n(s->options.stop, __ATOMIC_RELAXED);
}

static bool
ask(struct sl_path_search *s, enum asked what)
{
	s->question.what = what;
	s->question.steps = s->step_count;
	s->question.broken = 0;
	return true;
}

/* The answer to what was asked; returns whether the pass goes on. */
static bool
is_answered(struct sl_path_search *s)
{
	enum asked what = s->question.what;

	s->question.what = NOTHING;
	if (what == START || s->built != sl_behaviour_built(s->b) || s->threads != sl_behaviour_threads(s->b) ||
	    s->places != sl_behaviour_places(s->b) || s->objects != sl_behaviour_objects(s->b)) {
		if (what == COMBINATION && !sl_index_get(&s->executed, s->question.combination) &&
		    s->built == sl_behaviour_built(s->b)) {
			s->unreached++;
			*sl_index_at(&s->tried, s->question.combination) = 1;
		}
		s->passing = false;
		return false;
	}
	if (what == COMBINATION && !sl_index_get(&s->executed, s->question.combination)) {
		s->unreached++;
		*sl_index_at(&s->tried, s->question.combination) = 1;
	}
	if (what == BEYOND) {
		struct frame *f = &s->frames.items[s->frames.count - 1];
		struct choice c = s->choices[f->choices + f->next];
		uint32_t *state = s->words + f->state;
		uint64_t seen;

		if (look(s, state, c.thread, &seen) == GOES_BEYOND) {
			const struct sl_path_node *n = next_of(s, state, c.thread);

			/* a thread that reads does not wait: it spins */
			if (s->question.followed + 1 == s->step_count &&
			    (n->act == SL_ACT_READ || n->act == SL_ACT_UPDATE) &&
			    sl_behaviour_observe(s->b, n, contents(s, state), &seen)) {
				sl_behaviour_spins(s->b, node_of(s, state, c.thread), seen);
			} else {
				s->unreached++;
			}
			f->next++;
		}
		s->step_count--;
	}
	return true;
}

bool
sl_path_search_next(struct sl_path_search *s, const struct sl_path_step **steps, size_t *count)
{
	if (s->over)
		return false;
	if (s->question.again) {
		s->question.again = false;
		s->step_count = s->question.steps;
		*steps = s->steps;
		*count = s->step_count;
		return true;
	}
	if (!sl_behaviour_root(s->b, 0)) {
		*count = 0;
		*steps = s->steps;
		if (s->question.what == START) { /* it has shown nothing */
			s->over = true;
			return false;
		}
		return ask(s, START);
	}
	if (s->question.what != NOTHING)
		is_answered(s);
	for (;;) {
		struct frame *f;
		uint32_t *state;
		struct choice c;
		enum ability ability;
		uint64_t seen;

		if (!s->passing)
			pass_begin(s);
		if (!s->frames.count) {
			s->passing = false;
			if (s->limited || s->grown == sl_behaviour_grown(s->b)) {
				s->over = true;
				return false;
			}
			continue;
		}
		f = &s->frames.items[s->frames.count - 1];
		state = s->words + f->state;
		if (!f->entered) {
			s->step_count = f->steps;
			go_on(s, state);
			f->steps = s->step_count;
			f->entered = true;
			f->choices = s->choice_count;
			if (has_failed(s, state) || !visit(s, state)) {
				pop(s);
				continue;
			}
			if (s->visited.count > s->options.states || is_stopped(s)) {
				s->limited = true;
				s->frames.count = 0;
				continue;
			}
			if (!has_exited(s, state))
				choices_of(s, f);
			if (!f->count && is_news(s, state)) {
				*steps = s->steps;
				*count = s->step_count;
				return ask(s, COMBINATION);
			}
		}
		s->step_count = f->steps;
		if (f->next == f->count) {
			pop(s);
			continue;
		}
		c = s->choices[f->choices + f->next];
		ability = look(s, state, c.thread, &seen);
		if (ability == GOES_BEYOND) {
			if (rolls(s, node_of(s, state, c.thread), seen)) {
				f->next++;
				continue;
			}
			step(s, state, c.thread, c.wakes);
			*steps = s->steps;
			*count = s->step_count;
			return ask(s, BEYOND);
		}
		f->next++;
		if (ability != GOES)
			continue;
		step(s, state, c.thread, c.wakes);
		push(s, f->state);
		f = &s->frames.items[s->frames.count - 1];
		perform(s, s->words + f->state, c.thread, seen, c.wakes);
	}
}

void
sl_path_search_learned(struct sl_path_search *s, uint64_t combination, size_t followed, bool broken)
{
	if (combination) {
		uint64_t *at = sl_index_at(&s->executed, combination);

		s->combinations += !*at;
		*at = 1;
	}
	s->question.followed = followed;
	s->question.again = broken && ++s->question.broken < BROKEN_MAX;
}

struct sl_path_search *
sl_path_search_new(struct sl_behaviour *b, const struct sl_path_search_options *options)
{
	struct sl_path_search *s = sl_room_zeroed(1, sizeof(*s));

	s->b = b;
	s->options = *options;
	if (!s->options.states)
		s->options.states = STATES_DEFAULT;
	return s;
}

void
sl_path_search_free(struct sl_path_search *s)
{
	if (!s)
		return;
	sl_index_release(&s->executed);
	sl_index_release(&s->tried);
	sl_index_release(&s->rolled.by_place);
	free(s->rolled.items);
	free(s->sets);
	free(s->exits);
	free(s->shapes);
	free(s->joins);
	free(s->alike);
	free(s->held);
	free(s->words);
	free(s->frames.items);
	free(s->choices);
	free(s->steps);
	free(s->visited.slots);
	free(s->in_set);
	free(s->best_set);
	free(s);
}

void
sl_path_search_result(const struct sl_path_search *s, struct sl_path_search_result *r)
{
	*r = (struct sl_path_search_result){
		.complete = s->over && !s->limited && !s->unreached && !s->rolled.count &&
			    !sl_behaviour_lacking(s->b, 0),
		.limited = s->limited,
		.states = s->visited.count,
		.combinations = s->combinations,
		.unreached = s->unreached,
		.rolled = (uint32_t)s->rolled.count,
	};
}

uint64_t
sl_path_search_rolled(const struct sl_path_search *s, uint32_t number)
{
	return s->rolled.items[number];
}
