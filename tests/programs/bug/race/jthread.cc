/*
 * std::jthread joins its thread when it goes out of scope: after what was declared behind it has gone, and after the
 * last use of the counter.
 */
/* standard: c++20 */
/* expect: ^data race on counter: */
#include <thread>

int counter;

int
main()
{
	std::jthread t([] { counter++; });

	counter++;
	return 0;
}
