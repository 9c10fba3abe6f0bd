#include <mutex>
static std::mutex m;
int main()
{
	std::lock_guard<std::mutex> has(m);
}
