/*
 * Words for input and output: what is behind a descriptor, and what an operation on it came to.
 */
#include "report/words.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Names of channels (engine/under/layout.h). */
#define CHANNELS_LOW 0x6d0000000000u
#define CHANNELS_HIGH 0x6e0000000000u
#define INHERITED_LOW (CHANNELS_LOW + (1u << 16))
#define MADE_LOW (CHANNELS_LOW + (1u << 27))
#define CHANNEL_SIZE 64
#define CHILDREN (CHANNELS_LOW + 2 * CHANNEL_SIZE)
#define ERRORS 4096 /* numbers of errors are below */

bool
sl_words_is_channel(uint64_t address)
{
	return address >= CHANNELS_LOW && address < CHANNELS_HIGH;
}

/* Returns the value of the operation that made it. */
uint64_t
sl_words_made(const struct sl_words *w, uint64_t address)
{
	for (uint64_t i = 0; i < w->trace->count; i++) {
		const struct sl_record *r = &w->trace->records[i];

		if (r->op.kind == SL_IO_OPEN && r->op.object == address && r->value < UINT64_MAX - 4095)
			return r->value;
	}
	return UINT64_MAX;
}

bool
sl_channel_is_one(uint64_t address)
{
	return sl_words_is_channel(address) && (address >= INHERITED_LOW || address == CHILDREN);
}

const char *
sl_words_channel(const struct sl_words *w, uint64_t address, char *text, size_t room)
{
	return sl_channel_format(address, address < MADE_LOW ? UINT64_MAX : sl_words_made(w, address), text, room);
}

const char *
sl_channel_format(uint64_t address, uint64_t made, char *text, size_t room)
{
	static const char *const kinds[] = {
		[SL_CHANNEL_UNKNOWN] = "descriptor",  [SL_CHANNEL_PIPE] = "pipe",
		[SL_CHANNEL_PAIR] = "socket pair",    [SL_CHANNEL_SOCKET] = "socket",
		[SL_CHANNEL_EVENT] = "eventfd",       [SL_CHANNEL_TIMER] = "timer",
		[SL_CHANNEL_SIGNAL] = "signalfd",     [SL_CHANNEL_EPOLL] = "epoll",
		[SL_CHANNEL_FIFO] = "named pipe",     [SL_CHANNEL_FILE] = "file",
		[SL_CHANNEL_QUEUE] = "message queue",
	};
	uint64_t first, second, kind;

	if (address == CHILDREN) {
		snprintf(text, room, "the end of a process");
		return text;
	}
	if (address >= INHERITED_LOW && address < MADE_LOW) {
		snprintf(text, room, "descriptor %" PRIu64, (address - INHERITED_LOW) / CHANNEL_SIZE);
		return text;
	}
	if (made == UINT64_MAX) {
		snprintf(text, room, "a descriptor");
		return text;
	}
	first = made & 0xffff;
	second = made >> 16 & 0xffff;
	kind = made >> 32;
	if (kind >= sizeof(kinds) / sizeof(kinds[0]))
		kind = SL_CHANNEL_UNKNOWN;
	if (first == 0xffff)
		snprintf(text, room, "a %s", kinds[kind]);
	else if (second == 0xffff)
		snprintf(text, room, "descriptor %" PRIu64 " (%s)", first, kinds[kind]);
	else
		snprintf(text, room, "descriptors %" PRIu64 " and %" PRIu64 " (%s)", first, second, kinds[kind]);
	return text;
}

const char *
sl_io_remark(const struct sl_narrated *m, char *text, size_t room)
{
	int64_t value = (int64_t)m->value;

	text[0] = '\0';
	if (value == -EAGAIN)
		snprintf(text, room, ": would block");
	else if (value < 0 && value > -ERRORS)
		snprintf(text, room, ": %s", strerror((int)-value));
	else if (value == 0 && m->kind == SL_IO_READ)
		snprintf(text, room, ": end of file");
	else if (m->kind == SL_IO_READ || m->kind == SL_IO_WRITE)
		snprintf(text, room, " (%" PRId64 " byte%s)", value, value == 1 ? "" : "s");
	else if (m->kind == SL_IO_WAIT && m->object == CHILDREN)
		snprintf(text, room, value ? ": process %" PRId64 : ": no process has ended", value);
	else if (m->kind == SL_IO_WAIT)
		snprintf(text, room, ": %" PRId64 " ready", value);
	return text;
}

const char *
sl_words_io_wait(const struct sl_words *w, const struct sl_op *op, char *text, size_t room)
{
	char channel[128];

	sl_words_channel(w, op->object, channel, sizeof(channel));
	switch ((enum sl_op_kind)op->kind) {
	case SL_IO_READ:
		snprintf(text, room, "waits for something to read from %s", channel);
		break;
	case SL_IO_WRITE:
		snprintf(text, room, "waits for room to write to %s", channel);
		break;
	case SL_IO_ACCEPT:
		snprintf(text, room, "waits for a connection to %s", channel);
		break;
	case SL_IO_CONNECT:
		snprintf(text, room, "waits for the other end of %s", channel);
		break;
	case SL_IO_LOCK:
		snprintf(text, room, "waits for the lock of %s", channel);
		break;
	default:
		if (op->object > CHANNELS_LOW)
			snprintf(text, room, "waits for %s", channel);
		else
			snprintf(text, room, "waits for one of several descriptors");
	}
	return text;
}
