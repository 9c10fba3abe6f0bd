/*
 * C++20's waits with a time limit, and those that only try: semaphores, latches, barriers, condition variables with
 * a stop token, futures, atomics. A time limit may expire at any moment, and the event waited for may come first.
 */
#include "outcome.h"
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

static std::binary_semaphore one ALONE(0);
static int data ALONE;

/* ---- semaphores ---- */

static void try_acquire_for(void)
{
	std::thread t([] { data = 7; one.release(); });
	bool got = one.try_acquire_for(1h);

	OUTCOME("%d %d", got, got ? data : 0); /* no race: it was acquired */
	t.join();
}

static void try_acquire_until(void)
{
	std::thread t([] { data = 7; one.release(); });
	bool got = one.try_acquire_until(steady::now() + 1h);

	OUTCOME("%d %d", got, got ? data : 0);
	t.join();
}

/* It is never released: the hour passes. */
static void hour_passes(void)
{
	auto before = steady::now();
	bool got = true;
	std::thread t([&] { got = one.try_acquire_for(1h); });

	t.join();
	OUTCOME("%d %d", got, steady::now() - before >= 1h);
}

static void try_acquire(void)
{
	std::thread t([] { data = 7; one.release(); });
	bool got = one.try_acquire();

	OUTCOME("%d %d", got, got ? data : 0);
	t.join();
}

/* ---- latches and barriers ---- */

static void latch_try_wait(void)
{
	std::latch ready(1);
	std::thread t([&] { data = 7; ready.count_down(); });
	bool open = ready.try_wait();

	OUTCOME("%d %d", open, open ? data : 0);
	t.join();
}

static void latch_polled(void)
{
	std::latch ready(2);
	std::thread t([&] { data = 7; ready.arrive_and_wait(); });

	ready.count_down();
	while (!ready.try_wait())
		std::this_thread::yield();
	OUTCOME("%d", data);
	t.join();
}

/* Arrived first, waited for later: the function has run once for both when either continues. */
static void barrier_token(void)
{
	int completions = 0;
	auto completed = [&]() noexcept { completions++; };
	std::barrier meeting(2, completed);
	std::thread t([&] { data = 7; meeting.arrive_and_wait(); });
	auto token = meeting.arrive();

	meeting.wait(std::move(token));
	OUTCOME("%d %d", completions, data);
	t.join();
}

static void barrier_dropped(void)
{
	std::barrier meeting(2);
	std::thread t([&] { data = 7; meeting.arrive_and_drop(); });

	meeting.arrive_and_wait(); /* both; from now on it is alone */
	OUTCOME("%d", data);
	t.join();
}

/* ---- condition variables ---- */

static std::mutex lock;
static std::condition_variable plain;
static std::condition_variable_any any;
static bool ready;

static void set_ready(void)
{
	std::scoped_lock hold(lock);

	ready = true;
	plain.notify_one();
	any.notify_one();
}

static void wait_for(void)
{
	std::thread t(set_ready);
	{
		std::unique_lock hold(lock);
		bool seen = plain.wait_for(hold, 1h, [] { return ready; });

		OUTCOME("%d", seen);
	}
	t.join();
}

static void any_wait_until(void)
{
	std::thread t(set_ready);
	{
		std::unique_lock hold(lock);
		bool seen = any.wait_until(hold, steady::now() + 1h, [] { return ready; });

		OUTCOME("%d", seen);
	}
	t.join();
}

/* It is ready, or asked to stop, or the time is over. */
static void any_wait_for_stop(void)
{
	std::stop_source source;
	std::thread t([&] { source.request_stop(); });
	{
		std::unique_lock hold(lock);
		bool seen = any.wait_for(hold, source.get_token(), 1h, [] { return ready; });

		OUTCOME(seen ? "ready" : source.stop_requested() ? "asked to stop" : "late");
	}
	t.join();
}

static void any_wait_stop(void)
{
	std::stop_source source;
	std::thread t([&] { source.request_stop(); });
	std::thread u(set_ready);
	{
		std::unique_lock hold(lock);
		bool seen = any.wait(hold, source.get_token(), [] { return ready; });

		OUTCOME(seen ? "ready" : "asked to stop");
	}
	t.join();
	u.join();
}

/* ---- threads, futures, atomics ---- */

static void jthread_stops(void)
{
	std::atomic<int> seen = 0;
	{
		std::jthread t([&](std::stop_token stop) {
			while (!stop.stop_requested())
				std::this_thread::yield();
			seen = 1;
		});
	} /* asked to stop, and joined */
	OUTCOME("%d", seen.load());
}

static void future_wait_for(void)
{
	std::promise<int> promise;
	auto future = promise.get_future();
	std::thread t([&] { promise.set_value(7); });

	OUTCOME("%d", future.wait_for(1h) == std::future_status::ready ? future.get() : 0);
	t.join();
}

static std::atomic<int> word ALONE;

static void atomic_wait(void)
{
	std::thread t([] { word = 1; word = 2; word.notify_one(); });

	word.wait(0);
	OUTCOME("%d", word.load());
	t.join();
}

/* Back to the old value: a thread that looks too late sleeps for ever. */
static void atomic_back_again(void)
{
	std::thread t([] { word = 1; word.notify_one(); word = 0; });

	word.wait(0);
	OUTCOME("woken");
	t.join();
}

/* The list of callbacks of a stop token has too many interleavings to run them all. */
#define SAMPLED(body, ...)                                                                                   \
	EXPECT_WITH(body, 0, NULL, OPTIONS(.strategy = "random", .schedules = 2000, .races = SLEAVE_RACES_FIND), __VA_ARGS__)

int main(void)
{
	EXPECT(try_acquire_for, "0 0", "1 7");
	EXPECT(try_acquire_until, "0 0", "1 7");
	EXPECT(hour_passes, "0 1");
	EXPECT(try_acquire, "0 0", "1 7");
	EXPECT(latch_try_wait, "0 0", "1 7");
	EXPECT(latch_polled, "7");
	EXPECT(barrier_token, "1 7");
	EXPECT(barrier_dropped, "7");
	EXPECT(wait_for, "0", "1");
	EXPECT(any_wait_until, "0", "1");
	SAMPLED(any_wait_for_stop, "asked to stop", "late");
	SAMPLED(any_wait_stop, "ready", "asked to stop");
	EXPECT(jthread_stops, "1");
	EXPECT(future_wait_for, "0", "7");
	EXPECT(atomic_wait, "1", "2");
	EXPECT_FINDING(atomic_back_again, "deadlock", "woken");
	return done();
}
