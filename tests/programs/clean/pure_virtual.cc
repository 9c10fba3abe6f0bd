/*
 * bug/abort/pure_virtual.cc, repaired: the derived class waits for its thread itself. Nothing is to be found, not
 * even a race.
 */
#include <thread>

struct service {
	std::thread worker;
	virtual void work() = 0;
	void start()
	{
		worker = std::thread([this] { work(); });
	}
	virtual ~service()
	{
	}
};

struct printer : service {
	void work() override
	{
	}
	~printer() override
	{
		worker.join();
	}
};

int
main()
{
	printer p;

	p.start();
	return 0;
}
