/* The rate limiter: which thread gets tokens first, and which gives up. */
#define _GNU_SOURCE
#include "limiter.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

static char order[8];
static atomic_int length;

struct client {
	struct limiter *limiter;
	const char *name;
	unsigned tokens;
	struct ticket ticket;
	bool got;
};

static void *
client(void *arg)
{
	struct client *c = arg;

	pthread_setname_np(pthread_self(), c->name);
	sleave_event("taking");
	c->got = limiter_take(c->limiter, c->tokens, &c->ticket);
	if (c->got)
		order[length++] = c->name[0];
	sleave_event("took");
	return NULL;
}

/* With so many tokens left. */
static struct limiter *
begin(unsigned capacity, unsigned tokens)
{
	struct limiter *limiter = limiter_new(capacity);

	memset(order, 0, sizeof order);
	length = 0;
	assert(limiter_try_take(limiter, capacity - tokens));
	return limiter;
}

static void
who_takes_too_much_waits(void)
{
	SLEAVE_SCHEDULE("[taking] -> looking") {
		struct limiter *limiter = begin(3, 1);
		struct client a = {limiter, "a", 2};
		pthread_t thread;

		pthread_create(&thread, NULL, client, &a);
		usleep(30000);
		sleave_event("looking");
		assert(length == 0);
		limiter_fill(limiter, 1);
		pthread_join(thread, NULL);
		assert(a.got);
		assert(limiter_tokens(limiter) == 0);
		limiter_free(limiter);
	}
}

/* There would be enough for the second one; it waits nevertheless. */
static void
first_come_first_served(void)
{
	SLEAVE_SCHEDULE("[taking@a] -> taking@b, [taking@b] -> filling1, took@a -> filling2") {
		struct limiter *limiter = begin(4, 1);
		struct client a = {limiter, "a", 3}, b = {limiter, "b", 1};
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, client, &a);
		usleep(20000);
		pthread_create(&threads[1], NULL, client, &b);
		usleep(20000);
		sleave_event("filling1");
		assert(length == 0);
		limiter_fill(limiter, 2);
		usleep(20000);
		sleave_event("filling2");
		assert(!strcmp(order, "a"));
		limiter_fill(limiter, 1);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert(!strcmp(order, "ab"));
		limiter_free(limiter);
	}
}

/* shows the bug: the second one waits although there is enough for it */
static void
who_gives_up_lets_the_next_one_go(void)
{
	SLEAVE_SCHEDULE("[taking@a] -> taking@b, [taking@b] -> cancelling, took@b -> looking") {
		struct limiter *limiter = begin(4, 1);
		struct client a = {limiter, "a", 3}, b = {limiter, "b", 1};
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, client, &a);
		usleep(20000);
		pthread_create(&threads[1], NULL, client, &b);
		usleep(20000);
		sleave_event("cancelling");
		limiter_cancel(limiter, &a.ticket);
		usleep(20000);
		sleave_event("looking");
		assert(!strcmp(order, "b"));
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert(!a.got);
		assert(b.got);
		limiter_free(limiter);
	}
}

static void
nobody_is_overtaken(void)
{
	SLEAVE_SCHEDULE("[taking] -> trying") {
		struct limiter *limiter = begin(4, 1);
		struct client a = {limiter, "a", 3};
		pthread_t thread;

		pthread_create(&thread, NULL, client, &a);
		usleep(25000);
		sleave_event("trying");
		assert(!limiter_try_take(limiter, 1));
		limiter_fill(limiter, 3);
		pthread_join(thread, NULL);
		assert(limiter_try_take(limiter, 1));
		limiter_free(limiter);
	}
}

static void *
filler(void *limiter)
{
	for (int i = 0; i < 3; i++) {
		usleep(20000);
		sleave_event("filling");
		limiter_fill(limiter, 1);
	}
	return NULL;
}

/* Each token is waited for. */
static void
one_token_at_a_time(void)
{
	SLEAVE_SCHEDULE("[taking#1] -> filling#1, [taking#2] -> filling#2, [taking#3] -> filling#3") {
		struct limiter *limiter = begin(1, 0);
		struct ticket ticket;
		pthread_t thread;

		pthread_create(&thread, NULL, filler, limiter);
		for (int i = 0; i < 3; i++) {
			sleave_event("taking");
			assert(limiter_take(limiter, 1, &ticket));
		}
		pthread_join(thread, NULL);
		assert(limiter_tokens(limiter) == 0);
		limiter_free(limiter);
	}
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(who_takes_too_much_waits),
		TEST(first_come_first_served),
		TEST(who_gives_up_lets_the_next_one_go),
		TEST(nobody_is_overtaken),
		TEST(one_token_at_a_time),
	};

	return RUN(tests, argc, argv);
}
