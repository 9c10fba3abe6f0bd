#include <stdatomic.h>

struct large {
	long a[3];
};
static atomic_int strong, weak;
static _Atomic struct large large;

int main(void)
{
	struct large is = {{1, 2, 3}};
	int old = 5;

	atomic_compare_exchange_strong(&strong, &old, 7);
	atomic_compare_exchange_strong(&strong, &old, 7);
	atomic_compare_exchange_strong(&large, &is, is);
	atomic_compare_exchange_strong(&large, &is, is);
	old = 0;
	while (!atomic_compare_exchange_weak(&weak, &old, 1))
		;
	return 0;
}
