/*
 * A std::packaged_task: the thread that started it waits for its end, and another reads what it wrote without waiting.
 */
/* expect: data */
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
	std::thread reader([] {
		if (data > 5)
			std::terminate();
	});
	int one = result.get();

	reader.join();
	worker.join();
	return one != 1;
}
