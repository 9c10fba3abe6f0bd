/*
 * The cost of a point in the code under test that a test may order: sleave_event() (-DEVENT) against a sync point
 * made of a mutex, a condition variable and tables by name, as database servers have them in their debug builds.
 *
 * The sync point does no more than those, rather less. RocksDB's SyncPoint::Process() makes a string of the name,
 * takes a mutex, looks the name up in four tables (markers, disabled by marker, predecessors, callbacks), waits on
 * one condition variable while something is missing, adds the name to a fifth table and wakes all waiters; here
 * there are two of the tables. MySQL's DEBUG_SYNC looks the action up by name, and performs it under a mutex, with a
 * broadcast. Neither takes the mutex for a point that the test does not mention: RocksDB asks a Bloom filter first,
 * MySQL's table belongs to the thread. So there is one with such a filter as well (the last number), for comparison.
 *
 * Prints nanoseconds: outside of any test; in a test that does not mention the point; in one that does, after its
 * first occurrence; where each occurrence counts; where each waits for one of another; for a first occurrence, in a
 * chain of 64; with the filter. Then what a sync point can't express, against the same numbers of it: each
 * occurrence while a thread is blocked; where each waits for one of another, beside orderings of the logic; after
 * its first occurrence, in the logic; of one thread, where the schedule asks for it of two; and first occurrences,
 * in a chain of 64, while a thread is blocked, and in the logic.
 */
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

template <typename Function>
static double
nanoseconds(long times, Function function)
{
	double best = 1e9;

	for (int round = 0; round < 5; round++) {
		auto from = std::chrono::steady_clock::now();
		for (long i = 0; i < times; i++)
			function();
		std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - from;
		if (passed.count() / times < best)
			best = passed.count() / times;
	}
	return best;
}

/* There is another thread, as in every test that needs an order: libc omits atomics in a process with a single thread. */
static std::mutex until;
static struct Other {
	std::thread thread;
	Other() : thread((until.lock(), [] { std::lock_guard<std::mutex> wait(until); })) {}
	~Other() { until.unlock(), thread.join(); }
} other;

#define EIGHT(begin)                                                                                          \
	POINT(begin "0") POINT(begin "1") POINT(begin "2") POINT(begin "3")                                    \
	POINT(begin "4") POINT(begin "5") POINT(begin "6") POINT(begin "7")
#define CHAIN                                                                                                 \
	EIGHT("DBImpl.Step.Number0") EIGHT("DBImpl.Step.Number1") EIGHT("DBImpl.Step.Number2")                 \
	EIGHT("DBImpl.Step.Number3") EIGHT("DBImpl.Step.Number4") EIGHT("DBImpl.Step.Number5")                 \
	EIGHT("DBImpl.Step.Number6") EIGHT("DBImpl.Step.Number7")
#define POINT(name) name,
static const char *const steps[] = {CHAIN};
#undef POINT

#ifdef EVENT
#include <sleave.h>

static std::string
chain(const std::string &begin, bool reverse, const std::string &end)
{
	std::string text;

	for (int i = 0; i + 1 < 64; i++)
		text += (i ? ", " : "") + begin + steps[i + reverse] + (begin[0] == '(' ? ") -> " : " -> ") + steps[i + !reverse] + end;
	return text;
}

/* Nanoseconds for each, if all occur one after the other. */
static double
chained(const std::string &text)
{
	double first = 1e9;

	for (int round = 0; round < 50; round++) {
		SLEAVE_SCHEDULE(text.c_str()) {
			std::thread opens([] {
				sleave_event("opened");
				std::lock_guard<std::mutex> wait(until);
			});
			sleave_event("ready");
			auto from = std::chrono::steady_clock::now();
#define POINT(name) sleave_event(name);
			CHAIN
#undef POINT
			std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - from;
			first = std::min(first, passed.count() / 64);
			until.unlock();
			opens.join();
			until.lock();
		}
	}
	return first;
}

