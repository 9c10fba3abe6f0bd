#include "report/narrator.h"

#include "base/op_words.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS 4096 /* numbers of errors are below */
#define WORDS_MAX 256

static bool
is_access(const struct sl_narrated *m)
{
	return sl_kind_is(m->kind, SL_KIND_ACCESS);
}

/* Returns the error with which the operation ended; 0: it succeeded, or its value is no error. */
static int
error_of(const struct sl_narrated *m)
{
	uint64_t value = m->value;

	if (m->kind == SL_COND_RELOCK)
		value &= ~SL_NOTE_SPURIOUS;
	else if (!sl_kind_is(m->kind, SL_KIND_FAILS) && m->kind != SL_EXEC)
		return 0;
	return value < ERRORS ? (int)value : 0;
}

/* Returns whether the value is an error number instead of what was opened. */
static bool
is_not_opened(const struct sl_narrated *m)
{
	return m->kind == SL_IO_OPEN && m->value > UINT64_MAX - ERRORS;
}

/* ---- the verb ---- */

const char *
sl_kind_verb(unsigned kind)
{
	const char *verb = sl_op_verb(kind);

	switch (kind) { /* kinds that are not operations */
	case SL_ITEM_CALL:
		return "calls";
	case SL_ITEM_RETURN:
		return "returns";
	case SL_ITEM_BRANCH:
		return "goes to";
	case SL_ITEM_REQUEST:
		return "wants";
	default:
		return verb ? verb : "does something unknown";
	}
}

const char *
sl_kind_wait(uint8_t kind)
{
	static const char wait[] = "waits ";
	const char *verb = sl_kind_verb(kind);

	return strncmp(verb, wait, strlen(wait)) == 0 ? verb : "waits for";
}

static const char *
action_verb(uint64_t value)
{
	switch (value >> 32) {
	case SL_ACTION_HANDLER:
		return "installs a handler for";
	case SL_ACTION_DEFAULT:
		return "sets the default action for";
	case SL_ACTION_IGNORED:
		return "ignores";
	default:
		return "sets the action for";
	}
}

static const char *
special_verb(const struct sl_namer *namer, const struct sl_narrated *m)
{
	if (m->kind == SL_ITEM_RETURN && namer->function && namer->function(namer->of))
		return "returns from";
	if (m->kind == SL_IO_WAIT && sl_channel_is_one(m->object))
		return "waits for";
	if (is_not_opened(m))
		return "fails to open";
	if (m->kind == SL_EXEC && m->value)
		return "fails to execute another program";
	if (m->kind == SL_COND_RELOCK && m->value & SL_NOTE_SPURIOUS)
		return "wakes up spuriously and locks";
	if (m->kind == SL_SIGACTION)
		return action_verb(m->value);
	if (m->kind >= SL_OP_KIND_COUNT && (m->kind < SL_ITEM_CALL || m->kind >= SL_ITEM_KIND_END))
		return namer->kind(namer->of);
	return NULL;
}

const char *
sl_narrated_verb(const struct sl_namer *namer, const struct sl_narrated *m, char *text, size_t room)
{
	const char *verb = special_verb(namer, m);
	int error = error_of(m);

	if (!verb)
		verb = sl_kind_verb(m->kind);
	/* "locks" becomes "tries to lock" if the attempt failed; a lock whose owner has died was taken */
	if (error && error != EOWNERDEAD && sl_kind_awaits_lock(m->kind) && m->kind != SL_COND_RELOCK)
		snprintf(text, room, "tries to %.*s", (int)strlen(verb) - 1, verb);
	else
		snprintf(text, room, "%s", verb);
	return text;
}

/* ---- the object ---- */

bool
sl_narrated_thread(const struct sl_narrated *m, uint32_t *thread)
{
	uint64_t number = m->value;

	if (m->kind == SL_COND_SIGNAL) {
		if (!number || number == SL_ITEM_UNKNOWN)
			return false;
		number--;
	} else if (m->kind == SL_KILL) {
		number = (uint32_t)number;
		if (number & SL_NOTE_CHILD)
			return false;
	} else if (!sl_kind_is(m->kind, SL_KIND_THREAD)) {
		return false;
	}
	*thread = (uint32_t)number;
	return number < UINT32_MAX;
}

