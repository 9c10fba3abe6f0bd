/*
 * The table of operations and the book of held locks: what threads hold after a few operations, listed by hand.
 */
#include "base/held.h"
#include "base/op_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { A = 0x1000, B = 0x2000, CONDITION = 0x3000 };

#define SPURIOUS (1ull << 32)

static struct sl_hold locks[4];
static struct sl_held_book book;
static uint64_t when;

static int
fresh(void **state)
{
	(void)state;
	book = (struct sl_held_book){locks, 0, sizeof(locks) / sizeof(locks[0])};
	when = 0;
	return 0;
}

/* Performs it and lists what is held: "a b", with the depth if it is not 1, r for reading, and where it was taken. */
static const char *
after(unsigned kind, uint64_t object, uint64_t value)
{
	static char text[128];

	sl_held_perform(&book, (uint8_t)kind, object, value, ++when);
	text[0] = '\0';
	for (uint32_t i = 0; i < book.count; i++) {
		size_t n = strlen(text);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%c", i ? " " : "",
				      locks[i].object == A   ? 'a'
				      : locks[i].object == B ? 'b'
							     : '?');
		if (locks[i].depth != 1)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%u", locks[i].depth);
		snprintf(text + n, sizeof(text) - n, "%s@%d", locks[i].shared ? "r" : "", (int)locks[i].taken);
	}
	return text;
}

static void
locks_are_taken_and_given_back_in_any_order(void **state)
{
	(void)state;
	assert_string_equal(after(SL_MUTEX_LOCK, A, 0), "a@1");
	assert_string_equal(after(SL_SPIN_LOCK, B, 0), "a@1 b@2");
	assert_string_equal(after(SL_READ, A, 0), "a@1 b@2");
	assert_string_equal(after(SL_MUTEX_UNLOCK, A, 0), "b@2");
	assert_string_equal(after(SL_MUTEX_LOCK, A, 0), "b@2 a@5");
	assert_string_equal(after(SL_SPIN_UNLOCK, B, 0), "a@5");
	assert_string_equal(after(SL_MUTEX_UNLOCK, B, 0), "a@5"); /* not its own */
	assert_string_equal(after(SL_MUTEX_UNLOCK, A, 0), "");
	assert_string_equal(after(SL_MUTEX_UNLOCK, A, 0), "");
}

static void
what_fails_takes_nothing(void **state)
{
	(void)state;
	assert_string_equal(after(SL_MUTEX_TRYLOCK, A, EBUSY), "");
	assert_string_equal(after(SL_MUTEX_TIMEDLOCK, A, ETIMEDOUT), "");
	assert_string_equal(after(SL_MUTEX_LOCK, A, EDEADLK), "");
	assert_string_equal(after(SL_RW_RDLOCK, A, EAGAIN), "");
	assert_string_equal(after(SL_MUTEX_LOCK, A, ENOTRECOVERABLE), "");
	assert_string_equal(after(SL_MUTEX_TRYLOCK, A, 0), "a@6");
	assert_string_equal(after(SL_MUTEX_TIMEDLOCK, B, 0), "a@6 b@7");
}

static void
an_owner_that_died_leaves_the_lock_to_the_next(void **state)
{
	(void)state;
	assert_string_equal(after(SL_MUTEX_LOCK, A, EOWNERDEAD), "a@1");
	assert_string_equal(after(SL_MUTEX_UNLOCK, A, 0), "");
}

static void
a_recursive_lock_is_held_until_it_was_given_back_as_often(void **state)
{
	(void)state;
	assert_string_equal(after(SL_MUTEX_LOCK, A, 0), "a@1");
	assert_string_equal(after(SL_MUTEX_LOCK, B, 0), "a@1 b@2");
	assert_string_equal(after(SL_MUTEX_TRYLOCK, A, 0), "a2@1 b@2");
	assert_string_equal(after(SL_MUTEX_UNLOCK, A, 0), "a@1 b@2");
	assert_string_equal(after(SL_MUTEX_UNLOCK, A, 0), "b@2");
}

