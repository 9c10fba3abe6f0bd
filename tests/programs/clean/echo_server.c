/* A server on the loopback interface and two clients; the address is the same in every execution. */
/* options: --strategy random --schedules 500 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address;
static int listener;

static void *client(void *text)
{
	char answer[8] = "";
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert(!connect(s, (struct sockaddr *)&address, sizeof(address)));
	assert(send(s, text, 3, 0) == 3);
	assert(recv(s, answer, 3, MSG_WAITALL) == 3);
	assert(!memcmp(answer, text, 3));
	assert(recv(s, answer, 1, 0) == 0);
	close(s);
	return NULL;
}

int main(void)
{
	socklen_t length = sizeof(address);
	pthread_t threads[2];
	char text[8];

	address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	assert(!bind(listener, (struct sockaddr *)&address, sizeof(address)));
	assert(!getsockname(listener, (struct sockaddr *)&address, &length));
	assert(!listen(listener, 2));
	pthread_create(&threads[0], NULL, client, "one");
	pthread_create(&threads[1], NULL, client, "two");
	for (int i = 0; i < 2; i++) {
		int s = accept(listener, NULL, NULL);

		assert(recv(s, text, 3, MSG_WAITALL) == 3);
		assert(send(s, text, 3, 0) == 3);
		close(s);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
