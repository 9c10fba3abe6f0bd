/*
 * The base class's destructor waits for the thread that calls a virtual function: if the thread
 * is late, the derived part is gone and the call is of a pure virtual function, which aborts.
 * Reading the virtual table while it is written is a race as well; this test is about the abort.
 */
/* options: --races=off */
/* expect: ^abort */
#include <thread>

struct service {
	std::thread worker;
	virtual void work() = 0;
	void start();
	virtual ~service();
};

void
service::start()
{
	worker = std::thread([this] { work(); });
}

__attribute__((noinline)) service::~service()
{
	worker.join();
}

struct printer : service {
	void work() override;
	~printer() override;
};

void
printer::work()
{
}

__attribute__((noinline)) printer::~printer()
{
	__asm__ volatile("" : : "r"(this) : "memory");
}

int
main()
{
	printer *p = new printer;

	p->start();
	delete p;
	return 0;
}
