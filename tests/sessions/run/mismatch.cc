#include <cstdlib>
#include <thread>
int main()
{
	std::thread([] { free(new int); delete[] new int; }).join();
}