const char *
sl_words_signal(uint64_t signal, char *text, size_t room)
{
	const char *name = signal < NSIG ? sigabbrev_np((int)signal) : NULL;

	if (name)
		snprintf(text, room, "SIG%s", name);
	else if (signal == (uint64_t)SIGRTMIN)
		snprintf(text, room, "SIGRTMIN");
	else if (signal > (uint64_t)SIGRTMIN && signal < NSIG)
		snprintf(text, room, "SIGRTMIN+%d", (int)signal - SIGRTMIN);
	else
		snprintf(text, room, "signal %" PRIu64, signal);
	return text;
}

const char *
sl_words_seconds(uint64_t nanoseconds, char *text, size_t room)
{
	if (nanoseconds && nanoseconds < 1000000)
		snprintf(text, room, "%g µs", (double)nanoseconds / 1e3);
	else
		snprintf(text, room, "%g s", (double)nanoseconds / 1e9);
	return text;
}

const char *
sl_block_format(const struct sl_block_words *b, char *text, size_t room)
{
	char number[32] = "", bytes[48] = "", offset[32] = "";

	if (b->ordinal)
		snprintf(number, sizeof(number), " #%" PRIu64, b->ordinal);
	if (b->bytes)
		snprintf(bytes, sizeof(bytes), " of %" PRIu64 " bytes", b->bytes);
	if (b->offset)
		snprintf(offset, sizeof(offset), ", +%" PRIu64, b->offset);
	snprintf(text, room, "heap block%s%s%s%s from %s%s", number, b->thread ? " of " : "",
		 b->thread ? b->thread : "", bytes, b->place, offset);
	return text;
}

const char *
sl_unnamed_format(const struct sl_module *modules, uint32_t count, uint64_t address, char *text, size_t room)
{
	if (address < SL_NULL_PAGES) {
		snprintf(text, room, address ? "NULL+%" PRIu64 : "NULL", address);
		return text;
	}
	for (uint32_t i = 0; i < count; i++)
		if (sl_module_format(&modules[i], address, text, room))
			return text;
	snprintf(text, room, "memory at 0x%" PRIx64, address);
	return text;
}

#define DESCRIPTOR "file descriptor "
#define DESCRIPTOR_WORD "file_descriptor["

void
sl_words_descriptor(char *object)
{
	if (strncmp(object, DESCRIPTOR_WORD, strlen(DESCRIPTOR_WORD)) != 0)
		return;
	memcpy(object, DESCRIPTOR, strlen(DESCRIPTOR));
	object[strcspn(object, "]")] = '\0';
}

/* Replaces the engine's words for settings of the whole process (engine/model/process/settings.h). */
static void
replace_setting(const struct sl_namer *namer, char *object, size_t room)
{
	static const char before[] = "process_settings.";
	char *word = object + strlen(before), *number, name[64], text[160];
	unsigned long n;

	if (strncmp(object, before, strlen(before)) != 0)
		return;
	number = strchr(word, '[');
	n = number ? strtoul(number + 1, NULL, 10) : 0;
	if (number)
		*number = '\0';
	if (!strcmp(word, "action_on_signal"))
		snprintf(text, sizeof(text), "the action for %s", sl_words_signal(n, name, sizeof(name)));
	else if (!strcmp(word, "flags_of_descriptor"))
		snprintf(text, sizeof(text), "the flags of file descriptor %lu", n);
	else if (!strcmp(word, "thread"))
		snprintf(text, sizeof(text), "the name of %s",
			 namer->thread(namer->of, (uint32_t)n, name, sizeof(name)));
	else if (!strcmp(word, "scheduling"))
		snprintf(text, sizeof(text), "the priority of %s",
			 namer->thread(namer->of, (uint32_t)n, name, sizeof(name)));
	else if (!strcmp(word, "joinable_thread"))
		snprintf(text, sizeof(text), "the join state of %s",
			 namer->thread(namer->of, (uint32_t)n, name, sizeof(name)));
	else
		snprintf(text, sizeof(text), "the process's %s", word);
	for (char *c = text; *c; c++)
		if (*c == '_' && !number)
			*c = ' ';
	snprintf(object, room, "%s", text);
}

