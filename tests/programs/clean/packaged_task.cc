/*
 * bug/race/packaged_task.cc, repaired: it waits with a std::shared_future. Nothing is to be found.
 */
#include <future>
#include <thread>

int data;

int
main()
{
	std::packaged_task<int()> task([] {
		data = 5;
		return 1;
	});
	std::shared_future<int> result = task.get_future();
	std::thread worker(std::move(task));
	std::thread reader([result] {
		result.wait();
		if (data > 5)
			std::terminate();
	});
	int one = result.get();

	reader.join();
	worker.join();
	return one != 1;
}
