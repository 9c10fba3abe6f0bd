/*
 * std::map, std::set and std::list, whose nodes libsleave links or watches: they hold what a sorted vector holds after a
 * few dozen insertions and removals, forwards and backwards. The other thread has its own. Elements that are
 * used while others are inserted are no race.
 */
#include <algorithm>
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

static void
compare(unsigned seed)
{
	std::set<unsigned> set;
	std::list<unsigned> list;
	std::vector<unsigned> sorted, order;

	for (int i = 0; i < 30; i++) {
		unsigned value = (seed = seed * 1103515245 + 12345) >> 16 & 15;
		auto at = std::lower_bound(sorted.begin(), sorted.end(), value);

		if (at != sorted.end() && *at == value) {
			sorted.erase(at);
			order.erase(std::find(order.begin(), order.end(), value));
			set.erase(value);
			list.remove(value);
		} else {
			sorted.insert(at, value);
			order.push_back(value);
			set.insert(value);
			list.push_back(value);
		}
		if (i % 10 == 0) {
			list.reverse();
			std::reverse(order.begin(), order.end());
			list.splice(list.begin(), list, std::prev(list.end()));
			std::rotate(order.begin(), order.end() - 1, order.end());
		}
		assert(std::equal(set.begin(), set.end(), sorted.begin(), sorted.end()));
		assert(std::equal(set.rbegin(), set.rend(), sorted.rbegin(), sorted.rend()));
		assert(std::equal(list.begin(), list.end(), order.begin(), order.end()));
		assert(std::equal(list.rbegin(), list.rend(), order.rbegin(), order.rend()));
	}
}

int
main()
{
	std::map<int, int> map = {{1, 1}, {2, 2}, {3, 3}};
	int &element = map[2];
	std::thread thread([&] {
		compare(7);
		element++;
	});

	compare(1);
	for (int i = 4; i < 9; i++)
		map[i] = i;
	map.erase(1);
	thread.join();
	assert(map[2] == 3 && map.size() == 7);
}
