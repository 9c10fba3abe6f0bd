/*
 * A std::jthread asks its thread to stop when it goes out of scope, and joins it; but the thread waits without its token.
 */
/* standard: c++20 */
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
			changed.wait(hold);
	});
	return 0;
}
