#include <thread>
int
main()
{
	int *n = new int(0);
	std::thread t([n] { ++*n; });
	++*n;
	t.join();
	delete n;
}