static void
readers_share(void **state)
{
	(void)state;
	assert_string_equal(after(SL_RW_RDLOCK, A, 0), "ar@1");
	assert_string_equal(after(SL_RW_RDLOCK, A, 0), "a2r@1");
	assert_string_equal(after(SL_RW_WRLOCK, B, 0), "a2r@1 b@3");
	assert_string_equal(after(SL_RW_UNLOCK, A, 0), "ar@1 b@3");
	assert_string_equal(after(SL_RW_UNLOCK, A, 0), "b@3");
	assert_string_equal(after(SL_RW_UNLOCK, B, 0), "");
}

static void
a_wait_gives_its_mutex_back_and_takes_it_again(void **state)
{
	(void)state;
	after(SL_MUTEX_LOCK, A, 0);
	after(SL_MUTEX_LOCK, B, 0);
	assert_string_equal(after(SL_COND_WAIT, CONDITION, A), "b@2");
	assert_string_equal(after(SL_COND_RELOCK, A, 0), "b@2 a@4");
	assert_string_equal(after(SL_COND_WAIT, CONDITION, A), "b@2");
	assert_string_equal(after(SL_COND_RELOCK, A, SPURIOUS), "b@2 a@6");
	assert_string_equal(after(SL_COND_WAIT, CONDITION, A), "b@2");
	assert_string_equal(after(SL_TIMEOUT, CONDITION, ETIMEDOUT), "b@2");
	assert_string_equal(after(SL_COND_RELOCK, A, 0), "b@2 a@9");
	assert_string_equal(after(SL_COND_WAIT, CONDITION, A), "b@2");
	assert_string_equal(after(SL_COND_RELOCK, A, ENOTRECOVERABLE), "b@2");
}

/* As in glibc, which the engine follows. */
static void
a_wait_gives_back_one_level(void **state)
{
	(void)state;
	after(SL_MUTEX_LOCK, A, 0);
	after(SL_MUTEX_LOCK, A, 0);
	assert_string_equal(after(SL_COND_WAIT, CONDITION, A), "a@1");
	assert_string_equal(after(SL_COND_RELOCK, A, 0), "a2@1");
}

static void
semaphores_barriers_and_file_locks_are_not_held(void **state)
{
	(void)state;
	assert_string_equal(after(SL_SEM_WAIT, A, 0), "");
	assert_string_equal(after(SL_SEM_TRYWAIT, A, 0), "");
	assert_string_equal(after(SL_BARRIER_WAIT, A, 0), "");
	assert_string_equal(after(SL_ONCE, A, 0), "");
	assert_string_equal(after(SL_IO_LOCK, A, 0), "");
	assert_string_equal(after(SL_INIT, A, 0), "");
}

/* The same book, but of a lock: which threads hold it. */
static void
a_book_of_a_lock_lists_its_holders(void **state)
{
	(void)state;
	assert_true(sl_held_take(&book, 1, 11, true));
	assert_true(sl_held_take(&book, 2, 12, true));
	assert_false(sl_held_take(&book, 1, 13, true));
	assert_int_equal(book.count, 2);
	assert_int_equal(sl_held_find(&book, 1)->taken, 11);
	assert_int_equal(sl_held_find(&book, 1)->depth, 2);
	assert_false(sl_held_give(&book, 1));
	assert_true(sl_held_give(&book, 1));
	assert_null(sl_held_find(&book, 1));
	assert_false(sl_held_give(&book, 1));
	assert_int_equal(sl_held_find(&book, 2)->taken, 12);
	sl_held_add(&book, 3, 14, false);
	assert_int_equal(book.count, 2);
	assert_false(sl_held_find(&book, 3)->shared);
}

static void
there_may_be_no_room(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 6; i++)
		assert_int_equal(sl_held_perform(&book, SL_MUTEX_LOCK, i, 0, i), SL_LOCK_TAKES);
	assert_int_equal(book.count, 4);
	assert_null(sl_held_find(&book, 5));
	assert_int_equal(sl_held_perform(&book, SL_MUTEX_UNLOCK, 5, 0, 7), SL_LOCK_NOTHING);
	assert_int_equal(sl_held_perform(&book, SL_MUTEX_UNLOCK, 4, 0, 8), SL_LOCK_GIVES);
	assert_int_equal(book.count, 3);
}

