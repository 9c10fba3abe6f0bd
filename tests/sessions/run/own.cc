#include <atomic>
#include <mutex>
#include <thread>
#include <vector>
static std::vector<int> all; static std::atomic<int> turns;
static std::mutex lock;
static void add(int i)
{
	if (i)
		lock.lock();
	all.push_back(i);
	if (i)
		lock.unlock();
}
int main()
{
	std::thread first(add, 0);
	std::thread second([] { turns.fetch_add(1); add(1); });
	turns.fetch_add(1);
	first.join();
	second.join();
}
