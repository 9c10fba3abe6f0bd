#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void run(void)
{
	close(open("/proc/self/cwd/evil-ran", O_CREAT | O_WRONLY, 0600));
}