/* ---- the table ---- */

/* The words of the kinds that have one of the traits. */
static const char *
kinds_that(uint32_t traits)
{
	static char text[2048];

	text[0] = '\0';
	for (unsigned kind = 0; kind < 256; kind++)
		if (sl_kind_is((uint8_t)kind, traits)) {
			strcat(text, text[0] ? " " : "");
			strcat(text, sl_op_word(kind));
		}
	return text;
}

static void
kinds_are_told_by_their_traits(void **state)
{
	(void)state;
	assert_string_equal(kinds_that(SL_KIND_TAKES),
			    "MUTEX_LOCK MUTEX_TRYLOCK MUTEX_TIMEDLOCK RW_RDLOCK RW_WRLOCK "
			    "SPIN_LOCK COND_RELOCK");
	assert_string_equal(kinds_that(SL_KIND_SHARED), "RW_RDLOCK");
	assert_string_equal(kinds_that(SL_KIND_GIVES), "MUTEX_UNLOCK RW_UNLOCK SPIN_UNLOCK");
	assert_string_equal(kinds_that(SL_KIND_LENDS), "COND_WAIT");
	assert_string_equal(kinds_that(SL_KIND_ACCESS),
			    "READ WRITE UPDATE ATOMIC_LOAD ATOMIC_STORE ATOMIC_UPDATE ATOMIC_SPURIOUS");
	assert_string_equal(kinds_that(SL_KIND_SLEEPS), "COND_WAIT BARRIER_WAIT SET_WAIT FUTEX_WAIT");
	assert_string_equal(kinds_that(SL_KIND_WAKES), "COND_SIGNAL COND_BROADCAST FUTEX_WAKE");
	assert_string_equal(kinds_that(SL_KIND_SENDS), "KILL TIMER CHILD_END");
	assert_string_equal(kinds_that(SL_KIND_RECEIVES),
			    "SIGMASK SIGACTION SIGPENDING SIGWAIT PAUSE IO_READ IO_WAIT");
	assert_string_equal(kinds_that(SL_KIND_ENDS), "EXEC EXIT");
	assert_string_equal(kinds_that(SL_KIND_COUNTS), "SEM_WAIT SEM_TRYWAIT SEM_POST");
	assert_string_equal(kinds_that(SL_KIND_TRIES), "TRYJOIN MUTEX_TRYLOCK SEM_TRYWAIT SET_TRY");
	assert_string_equal(kinds_that(SL_KIND_THREAD), "CREATE JOIN DETACH TRYJOIN CANCEL");
	assert_string_equal(kinds_that(SL_KIND_RENEWS), "INIT DESTROY");
}

/* The words of the kinds that a function of op.h says yes to. */
static const char *
kinds_for_which(bool (*is)(uint8_t kind))
{
	static char text[2048];

	text[0] = '\0';
	for (unsigned kind = 0; kind < 256; kind++)
		if (is((uint8_t)kind)) {
			strcat(text, text[0] ? " " : "");
			strcat(text, sl_op_word(kind));
		}
	return text;
}

static bool
only_reads(uint8_t kind)
{
	return sl_kind_access(kind) == SL_OP_READS;
}

static bool
only_writes(uint8_t kind)
{
	return sl_kind_access(kind) == SL_OP_WRITES;
}

