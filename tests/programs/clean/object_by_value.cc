/*
 * Objects that are passed, returned and built in place, before their thread is started or after it has ended; and an
 * object that is not copied byte by byte, whose address another thread has before the function that makes it returns.
 */
#include <cassert>
#include <mutex>
#include <thread>
#include <utility>

struct measure {
	double values[4];
};

struct worker { /* of which there is one, built where it stays */
	std::mutex lock;
	long rounds = 0;
	std::thread thread;
	worker() : thread([this] { step(); }) {}
	worker(const worker &) = delete;
	void
	step()
	{
		std::lock_guard<std::mutex> guard(lock);
		rounds++;
	}
};

__attribute__((noinline)) static measure
take(int first)
{
	return measure{{first * 1.0, 2, 3, 4}};
}

__attribute__((noinline)) static double
total(measure m)
{
	return m.values[0] + m.values[3];
}

__attribute__((noinline)) static worker
make()
{
	return worker();
}

int
main()
{
	measure *m = new measure(take(7));
	worker *w = new worker(make());
	double seen = 0;
	std::thread reader([&] { seen = total(*m); });

	w->step();
	reader.join();
	w->thread.join();
	*m = take(1);
	assert(seen == 11 && w->rounds == 2 && total(*m) == 5);
	delete w;
	delete m;
	return 0;
}
