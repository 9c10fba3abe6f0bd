/* A lambda of another thread: what it has captured is written by its name alone, and so is what a reference leads to. */
#include <thread>

struct Node {
	int value = 0;
};

static void
add(Node &node)
{
	node.value++;
}

int
main()
{
	Node *one = new Node;
	std::thread t([&] { one->value++; });

	add(*one);
	t.join();
	return one->value == 2 ? 0 : 1;
}
