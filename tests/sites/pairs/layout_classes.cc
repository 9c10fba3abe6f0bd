/*
 * As layout.c, of C++: classes that have got a member, and a member function.
 */
#include <mutex>

#include "layout.h"

namespace shop {

class shelf {
      public:
	int count() const
	{
		std::lock_guard<std::mutex> guard(lock);

		return boxes;
	}

	void add(int more)
	{
		std::lock_guard<std::mutex> guard(lock);

		boxes += more;
	}

	ONE_MORE(weight)

      private:
	mutable std::mutex lock;
	int boxes = 0;
};

template <typename T> struct pair {
	ONE_MORE(between)
	T first, second;
};

struct derived : shelf {
	ONE_MORE(price)
	int label;
};

} // namespace shop

int
of_class(shop::shelf &s)
{
	s.add(2);
	return s.count();
}

int
of_template(shop::pair<int> &p)
{
	return p.first - p.second;
}

int
of_derived(shop::derived &d)
{
	return d.label;
}

int
of_lambda(shop::pair<int> &p, int more)
{
	auto sum = [&](int other) { return p.first + more + other; };

	return sum(3);
}

int
of_reference_to_local(int value)
{
	shop::pair<long> p{};

	p.second = value;
	return static_cast<int>(p.second);
}

void
copies(shop::pair<int> &to, const shop::pair<int> &from)
{
	to = from;
}

shop::shelf *
makes(void)
{
	return new shop::shelf;
}
