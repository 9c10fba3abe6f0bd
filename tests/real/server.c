/*
 * Tests a server as a program of its own: linked into it with -Xlinker --wrap=main, this main() starts the server's in a
 * thread and is the client, in the same process and so under the same control. What it says and what it expects is in the
 * file $CLIENT_SCRIPT: lines that begin with `>` are sent, with a line end as the protocols of the internet have it; each
 * that begins with `<` is what the next line of the answer must begin with. $CLIENT_SOCKET is the server's socket in the file
 * system. A `&` alone on a line begins another client, which runs in a thread beside the others. When all have ended, so
 * does the program, with status 0; the server's threads are wherever they are then.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 8, LINES = 64, LENGTH = 256 };

struct client {
	char lines[LINES][LENGTH];
	int count;
};

static struct client clients[CLIENTS];
static int client_count = 1;
static char path[108]; /* a copy: a server may move its environment */

static struct arguments {
	int argc;
	char **argv, **environment;
} arguments;

int __real_main(int, char **, char **);
int __wrap_main(int, char **, char **);

static void
die(const char *what, const char *which)
{
	fprintf(stderr, "client: %s: %s\n", what, which);
	abort();
}

static void *
serve(void *arg)
{
	exit(__real_main(arguments.argc, arguments.argv, arguments.environment));
	return arg;
}

static FILE *
reach(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	FILE *stream;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	/* It may not be there yet, and no number of attempts is enough in every schedule. */
	while (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		usleep(10000);
	stream = fdopen(fd, "r+");
	if (!stream)
		die("no stream", path);
	setvbuf(stream, NULL, _IONBF, 0);
	return stream;
}

static void *
talk(void *arg)
{
	struct client *c = arg;
	FILE *stream = reach();
	char answer[4 * LENGTH];

	for (int i = 0; i < c->count; i++) {
		const char *line = c->lines[i];

		if (*line == '>') {
			if (fprintf(stream, "%s\r\n", line + 1) < 0)
				die("can't be sent", line);
		} else if (!fgets(answer, sizeof(answer), stream)) {
			die("no answer, expected", line);
		} else if (strncmp(answer, line + 1, strlen(line + 1))) {
			fprintf(stderr, "client: expected %s, got %s", line + 1, answer);
			abort();
		}
	}
	fclose(stream);
	return NULL;
}

static void
read_script(const char *name)
{
	FILE *file = fopen(name, "r");
	char line[LENGTH];

	if (!file)
		die("no script", name);
	while (fgets(line, sizeof(line), file)) {
		struct client *c = &clients[client_count - 1];

		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "&") && client_count < CLIENTS)
			client_count++;
		else if ((*line == '<' || *line == '>') && c->count < LINES)
			strcpy(c->lines[c->count++], line);
		else
			die("can't be understood", line);
	}
	fclose(file);
}

int
__wrap_main(int argc, char **argv, char **environment)
{
	pthread_t server, threads[CLIENTS];

	if (!getenv("CLIENT_SCRIPT") || !getenv("CLIENT_SOCKET"))
		return __real_main(argc, argv, environment);
	arguments = (struct arguments){argc, argv, environment};
	read_script(getenv("CLIENT_SCRIPT"));
	snprintf(path, sizeof(path), "%s", getenv("CLIENT_SOCKET"));
	unlink(path);
	if (pthread_create(&server, NULL, serve, NULL))
		die("no thread", "server");
	pthread_detach(server);
	for (int i = 0; i < client_count; i++)
		if (pthread_create(&threads[i], NULL, talk, &clients[i]))
			die("no thread", "client");
	for (int i = 0; i < client_count; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}