int
main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 1000000;
	double outside = nanoseconds(times, [] { sleave_event("DBImpl.Flush.Before"); });
	double unmentioned = 0, mentioned = 0, each = 0, pairs = 0, blocked = 0, beside = 0, logic = 0, two = 0;

	SLEAVE_SCHEDULE("opened -> DBImpl.Flush.Before, DBImpl.Flush.Before -> closed") {
		sleave_event("opened");
		unmentioned = nanoseconds(times, [] { sleave_event("DBImpl.Compact.Before"); });
		mentioned = nanoseconds(times, [] { sleave_event("DBImpl.Flush.Before"); });
		sleave_event("closed");
	}
	SLEAVE_SCHEDULE("opened -> DBImpl.Flush.Before#*, DBImpl.Flush.Before -> closed") {
		sleave_event("opened");
		each = nanoseconds(times, [] { sleave_event("DBImpl.Flush.Before"); });
		sleave_event("closed");
	}
	SLEAVE_SCHEDULE("DBImpl.Flush.Before#* -> DBImpl.Compact.Before#*") {
		pairs = nanoseconds(times, [] {
				sleave_event("DBImpl.Flush.Before");
				sleave_event("DBImpl.Compact.Before");
			}) / 2;
	}
	SLEAVE_SCHEDULE("[opened] -> DBImpl.Flush.Before#*") {
		std::thread opens([] {
			sleave_event("opened");
			std::lock_guard<std::mutex> wait(until);
		});
		blocked = nanoseconds(times, [] { sleave_event("DBImpl.Flush.Before"); });
		until.unlock();
		opens.join();
		until.lock();
	}
	SLEAVE_SCHEDULE("DBImpl.Flush.Before#* -> DBImpl.Compact.Before#*, !(closed -> opened), !closed || (opened -> closed)") {
		sleave_event("opened");
		beside = nanoseconds(times, [] {
				 sleave_event("DBImpl.Flush.Before");
				 sleave_event("DBImpl.Compact.Before");
			 }) / 2;
		sleave_event("closed");
	}
	SLEAVE_SCHEDULE("!(DBImpl.Flush.Before -> opened), (!closed && [@T1]) -> DBImpl.Flush.Before") {
		std::thread opens([] {
			sleave_event("opened");
			std::lock_guard<std::mutex> wait(until);
		});
		logic = nanoseconds(times, [] { sleave_event("DBImpl.Flush.Before"); });
		until.unlock();
		opens.join();
		until.lock();
		sleave_event("closed");
	}
	SLEAVE_SCHEDULE("DBImpl.Flush.Before@main#* -> DBImpl.Flush.Before@T1") {
		two = nanoseconds(times, [] { sleave_event("DBImpl.Flush.Before"); });
		std::thread([] { sleave_event("DBImpl.Flush.Before"); }).join();
	}
	double first = chained("opened -> ready, " + chain("", false, "")),
	       first_blocked = chained("[opened] -> ready, " + chain("([opened] && ", false, "")),
	       first_logic = chained("opened -> ready, " + chain("!(", true, ")"));
	printf("%.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f\n", outside, unmentioned, mentioned, each, pairs,
	       first, unmentioned, blocked, beside, logic, two, first_blocked, first_logic);
	return 0;
}
#else

class SyncPoint {
	std::mutex mutex;
	std::condition_variable changed;
	bool enabled = false;
	std::unordered_map<std::string, std::vector<std::string>> before;
	std::unordered_set<std::string> cleared;
	bool filters = false;
	std::vector<bool> filter = std::vector<bool>(4096);

	static size_t
	place(const char *name)
	{
		size_t hash = 0xcbf29ce484222325u;

		for (; *name; name++)
			hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
		return hash % 4096;
	}

	bool
	may_go(const std::string &name)
	{
		auto found = before.find(name);
		if (found == before.end())
			return true;
		for (const std::string &point : found->second)
			if (!cleared.count(point))
				return false;
		return true;
	}

public:
	void
	order(const std::string &first, const std::string &then)
	{
		before[then].push_back(first);
		filter[place(first.c_str())] = filter[place(then.c_str())] = true;
		enabled = true;
	}

	void
	use_filter()
	{
		filters = true;
	}

	__attribute__((noinline)) void
	process(const char *point)
	{
		if (!enabled)
			return;
		if (filters && !filter[place(point)])
			return;
		std::string name(point);
		std::unique_lock<std::mutex> lock(mutex);
		while (!may_go(name))
			changed.wait(lock);
		cleared.insert(name);
		changed.notify_all();
	}
};

static SyncPoint points;

int
main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 1000000;
	double outside = nanoseconds(times, [] { points.process("DBImpl.Flush.Before"); }), unmentioned, mentioned, filtered,
	       first = 1e9;

	points.order("opened", "DBImpl.Flush.Before");
	points.order("DBImpl.Flush.Before", "closed");
	points.process("opened");
	unmentioned = nanoseconds(times, [] { points.process("DBImpl.Compact.Before"); });
	mentioned = nanoseconds(times, [] { points.process("DBImpl.Flush.Before"); });
	points.process("closed");
	for (int round = 0; round < 50; round++) {
		SyncPoint points;

		for (int i = 0; i + 1 < 64; i++)
			points.order(steps[i], steps[i + 1]);
		auto from = std::chrono::steady_clock::now();
#define POINT(name) points.process(name);
		CHAIN
#undef POINT
		std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - from;
		first = std::min(first, passed.count() / 64);
	}
	points.use_filter();
	filtered = nanoseconds(times, [] { points.process("DBImpl.Compact.Before"); });
	printf("%.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f\n", outside, unmentioned, mentioned, mentioned,
	       mentioned, first, filtered, mentioned, mentioned, mentioned, mentioned, first, first);
	return 0;
}
#endif