static const char *
memory(const struct sl_namer *namer, const struct sl_narrated *m, char *text, size_t room)
{
	uint64_t size = !is_access(m) ? 0 : m->flags & SL_OP_RANGE ? m->value : m->size ? m->size : 1;

	if (!m->object)
		snprintf(text, room, is_access(m) ? "NULL" : "");
	else
		namer->memory(namer->of, m->object, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, text, room);
	sl_words_trim_lock(text);
	sl_words_descriptor(text);
	replace_setting(namer, text, room);
	if (m->kind == SL_TURN && !strncmp(text, "heap block", 10)) /* of <stdio.h>, or a folder */
		snprintf(text, room, "a stream");
	return text;
}

/* Names a signal and its target. */
static void
format_kill(const struct sl_namer *namer, const struct sl_narrated *m, char *text, size_t room)
{
	char signal[64], name[WORDS_MAX] = "the process";
	uint32_t thread;

	if (sl_narrated_thread(m, &thread))
		namer->thread(namer->of, thread, name, sizeof(name));
	else if ((uint32_t)m->value != UINT32_MAX)
		snprintf(name, sizeof(name), "process %u", (uint32_t)m->value & ~SL_NOTE_CHILD);
	snprintf(text, room, "%s to %s", sl_words_signal(m->value >> 32, signal, sizeof(signal)), name);
}

static const char *
format_channel(const struct sl_namer *namer, const struct sl_narrated *m, char *text, size_t room)
{
	uint64_t made = m->kind == SL_IO_OPEN ? m->value : namer->channel(namer->of, m->object);

	if (is_not_opened(m))
		snprintf(text, room, "a descriptor");
	else if (m->kind == SL_IO_WAIT && !sl_channel_is_one(m->object)) /* otherwise the verb says it */
		*text = '\0';
	else
		sl_channel_format(m->object, made, text, room);
	return text;
}

const char *
sl_narrated_object(const struct sl_namer *namer, const struct sl_narrated *m, char *text, size_t room)
{
	const char *name;
	uint32_t thread;

	*text = '\0';
	if (sl_kind_is(m->kind, SL_KIND_THREAD)) {
		if (sl_narrated_thread(m, &thread))
			return namer->thread(namer->of, thread, text, room);
		snprintf(text, room, "an unknown thread");
		return text;
	}
	switch (m->kind) {
	case SL_KILL:
		format_kill(namer, m, text, room);
		return text;
	case SL_HANDLE:
	case SL_SIGACTION:
	case SL_TIMER:
		return sl_words_signal((uint32_t)m->value, text, room);
	case SL_CHILD_END:
	case SL_KEY_USE:
	case SL_KEY_DELETE:
	case SL_CHOOSE:
		snprintf(text, room, "%" PRIu64, m->value);
		return text;
	case SL_EVENT:
		name = namer->event(namer->of, m->object);
		snprintf(text, room, "%s", name ? name : "an event");
		return text;
	case SL_ITEM_CALL:
	case SL_ITEM_RETURN:
		name = namer->function ? namer->function(namer->of) : NULL;
		snprintf(text, room, "%s", name ? name : m->kind == SL_ITEM_CALL ? "an unknown function" : "");
		return text;
	case SL_ITEM_BRANCH:
		return text;
	default:
		break;
	}
	if (sl_kind_is(m->kind, SL_KIND_ALONE))
		return text;
	if (sl_words_is_team(m->object)) {
		snprintf(text, room, "%s", sl_words_team(m->object, (enum sl_op_kind)m->kind));
		return text;
	}
	if (sl_words_is_channel(m->object) || m->kind == SL_IO_OPEN)
		return format_channel(namer, m, text, room);
	return memory(namer, m, text, room);
}

/* ---- the remark ---- */