static void
kinds_are_told_by_several_traits(void **state)
{
	(void)state;
	assert_string_equal(kinds_for_which(sl_kind_awaits_lock),
			    "MUTEX_LOCK MUTEX_TIMEDLOCK RW_RDLOCK RW_WRLOCK SPIN_LOCK COND_RELOCK");
	assert_string_equal(kinds_for_which(sl_kind_retakes_lock), "COND_RELOCK");
	assert_string_equal(kinds_for_which(sl_kind_awaits_wakeup), "COND_WAIT FUTEX_WAIT");
	assert_string_equal(kinds_for_which(sl_kind_signals), "COND_SIGNAL COND_BROADCAST");
	assert_string_equal(kinds_for_which(sl_kind_awaits_signal), "SIGWAIT PAUSE");
	assert_string_equal(kinds_for_which(only_reads), "READ ATOMIC_LOAD ATOMIC_SPURIOUS");
	assert_string_equal(kinds_for_which(only_writes), "WRITE ATOMIC_STORE");
}

/* Traits must not contradict each other. */
static void
traits_do_not_contradict(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < SL_OP_KIND_COUNT; kind++) {
		uint32_t t = sl_op_kinds[kind].traits;
		uint16_t flags = sl_op_kinds[kind].flags;

		if ((t & SL_KIND_SHARED && !(t & SL_KIND_TAKES)) || (t & SL_KIND_TAKES && t & SL_KIND_GIVES) ||
		    (t & SL_KIND_TRIES && t & SL_KIND_WAITS) || (t & SL_KIND_SLEEPS && !(t & SL_KIND_WAITS)) ||
		    (t & SL_KIND_WAKES && !(t & SL_KIND_ENABLES)) ||
		    (t & SL_KIND_QUIET && t & (SL_KIND_WAITS | SL_KIND_ENABLES)) ||
		    (t & SL_KIND_TOLD && t & SL_KIND_ASIDE) || (t & SL_KIND_IO && t & SL_KIND_COMPARED) ||
		    (t & (SL_KIND_TAKES | SL_KIND_GIVES | SL_KIND_LENDS) && !(t & SL_KIND_SYNC)) ||
		    (flags & SL_OP_SILENT && flags & (SL_OP_READS | SL_OP_WRITES)))
			fail_msg("%s contradicts itself", sl_op_word(kind));
		if (t & SL_KIND_TAKES && t & SL_KIND_CALL)
			assert_int_equal(sl_op_kinds[kind].event, SL_OP_EVENT_LOCK);
		if (t & SL_KIND_GIVES)
			assert_int_equal(sl_op_kinds[kind].event, SL_OP_EVENT_UNLOCK);
	}
}

static void
words_are_of_the_kinds(void **state)
{
	(void)state;
	assert_string_equal(sl_op_word(SL_MUTEX_LOCK), "MUTEX_LOCK");
	assert_string_equal(sl_op_verb(SL_EXIT), "ends the program");
	assert_null(sl_op_word(SL_OP_KIND_COUNT));
	assert_null(sl_op_verb(SL_OP_KIND_COUNT));
	for (unsigned kind = 0; kind < SL_OP_KIND_COUNT; kind++)
		assert_int_equal(sl_op_find(sl_op_word(kind)), kind);
	assert_int_equal(sl_op_find("MUTEX"), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(locks_are_taken_and_given_back_in_any_order, fresh),
		cmocka_unit_test_setup(what_fails_takes_nothing, fresh),
		cmocka_unit_test_setup(an_owner_that_died_leaves_the_lock_to_the_next, fresh),
		cmocka_unit_test_setup(a_recursive_lock_is_held_until_it_was_given_back_as_often, fresh),
		cmocka_unit_test_setup(readers_share, fresh),
		cmocka_unit_test_setup(a_wait_gives_its_mutex_back_and_takes_it_again, fresh),
		cmocka_unit_test_setup(a_wait_gives_back_one_level, fresh),
		cmocka_unit_test_setup(semaphores_barriers_and_file_locks_are_not_held, fresh),
		cmocka_unit_test_setup(a_book_of_a_lock_lists_its_holders, fresh),
		cmocka_unit_test_setup(there_may_be_no_room, fresh),
		cmocka_unit_test(kinds_are_told_by_their_traits),
		cmocka_unit_test(kinds_are_told_by_several_traits),
		cmocka_unit_test(traits_do_not_contradict),
		cmocka_unit_test(words_are_of_the_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
