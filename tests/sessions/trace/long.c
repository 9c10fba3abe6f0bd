#include <fcntl.h>
#include <unistd.h>

volatile long x;

int main(void)
{
	close(creat("begun", 0600));
	for (int i = 0; i < 6000; i++) {
		x++;
		usleep(10000);
	}
	return 0;
}
