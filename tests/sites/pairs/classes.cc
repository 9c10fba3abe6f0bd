/*
 * As changes.c, of C++.
 */
#include <mutex>
#include <string>

#if NEW
namespace other { int unused; }
#endif

template <typename T> class box {
      public:
	explicit box(T value) : content(value)
	{
	}

	T get() const
	{
		std::lock_guard<std::mutex> guard(lock);

#if NEW
		return content + 1;
#else
		return content;
#endif
	}

	void set(T value)
	{
		std::lock_guard<std::mutex> guard(lock);

		content = value;
	}

      private:
	mutable std::mutex lock;
	T content;
};

class base {
      public:
	virtual ~base() = default;
#if NEW
	virtual int added() { return 0; }
#endif
	virtual int value() { return 1; }
};

int
of_template(box<int> &one)
{
	return one.get();
}

void
same_template(box<int> &one)
{
	one.set(3);
}

int
of_virtual(base &one)
{
	return one.value();
}

int
same_throw(int value)
{
	std::string text = "text";

	if (value < 0)
		throw text;
	return static_cast<int>(text.size());
}

int
of_handler(int value)
{
	try {
		return same_throw(value);
#if NEW
	} catch (const std::string &) {
		return -2;
#else
	} catch (const std::string &) {
		return -1;
#endif
	}
}

int
main()
{
	box<int> one(1);
	base b;

	same_template(one);
	return of_template(one) + of_virtual(b) + of_handler(1);
}
