/* The read-write lock: which threads are let in together, and which wait for each other. Threads have names. */
#define _GNU_SOURCE
#include "rw.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

static struct rw lock;
static char order[8]; /* the threads that were in, guarded by the lock or by the order of the test */
static atomic_int length;
static atomic_bool reader_is_in;

static void
begin(void)
{
	rw_init(&lock);
	memset(order, 0, sizeof order);
	length = 0;
	reader_is_in = false;
}

static void *
reader(void *arg)
{
	pthread_setname_np(pthread_self(), arg);
	sleave_event("wants_to_read");
	rw_read(&lock);
	order[length++] = 'r';
	reader_is_in = true;
	sleave_event("reads");
	usleep(60000);
	sleave_event("has_read");
	rw_unlock(&lock);
	return NULL;
}

static void *
writer(void *arg)
{
	pthread_setname_np(pthread_self(), arg);
	sleave_event("wants_to_write");
	rw_write(&lock);
	order[length++] = 'w';
	sleave_event("writes");
	usleep(60000);
	sleave_event("has_written");
	rw_unlock(&lock);
	return NULL;
}

static void
readers_share(void)
{
	SLEAVE_SCHEDULE("reads@r1 && reads@r2 -> has_read@r*") {
		pthread_t threads[2];

		begin();
		pthread_create(&threads[0], NULL, reader, "r1");
		pthread_create(&threads[1], NULL, reader, "r2");
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert(!strcmp(order, "rr"));
		rw_release(&lock);
	}
}

static void
a_writer_is_alone(void)
{
	SLEAVE_SCHEDULE("writes -> wants_to_read, [wants_to_read] -> has_written") {
		pthread_t threads[2];

		begin();
		pthread_create(&threads[0], NULL, writer, "w");
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
		pthread_create(&threads[1], NULL, reader, "r");
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert(!strcmp(order, "wr"));
		rw_release(&lock);
	}
}

/* A reader that comes when a writer waits already lets it go first. */
static void
writers_first(void)
{
	SLEAVE_SCHEDULE("reads@r1 -> wants_to_write, [wants_to_write] -> wants_to_read@r2, "
			"[wants_to_read@r2] -> has_read@r1") {
		pthread_t threads[3];

		begin();
		pthread_create(&threads[0], NULL, reader, "r1");
		usleep(15000);
		pthread_create(&threads[1], NULL, writer, "w");
		usleep(15000);
		pthread_create(&threads[2], NULL, reader, "r2");
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		assert(!strcmp(order, "rwr"));
		rw_release(&lock);
	}
}

/* Whichever reader it is, the writer waits for it; the other one may be before or behind it. */
static void
one_reader_is_enough(void)
{
	SLEAVE_SCHEDULE("reads@r1 || reads@r2 -> wants_to_write, [wants_to_write] -> has_read@r*") {
		pthread_t threads[3];

		begin();
		pthread_create(&threads[0], NULL, reader, "r1");
		pthread_create(&threads[1], NULL, reader, "r2");
		usleep(20000);
		pthread_create(&threads[2], NULL, writer, "w");
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		assert(order[0] == 'r');
		assert(length == 3);
		rw_release(&lock);
	}
}

static void
trying_does_not_wait(void)
{
	SLEAVE_SCHEDULE("writes -> trying, tried -> has_written") {
		pthread_t thread;

		begin();
		pthread_create(&thread, NULL, writer, "w");
		usleep(20000);
		sleave_event("trying");
		assert(!rw_try_read(&lock));
		assert(!rw_try_write(&lock));
		sleave_event("tried");
		pthread_join(thread, NULL);
		assert(rw_try_write(&lock));
		rw_unlock(&lock);
		rw_release(&lock);
	}
}

/* shows the bug: the reader is let in only when the other reader unlocks */
static void
readers_come_in_when_a_writer_is_content_to_read(void)
{
	SLEAVE_SCHEDULE("[wants_to_read] -> downgrading, reads -> unlocking") {
		pthread_t thread;

		begin();
		rw_write(&lock);
		order[length++] = 'w';
		pthread_create(&thread, NULL, reader, "r");
		usleep(30000);
		sleave_event("downgrading");
		rw_downgrade(&lock);
		usleep(30000);
		sleave_event("unlocking");
		assert(reader_is_in);
		rw_unlock(&lock);
		pthread_join(thread, NULL);
		assert(!strcmp(order, "wr"));
		rw_release(&lock);
	}
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(readers_share),
		TEST(a_writer_is_alone),
		TEST(writers_first),
		TEST(one_reader_is_enough),
		TEST(trying_does_not_wait),
		TEST(readers_come_in_when_a_writer_is_content_to_read),
	};

	return RUN(tests, argc, argv);
}
