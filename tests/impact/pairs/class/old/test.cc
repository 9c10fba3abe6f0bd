/* Member functions: the class of a point is that of its function, and a guard's region ends with its block. */
#include <mutex>

namespace bank {

class Account {
	std::mutex lock;
	int balance = 0;
	int uses = 0;

public:
	void deposit(int amount);
	int read();
};

void
Account::deposit(int amount)
{
	std::lock_guard<std::mutex> guard(lock);
	uses++;
	balance += amount;
}

int
Account::read()
{
	return uses;
}

}

int
main()
{
	bank::Account account;

	account.deposit(2);
	return account.read();
}
