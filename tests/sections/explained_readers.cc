/* The message names the readers of a read-write lock that a thread wants to write; for std::condition_variable, the waiting line. */
/* aborts */
/* says: schedule "writes" can't happen: no thread can go on */
/* says: T1 (reader) is held at `out` */
/* says: T2 (reader too) is held at `out` */
/* says: T3 waits at sections/explained_readers.cc:35 for a condition variable (changed) */
/* says: T4 (writer) waits at sections/explained_readers.cc:43 for a read-write lock, to write (lock), which T1 (reader) and T2 (reader too) hold to read */
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sleave.h>
#include <thread>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static std::mutex mutex;
static std::condition_variable changed;
static bool over;

static void
read(const char *name)
{
	sleave_thread_name(name);
	pthread_rwlock_rdlock(&lock);
	sleave_event("in");
	sleave_event("out");
	pthread_rwlock_unlock(&lock);
}

static void
wait()
{
	std::unique_lock<std::mutex> guard(mutex);

	while (!over)
		changed.wait(guard); // waits
}

static void
write()
{
	sleave_thread_name("writer");
	sleave_event("comes");
	pthread_rwlock_wrlock(&lock); // writes
	sleave_event("written");
	pthread_rwlock_unlock(&lock);
}

int
main()
{
	SLEAVE_SCHEDULES("writes", "in#2 -> comes, written -> out") {
		std::thread reader(read, "reader"), too(read, "reader too"), waiter(wait), writer(write);

		writer.join();
		{
			std::lock_guard<std::mutex> guard(mutex);

			over = true;
		}
		changed.notify_all();
		waiter.join();
		reader.join();
		too.join();
	}
}
