/*
 * What a point in the code under test costs that a test may order: sleave_event() (-DEVENT) against a sync point made of a
 * mutex, a condition variable and a table by name, as database servers have them in their debug builds.
 * Prints nanoseconds: outside of any test; in one that does not mention it; in one that does; in one where each
 * occurrence counts.
 */
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

/* Another thread is there, as in every test that needs an order: libc spares a process with only one its atomics. */
static std::mutex until;
static struct Other {
	std::thread thread;
	Other() : thread((until.lock(), [] { std::lock_guard<std::mutex> wait(until); })) {}
	~Other() { until.unlock(), thread.join(); }
} other;

#ifdef EVENT
#include <sleave.h>

int
main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 1000000;
	double outside = nanoseconds(times, [] { sleave_event("DBImpl.Flush.Before"); });
	double unmentioned = 0, mentioned = 0, each = 0;

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
	printf("%.2f %.2f %.2f %.2f\n", outside, unmentioned, mentioned, each);
	return 0;
}
#else

class SyncPoint {
	std::mutex mutex;
	std::condition_variable changed;
	bool enabled = false;
	std::unordered_map<std::string, std::vector<std::string>> before;
	std::unordered_set<std::string> cleared;

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
		enabled = true;
	}

	__attribute__((noinline)) void
	process(const char *point)
	{
		if (!enabled)
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
	double outside = nanoseconds(times, [] { points.process("DBImpl.Flush.Before"); }), unmentioned, mentioned;

	points.order("opened", "DBImpl.Flush.Before");
	points.order("DBImpl.Flush.Before", "closed");
	points.process("opened");
	unmentioned = nanoseconds(times, [] { points.process("DBImpl.Compact.Before"); });
	mentioned = nanoseconds(times, [] { points.process("DBImpl.Flush.Before"); });
	points.process("closed");
	printf("%.2f %.2f %.2f %.2f\n", outside, unmentioned, mentioned, mentioned);
	return 0;
}
#endif