/* What has failed, by the error number. */
static const char *
failure(const struct sl_narrated *m, int error)
{
	switch (error) {
	case EBUSY:
		return "already locked";
	case EDEADLK:
		return "the thread holds it already";
	case EAGAIN:
		if (!sl_kind_is(m->kind, SL_KIND_TRIES) || sl_kind_is(m->kind, SL_KIND_TAKES))
			return strerror(error);
		return sl_kind_is(m->kind, SL_KIND_COUNTS) ? "its value is 0" : "it would have to wait";
	case ETIMEDOUT:
		return "times out";
	case EOWNERDEAD:
		return "its owner ended without unlocking it";
	default:
		return strerror(error);
	}
}

static void
format_woken(uint64_t threads, char *text, size_t room)
{
	if (threads)
		snprintf(text, room, ": wakes %" PRIu64 " thread%s", threads, threads == 1 ? "" : "s");
	else
		snprintf(text, room, ": no thread waits");
}

const char *
sl_narrated_remark(const struct sl_namer *namer, const struct sl_narrated *m, char *text, size_t room)
{
	int error = error_of(m);
	char name[512];
	uint64_t bytes;
	uint32_t thread;

	*text = '\0';
	if (sl_kind_is(m->kind, SL_KIND_IO))
		return sl_io_remark(m, text, room);
	if (error) {
		snprintf(text, room, "%s: %s", m->kind == SL_MUTEX_TIMEDLOCK ? ", with a time limit" : "",
			 failure(m, error));
		return text;
	}
	if (sl_kind_is(m->kind, SL_KIND_ACCESS)) {
		if (m->flags & SL_OP_RANGE)
			snprintf(text, room, " (%" PRIu64 " byte%s)", m->value, m->value == 1 ? "" : "s");
		else if (namer->change)
			namer->change(namer->of, text, room);
		return text;
	}
	if (sl_kind_is(m->kind, SL_KIND_TRIES) && sl_kind_is(m->kind, SL_KIND_FAILS)) {
		snprintf(text, room, ": succeeds");
		return text;
	}
	switch (m->kind) {
	case SL_ALLOC:
	case SL_FREE:
		bytes = namer->bytes ? namer->bytes(namer->of) : m->value;
		if (bytes)
			snprintf(text, room, " (%" PRIu64 " byte%s)", bytes, bytes == 1 ? "" : "s");
		break;
	case SL_MUTEX_TIMEDLOCK:
		snprintf(text, room, ", with a time limit");
		break;
	case SL_COND_WAIT:
		if (m->value)
			snprintf(text, room, ", releasing %s",
				 sl_narrated_object(namer,
						    &(struct sl_narrated){.kind = SL_MUTEX_LOCK,
									  .object = m->value},
						    name, sizeof(name)));
		break;
	case SL_COND_SIGNAL:
		if (sl_narrated_thread(m, &thread))
			snprintf(text, room, ": wakes %s", namer->thread(namer->of, thread, name, sizeof(name)));
		else if (!m->value)
			snprintf(text, room, ": no thread waits");
		break;
	case SL_FUTEX_WAKE:
	case SL_FUTEX_REQUEUE:
		format_woken(m->value, text, room);
		break;
	case SL_PARALLEL:
		snprintf(text, room, " of %" PRIu64 " thread%s", m->value, m->value == 1 ? "" : "s");
		break;
	case SL_SLEEP:
		snprintf(text, room, " for %s", sl_words_seconds(m->value, name, sizeof(name)));
		break;
	case SL_EXIT:
		snprintf(text, room, " with status %d", (int)m->value);
		break;
	default:
		break;
	}
	return text;
}

const char *
sl_narrated_tell(const struct sl_namer *namer, const struct sl_narrated *m, char *text, size_t room)
{
	char verb[WORDS_MAX], object[768], remark[768];

	sl_narrated_verb(namer, m, verb, sizeof(verb));
	sl_narrated_object(namer, m, object, sizeof(object));
	sl_narrated_remark(namer, m, remark, sizeof(remark));
	snprintf(text, room, "%s%s%s%s", verb, *object ? " " : "", object, remark);
	return text;
}
