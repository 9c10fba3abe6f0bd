/* std::scoped_lock of two mutexes, in opposite orders: the library backs off; that it could do so for ever is not reported. */
/* options: --schedules 300 */
#include <mutex>
#include <thread>

static std::mutex a, b;
static int done;

int main()
{
	std::thread t([] { std::scoped_lock both(a, b); done++; }), u([] { std::scoped_lock both(b, a); done++; });

	t.join();
	u.join();
	return done != 2;
}
