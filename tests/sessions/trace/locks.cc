#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
static std::mutex m;
static std::recursive_mutex rm;
static std::timed_mutex tm;
static std::shared_mutex sm;
static std::condition_variable c;
static int x;
int main()
{
	std::unique_lock<std::mutex> has(m);
	std::lock_guard<std::recursive_mutex> once(rm), twice(rm);
	std::lock_guard<std::timed_mutex> timed(tm);
	std::unique_lock<std::shared_mutex> writes(sm);
	x++;
	c.wait_for(has, std::chrono::microseconds(1));
}
