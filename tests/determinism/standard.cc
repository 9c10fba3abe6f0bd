/*
 * C++: threads, locks, condition variables, exceptions, thread_local objects, containers. No finding.
 */
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::deque<std::shared_ptr<std::string>> queue;
static int failures, total;

struct counter {
	int count = 0;
	~counter()
	{
		std::lock_guard<std::mutex> hold(lock);
		total += count;
	}
};

static thread_local counter mine;

static void
consume()
{
	std::unique_lock<std::mutex> hold(lock);

	mine.count += changed.wait_for(hold, std::chrono::milliseconds(5)) == std::cv_status::timeout;
	changed.wait(hold, [] { return !queue.empty(); });
	std::shared_ptr<std::string> item = queue.front();
	queue.pop_front();
	hold.unlock();
	try {
		throw std::runtime_error(*item);
	} catch (const std::exception &) {
		hold.lock();
		failures++;
	}
}

int
main()
{
	std::thread a(consume), b(consume);

	for (const char *text : {"one", "more"}) {
		std::lock_guard<std::mutex> hold(lock);
		queue.push_back(std::make_shared<std::string>(text));
		changed.notify_one();
	}
	a.join(), b.join();
	return failures - 2;
}
