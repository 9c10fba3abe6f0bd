/*
 * Read-write locks: readers together, a writer alone. A waiting writer does not
 * keep readers out, as in glibc by default, unless the lock's kind says so.
 */
#include "outcome.h"
#include <stdatomic.h>

static pthread_rwlock_t l ALONE = PTHREAD_RWLOCK_INITIALIZER;
static int x ALONE, y ALONE, r1 ALONE, r2 ALONE, r3 ALONE, r4 ALONE;
static atomic_int inside ALONE;

static struct timespec in(int seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += seconds;
	return t;
}

/* One writer, two readers: a reader sees both or nothing. The order of three locks: 3! = 6. */
THREAD(writer) { pthread_rwlock_wrlock(&l); x = 1; y = 1; pthread_rwlock_unlock(&l); }
THREAD(reader_1) { pthread_rwlock_rdlock(&l); r1 = x + y; pthread_rwlock_unlock(&l); }
THREAD(reader_2) { pthread_rwlock_rdlock(&l); r2 = x + y; pthread_rwlock_unlock(&l); }
static void writer_and_readers(void) { RUN(writer, reader_1, reader_2); OUTCOME("%d %d", r1, r2); }

/* Two writers: nothing is lost. */
THREAD(adder) { pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l); }
static void two_writers(void) { RUN(adder, adder); OUTCOME("%d", x); }

/* Adding under a read lock is not protected. */
static volatile int v ALONE;
THREAD(bad_adder) { pthread_rwlock_rdlock(&l); v++; pthread_rwlock_unlock(&l); }
static void readers_who_write(void) { RUN(bad_adder, bad_adder); OUTCOME("%d", v); }

/* How many were inside, the thread itself included? Readers meet; a writer is alone. */
#define VISIT(name, lock, result)                                                                            \
	THREAD(name)                                                                                         \
	{                                                                                                    \
		lock(&l);                                                                                    \
		result = atomic_fetch_add(&inside, 1) + 1;                                                   \
		atomic_fetch_sub(&inside, 1);                                                                \
		pthread_rwlock_unlock(&l);                                                                   \
	}
VISIT(visit_read_1, pthread_rwlock_rdlock, r1)
VISIT(visit_read_2, pthread_rwlock_rdlock, r2)
VISIT(visit_write_1, pthread_rwlock_wrlock, r1)
VISIT(visit_write_2, pthread_rwlock_wrlock, r2)
static void readers_meet(void) { RUN(visit_read_1, visit_read_2); OUTCOME("%d%d", r1, r2); }
static void writers_do_not(void) { RUN(visit_write_1, visit_write_2); OUTCOME("%d%d", r1, r2); }
static void reader_meets_no_writer(void) { RUN(visit_read_1, visit_write_2); OUTCOME("%d%d", r1, r2); }

/* Without blocking. W: L U; the other thread tries: t (and its unlock): 3 places. */
THREAD(write_lock_unlock) { pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); }
THREAD(read_lock_unlock) { pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); }
THREAD(try_read) { r1 = pthread_rwlock_tryrdlock(&l); if (!r1) pthread_rwlock_unlock(&l); }
THREAD(try_write) { r1 = pthread_rwlock_trywrlock(&l); if (!r1) pthread_rwlock_unlock(&l); }
static const char *word(int r) { return r == 0 ? "got" : r == EBUSY ? "busy" : r == ETIMEDOUT ? "late" : "?"; }
static void try_read_and_writer(void) { RUN(write_lock_unlock, try_read); OUTCOME("%s", word(r1)); }
static void try_write_and_reader(void) { RUN(read_lock_unlock, try_write); OUTCOME("%s", word(r1)); }
static void try_write_and_writer(void) { RUN(write_lock_unlock, try_write); OUTCOME("%s", word(r1)); }
static void try_read_and_reader(void) { RUN(read_lock_unlock, try_read); OUTCOME("%s", word(r1)); }

/* With a limit. */
THREAD(timed_read)
{
	struct timespec t = in(5);

	r1 = pthread_rwlock_timedrdlock(&l, &t);
	if (!r1)
		pthread_rwlock_unlock(&l);
}
THREAD(timed_write)
{
	struct timespec t = in(5);

	r1 = pthread_rwlock_timedwrlock(&l, &t);
	if (!r1)
		pthread_rwlock_unlock(&l);
}
static void timed_read_and_writer(void) { RUN(write_lock_unlock, timed_read); OUTCOME("%s", word(r1)); }
static void timed_write_and_reader(void) { RUN(read_lock_unlock, timed_write); OUTCOME("%s", word(r1)); }
static void timed_read_and_reader(void) { RUN(read_lock_unlock, timed_read); OUTCOME("%s", word(r1)); }

