/*
 * What branches, writes, arguments and results of methods depend on: members of `this`, references, results in memory, guards, lambdas,
 * constructors, virtual calls, atomics.
 */
#include <atomic>
#include <mutex>

struct Money {
	long amount;
	int currency;
	long history[4];
};

class Shop {
      public:
	explicit Shop(int places) : limit(places), count(0)
	{
	}

	virtual ~Shop();
	virtual int price(int item) const;

	bool add(int items)
	{
		std::lock_guard<std::mutex> guard(lock);

		if (count + items > limit)
			return false;
		count += items;
		return true;
	}

	void total(const Money &each, Money &sum) const;
	void swap(int &left, int &right);
	int wait(int turns);

	mutable std::mutex lock;
	std::atomic<int> open{1};
	int limit, count;
};

int pick(int, long);

void
Shop::total(const Money &each, Money &sum) const
{
	sum.amount = each.amount * count;
	sum.currency = each.currency;
	sum.history[0] = 0;
}

void
Shop::swap(int &left, int &right)
{
	int kept = left;

	left = right;
	right = kept;
}

int
Shop::wait(int turns)
{
	while (open.load() > turns)
		turns = price(turns);
	return turns;
}

int
sell(Shop &shop, const Money &money)
{
	int rest = money.currency, item = pick(rest, money.history[rest]);

	return shop.price(item) > 3 ? shop.limit : item;
}

int
through_lambda(int start)
{
	int seen = start;
	auto note = [&seen](int by) { seen += by; };

	note(pick(1, 2));
	return seen;
}

Shop *
build(int places)
{
	return new Shop(places);
}

bool
stock(Shop &shop, int items)
{
	return shop.add(items);
}
