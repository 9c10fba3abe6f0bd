/*
 * An object that is copied byte by byte when it is passed, and one that is built where the other thread already looks.
 */
/* expect: data race on board\.second */
#include <new>
#include <thread>
#include <utility>

struct measure {
	double values[4];
};
using named = std::pair<int, measure>;
named board;

__attribute__((noinline)) static measure
take(int first)
{
	return measure{{first * 1.0, 2, 3, 4}};
}

__attribute__((noinline)) static double
total(measure m)
{
	return m.values[0] + m.values[3];
}

int
main()
{
	double seen = 0;
	std::thread writer([] { new (&board.second) measure(take(7)); });
	std::thread reader([&] { seen = total(board.second); });

	writer.join();
	reader.join();
	return seen < 0;
}
