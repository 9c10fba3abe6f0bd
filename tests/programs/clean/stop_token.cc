/*
 * bug/deadlock/stop_token.cc, repaired: the wait has the stop token. Nothing is to be found.
 */
/* standard: c++20 */
/* options: --schedules 20000 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable_any changed;
static bool ready;

int
main()
{
	std::jthread worker([](std::stop_token stop) {
		std::unique_lock hold(lock);

		while (!ready && !stop.stop_requested())
			changed.wait(hold, stop, [] { return ready; });
	});
	return 0;
}
