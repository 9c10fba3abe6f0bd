/*
 * A program around CivetWeb, which is a library: a server with two workers, two clients in threads of the same process, each
 * with one request, and the end of the server. Status 0: both had the right answer.
 *
 * usage: PROGRAM [stop]: with `stop` there are no requests.
 */
#include "civetweb.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2 };

static int port;

static int
answer(struct mg_connection *connection, void *data)
{
	(void)data;
	mg_printf(connection, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
	return 200;
}

/* By a socket of its own: the library's client waits for 60 seconds at most, and the server may be delayed for longer. */
static void *
ask(void *arg)
{
	static const char request[] = "GET /hello HTTP/1.0\r\nHost: localhost\r\n\r\n";
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	char text[1024];
	size_t size = 0;
	ssize_t n;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    write(fd, request, sizeof(request) - 1) != sizeof(request) - 1)
		return arg;
	while ((n = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)n;
	close(fd);
	text[size] = '\0';
	if (size < 5 || strcmp(text + size - 5, "hello")) {
		fprintf(stderr, "wrong answer: %s\n", text);
		return arg;
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	static const char *const options[] = {"listening_ports",    "127.0.0.1:0", "num_threads", "2",
					      "request_timeout_ms", "-1",          NULL};
	struct mg_callbacks callbacks = {0};
	struct mg_server_port ports[1];
	struct mg_context *server;
	pthread_t clients[CLIENTS];
	int wrong = 0;

	mg_init_library(0);
	server = mg_start(&callbacks, NULL, (const char **)options);
	if (!server || mg_get_server_ports(server, 1, ports) != 1) {
		fprintf(stderr, "the server did not start\n");
		return 2;
	}
	port = ports[0].port;
	mg_set_request_handler(server, "/hello", answer, NULL);
	if (argc < 2 || strcmp(argv[1], "stop")) {
		for (int i = 0; i < CLIENTS; i++)
			pthread_create(&clients[i], NULL, ask, &wrong);
		for (int i = 0; i < CLIENTS; i++) {
			void *result;

			pthread_join(clients[i], &result);
			wrong |= result != NULL;
		}
	}
	mg_stop(server);
	mg_exit_library();
	return wrong;
}
