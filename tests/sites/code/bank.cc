/*
 * Functions, members and regions of C++: guards, locks of several, methods, virtual calls, atomics, a lock that is given back by hand.
 */
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bank {

class Journal {
      public:
	virtual ~Journal() = default;
	virtual void note(int amount) = 0;
};

class Quiet : public Journal {
      public:
	void note(int amount) override
	{
		last = amount;
	}

	Quiet() : last(0)
	{
	}

	~Quiet() override
	{
		last = -1;
	}

	int last;
};

class Account {
      public:
	explicit Account(int amount) : balance(amount)
	{
	}

	void deposit(int amount, Journal &journal)
	{
		std::lock_guard<std::mutex> guard(lock);

		if (amount < 0)
			throw std::invalid_argument("amount");
		balance += amount;
		journal.note(amount);
	}

	int read() const
	{
		std::shared_lock<std::shared_mutex> shared(names_lock);

		return names.empty() ? 0 : balance;
	}

	bool try_withdraw(int amount)
	{
		if (!lock.try_lock())
			return false;
		balance -= amount;
		lock.unlock();
		return true;
	}

	int settle(int amount);

	mutable std::shared_mutex names_lock;
	std::mutex lock;
	std::vector<std::string> names;
	std::atomic<int> uses{0};
	int balance;
};

int
Account::settle(int amount)
{
	std::unique_lock<std::mutex> holder(lock);

	if (balance < amount) {
		holder.unlock();
		uses++;
		return -1;
	}
	balance -= amount;
	return balance;
}

void
transfer(Account &from, Account &to, int amount)
{
	std::scoped_lock both(from.lock, to.lock);

	from.balance -= amount;
	to.balance += amount;
}

static int
twice(int value)
{
	return 2 * value;
}

int
apply(int (*function)(int), Account &account)
{
	account.uses.store(1);
	return function(account.uses.load());
}

} // namespace bank

static void
run(bank::Account *account, bank::Journal *journal)
{
	account->deposit(1, *journal);
}

int
main()
{
	bank::Account mine(3), yours(4);
	bank::Quiet quiet;
	std::thread other(run, &yours, &quiet);

	mine.deposit(2, quiet);
	bank::transfer(mine, yours, 1);
	other.join();
	return mine.settle(1) + yours.read() + mine.try_withdraw(1) + bank::apply(bank::twice, mine);
}
