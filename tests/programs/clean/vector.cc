/*
 * bug/race/vector.cc, repaired: std::mutex, while the vector grows. Nothing is to be found.
 */
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> names;

static void
add(const char *name)
{
	std::lock_guard<std::mutex> hold(lock);

	names.emplace_back(std::string(name) + ", who has a name that does not fit into the string itself");
}

int
main()
{
	std::thread other(add, "Ada");

	add("Grace");
	other.join();
	assert(names.size() == 2 && names[0] != names[1]);
	return 0;
}
