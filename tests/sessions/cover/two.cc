#include <mutex>
#include <thread>
static std::mutex m, n;
static void one()
{
	{ std::lock_guard<std::mutex> has(m); }
	{ std::unique_lock<std::mutex> has(m); }
}
static void two()
{
	{ std::scoped_lock both(m, n); }
	m.lock();
	m.unlock();
}
int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
}
