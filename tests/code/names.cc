/* Names of C++: namespaces, classes, overloads, templates, a static member, a mutex of the library. */
#include <mutex>
#include <thread>
namespace bank {
struct Account {
	static int total;
	std::mutex lock;
	int balance = 0;
	__attribute__((noinline)) void pay(int n)
	{
		std::lock_guard<std::mutex> guard(lock);
		balance += n;
		total += n;
	}
	__attribute__((noinline)) void pay(long)
	{
		std::lock_guard<std::mutex> guard(lock);
		balance += 100;
	}
};
int Account::total;
Account shared;
template <typename T> __attribute__((noinline)) void twice(T n)
{
	shared.pay(n);
}
}
namespace {
__attribute__((noinline)) void hidden()
{
	bank::shared.pay(5l);
}
}
int main()
{
	std::thread a([] { bank::twice(1); }), b(hidden);
	a.join();
	b.join();
	return bank::shared.balance != 101;
}
