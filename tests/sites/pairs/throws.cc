/*
 * Functions that can throw in one version only: that is no change of those that call them, as long as these do nothing but clean up.
 */
#include <mutex>
#include <string>

#if NEW
#define MAY(value)
#define PROMISE noexcept
#else
#define MAY(value)                                                                                                \
	if ((value) < 0)                                                                                          \
		throw 1;
#define PROMISE
#endif

static std::mutex lock;
static int total;

class scope {
      public:
	explicit scope(int by) : by(by)
	{
		total += by;
	}
	~scope()
	{
		total -= by;
	}

      private:
	int by;
};

int promised(int value) PROMISE;
int other(int value);

static int
checked(int value)
{
	MAY(value);
	return value + 1;
}

/* ---- no change ---- */

int
guarded(int value)
{
	std::lock_guard<std::mutex> guard(lock);

	total += checked(value);
	return total;
}

int
several(int value)
{
	scope outer(value);

	for (int i = 0; i < value; i++) {
		scope inner(i);

		if (checked(i) == 3)
			return 2;
		if (checked(i) == 4)
			continue;
		total++;
	}
	return total;
}

int
text(int value)
{
	std::string name = "name";

	if (checked(value) > 2)
		name += "more";
	return static_cast<int>(name.size()) + checked(value);
}

int
of_promise(int value)
{
	scope one(value);

	return promised(value) + promised(value + 1);
}

int
of_promise_and_branches(int value)
{
	scope one(value);

	if (promised(value) > 2)
		return 3;
	for (int i = 0; i < value; i++)
		if (promised(i))
			total++;
	return total;
}

int
catches(int value)
{
	scope one(value);

	try {
		scope two(value);

		return checked(value) + other(value);
	} catch (int number) {
		return number;
	}
}

/* ---- changed ---- */

int
another_handler(int value)
{
	try {
		return other(value);
	} catch (int) {
		return NEW;
	}
}

int
another_type(int value)
{
	try {
		return other(value);
#if NEW
	} catch (long) {
#else
	} catch (int) {
#endif
		return 1;
	}
}

int
throws(int value)
{
	scope one(value);

	if (value)
		throw NEW;
	return 1;
}

int
another_cleanup(int value)
{
#if NEW
	scope one(value);
#endif
	return other(value);
}
