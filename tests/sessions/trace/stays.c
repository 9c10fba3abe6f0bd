#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d\n", (int)getpid()), fd = creat("stays.new", 0600);
	if (write(fd, text, length) != length || close(fd) || rename("stays.new", "stays.pid"))
		return 1;
	alarm(60); /* if the test does not end it before */
	pause();
	return 0;
}