/* A reader may read again while a writer waits. */
THREAD(reads_twice)
{
	pthread_rwlock_rdlock(&l);
	atomic_fetch_add(&inside, 1);
	pthread_rwlock_rdlock(&l);
	r1 = x;
	pthread_rwlock_unlock(&l);
	r2 = x;
	pthread_rwlock_unlock(&l);
}
THREAD(writes) { atomic_fetch_add(&inside, 1); pthread_rwlock_wrlock(&l); x = 1; pthread_rwlock_unlock(&l); }
static void read_again(void) { RUN(reads_twice, writes); OUTCOME("%d%d", r1, r2); }

/* With one kind of lock a waiting writer keeps readers out, also those that hold the lock already. */
static pthread_rwlock_t p ALONE = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
THREAD(preferred_writes) { pthread_rwlock_wrlock(&p); x = 1; pthread_rwlock_unlock(&p); }
THREAD(preferred_tries)
{
	pthread_rwlock_rdlock(&p);
	r1 = pthread_rwlock_tryrdlock(&p);
	r2 = x;
	if (!r1)
		pthread_rwlock_unlock(&p);
	pthread_rwlock_unlock(&p);
}
THREAD(preferred_has_a_limit)
{
	struct timespec t = in(5);

	pthread_rwlock_rdlock(&p);
	r1 = pthread_rwlock_timedrdlock(&p, &t);
	r2 = x;
	if (!r1)
		pthread_rwlock_unlock(&p);
	pthread_rwlock_unlock(&p);
}
THREAD(preferred_reads) { pthread_rwlock_rdlock(&p); r1 = x; pthread_rwlock_unlock(&p); }
THREAD(preferred_reads_twice) { pthread_rwlock_rdlock(&p); pthread_rwlock_rdlock(&p); }
static void preferred_try(void) { RUN(preferred_writes, preferred_tries); OUTCOME("%s %d", word(r1), r2); }
static void preferred_limit(void) { RUN(preferred_writes, preferred_has_a_limit); OUTCOME("%s %d", word(r1), r2); }
static void preferred_once(void) { RUN(preferred_writes, preferred_reads); OUTCOME("%d", r1); }
static void preferred_twice(void) { RUN(preferred_writes, preferred_reads_twice); }

/* A writer that locks again gets an error; a reader that wants to write waits for itself. */
THREAD(errors)
{
	pthread_rwlock_wrlock(&l);
	r1 = pthread_rwlock_wrlock(&l);
	r2 = pthread_rwlock_rdlock(&l);
	r3 = pthread_rwlock_trywrlock(&l);
	r4 = pthread_rwlock_tryrdlock(&l);
	pthread_rwlock_unlock(&l);
}
static void own_lock(void)
{
	RUN(errors);
	OUTCOME("%d %d %d %d", r1 == EDEADLK, r2 == EDEADLK, r3 == EBUSY, r4 == EBUSY);
}
THREAD(upgrades) { pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); }
static void upgrade(void) { RUN(upgrades); OUTCOME("not reached"); }

int main(void)
{
	EXPECT_N(writer_and_readers, 6, "0 0", "0 2", "2 0", "2 2");
	EXPECT_N(two_writers, 2, "2");
	RACY(readers_who_write, "1", "2");
	EXPECT(readers_meet, "11", "12", "21");
	EXPECT(writers_do_not, "11");
	EXPECT(reader_meets_no_writer, "11");
	EXPECT_N(try_read_and_writer, 3, "got", "busy");
	EXPECT_N(try_write_and_reader, 3, "got", "busy");
	EXPECT_N(try_write_and_writer, 3, "got", "busy");
	EXPECT(try_read_and_reader, "got");
	EXPECT_N(timed_read_and_writer, 3, "got", "late");
	EXPECT_N(timed_write_and_reader, 3, "got", "late");
	EXPECT(timed_read_and_reader, "got");
	EXPECT(read_again, "00", "11");
	EXPECT(preferred_try, "got 0", "got 1", "busy 0");
	EXPECT(preferred_limit, "got 0", "got 1", "late 0");
	EXPECT(preferred_once, "0", "1");
	EXPECT_FINDING(preferred_twice, "deadlock", NULL);
	EXPECT(own_lock, "1 1 1 1");
	EXPECT_FINDING(upgrade, "deadlock", NULL);
	return done();
}
