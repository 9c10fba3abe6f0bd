/*
 * A server on whatever port the kernel chooses, TCP and UDP: the program sees the same ones in every execution (from
 * 50000, in the order in which they are chosen), they are what clients reach and what accept and recvfrom show.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in server, datagrams;
static int clients_port;

static struct sockaddr_in
name_of(int fd, int (*which)(int, struct sockaddr *, socklen_t *))
{
	struct sockaddr_in a;
	socklen_t length = sizeof(a);

	assert(!which(fd, (struct sockaddr *)&a, &length) && length == sizeof(a));
	return a;
}

static void *
client(void *arg)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert(!connect(fd, (struct sockaddr *)&server, sizeof(server)));
	clients_port = name_of(fd, getsockname).sin_port;
	assert(name_of(fd, getpeername).sin_port == server.sin_port);
	assert(write(fd, "x", 1) == 1);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	assert(sendto(fd, "y", 1, 0, (struct sockaddr *)&datagrams, sizeof(datagrams)) == 1);
	return arg;
}

int
main(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, from;
	int listener = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0), connection;
	socklen_t length = sizeof(from);
	char byte;
	pthread_t thread;

	assert(!bind(listener, (struct sockaddr *)&any, sizeof(any)) && !listen(listener, 1));
	assert(!bind(udp, (struct sockaddr *)&any, sizeof(any)));
	server = name_of(listener, getsockname);
	datagrams = name_of(udp, getsockname);
	assert(ntohs(server.sin_port) == 50000 && ntohs(datagrams.sin_port) == 50001);
	pthread_create(&thread, NULL, client, NULL);
	connection = accept(listener, (struct sockaddr *)&from, &length);
	assert(connection >= 0 && read(connection, &byte, 1) == 1 && byte == 'x');
	assert(name_of(connection, getpeername).sin_port == from.sin_port);
	assert(name_of(connection, getsockname).sin_port == server.sin_port);
	length = sizeof(from);
	assert(recvfrom(udp, &byte, 1, 0, (struct sockaddr *)&from, &length) == 1 && byte == 'y' && ntohs(from.sin_port) == 50003);
	pthread_join(thread, NULL);
	assert(name_of(connection, getpeername).sin_port == clients_port && ntohs(clients_port) == 50002);
	return 0;
}
