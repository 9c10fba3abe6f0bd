#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex m;
static std::condition_variable_any c;
static void one()
{
	{ std::shared_lock<std::shared_mutex> has(m); }
	m.lock();
	m.unlock();
}
static void two()
{
	std::unique_lock<std::shared_mutex> has(m);
	c.wait_for(has, std::chrono::milliseconds(1));
}
int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
}
