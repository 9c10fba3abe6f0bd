/*
 * What an item of a trace is about, in words: its verb, its object, and what its number means. For every format.
 */
#include "report/trace/tape_report.h"

#include "report/words.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

static bool
is_access(const struct sl_item *item)
{
	return item->kind >= SL_READ && item->kind <= SL_ATOMIC_UPDATE;
}

const char *
sl_item_verb(const struct sl_tape_view *view, const struct sl_item *item)
{
	const char *verb = sl_kind_verb(item->kind);

	if (item->kind == SL_IO_WAIT && sl_channel_is_one(item->object))
		return "waits for";
	if (item->kind == SL_ITEM_RETURN && sl_scene_function(view->scene, item))
		return "returns from";
	if (item->kind == SL_COND_RELOCK && item->value & SL_NOTE_SPURIOUS)
		return "wakes spuriously and locks";
	if (item->kind == SL_SIGACTION)
		return sl_op_action_verb(item->value);
	if (item->kind == SL_EXEC && item->value)
		return "can't become another program";
	return verb ? verb : sl_tape_kind(view->tape, item);
}

bool
sl_item_thread(const struct sl_item *item, uint32_t *thread)
{
	uint64_t number = item->kind == SL_COND_SIGNAL ? item->value - 1 : item->value;

	switch (item->kind) {
	case SL_COND_SIGNAL:
		if (!item->value || item->value == SL_ITEM_UNKNOWN)
			return false;
		break;
	case SL_KILL:
		number = (uint32_t)item->value;
		break;
	case SL_CREATE:
	case SL_JOIN:
	case SL_DETACH:
	case SL_TRYJOIN:
	case SL_CANCEL:
		break;
	default:
		return false;
	}
	*thread = (uint32_t)number;
	return number < UINT32_MAX && !(item->kind == SL_KILL && number & SL_NOTE_CHILD);
}

/* Those whose object is no address, or none that anybody knows. False: it is one. */
static bool
format_other(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room)
{
	char name[64];
	uint32_t thread;
	uint64_t made;

	switch (item->kind) {
	case SL_CREATE:
	case SL_JOIN:
	case SL_DETACH:
	case SL_TRYJOIN:
	case SL_CANCEL:
		if (sl_item_thread(item, &thread))
			sl_scene_thread(view->scene, thread, text, room);
		else
			snprintf(text, room, "an unknown thread");
		return true;
	case SL_KILL:
		snprintf(text, room, "%s to %s", sl_words_signal(item->value >> 32, name, sizeof(name)),
			 "the process");
		if (sl_item_thread(item, &thread)) {
			size_t n = strlen(text) - strlen("the process");

			sl_scene_thread(view->scene, thread, text + n, room - n);
		} else if ((uint32_t)item->value != UINT32_MAX && item->value & SL_NOTE_CHILD) {
			size_t n = strlen(text) - strlen("the process");

			snprintf(text + n, room - n, "process %u", (uint32_t)item->value & ~SL_NOTE_CHILD);
		}
		return true;
	case SL_HANDLE:
	case SL_SIGACTION:
	case SL_TIMER:
		sl_words_signal((uint32_t)item->value, text, room);
		return true;
	case SL_CHILD_END:
	case SL_KEY_USE:
	case SL_KEY_DELETE:
	case SL_CHOOSE:
		snprintf(text, room, "%" PRIu64, item->value);
		return true;
	case SL_IO_OPEN:
		*text = '\0';
		if (item->value < UINT64_MAX - 4095 && sl_words_is_channel(item->object))
			sl_channel_format(item->object, item->value, text, room);
		return true;
	case SL_START:
	case SL_END:
	case SL_EXEC:
	case SL_EXIT:
	case SL_FORK:
	case SL_SIGMASK:
	case SL_SIGPENDING:
	case SL_SIGWAIT:
	case SL_PAUSE:
	case SL_SET_TIMER:
	case SL_TESTCANCEL:
	case SL_CANCELLED:
	case SL_WORK_WAIT:
	case SL_ITEM_BRANCH:
		*text = '\0';
		return true;
	default:
		break;
	}
	if (sl_words_is_team(item->object)) {
		snprintf(text, room, "%s", sl_words_team(item->object, (enum sl_op_kind)item->kind));
		return true;
	}
	if (!sl_words_is_channel(item->object))
		return false;
	*text = '\0';
	made = sl_scene_channel(view->scene, item->object);
	if (item->kind != SL_IO_WAIT || sl_channel_is_one(item->object))
		sl_channel_format(item->object, made, text, room);
	return true;
}

const char *
sl_item_object(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room)
{
	if (format_other(view, item, text, room))
		return text;
	if (!item->object && is_access(item)) {
		snprintf(text, room, "NULL");
		return text;
	}
	sl_scene_object(view->scene, item, text, room);
	if (!is_access(item))
		sl_words_trim_lock(text);
	return text;
}

const char *
sl_tape_lock(const struct sl_tape_view *view, uint64_t address, char *text, size_t room)
{
	return sl_item_object(view, &(struct sl_item){.kind = SL_MUTEX_LOCK, .object = address}, text, room);
}

/* What an error number says, for those that everybody knows. */
static void
format_error(uint64_t error, char *text, size_t room)
{
	if (error && error < 4096)
		sl_words_failure((int)error, text, room);
}

const char *
sl_item_remark(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room)
{
	struct sl_record record = {.op = {.kind = item->kind, .object = item->object}, .value = item->value};
	char name[256];
	uint32_t thread;

	*text = '\0';
	if (sl_op_is_io(&record.op)) {
		sl_words_io(&record, text, room);
		return text;
	}
	switch (item->kind) {
	case SL_ALLOC:
	case SL_FREE:
		if (sl_scene_size(view->scene, item))
			snprintf(text, room, " (%" PRIu64 " bytes)", sl_scene_size(view->scene, item));
		break;
	case SL_READ:
	case SL_WRITE:
		if (item->flags & SL_OP_RANGE)
			snprintf(text, room, " (%" PRIu64 " bytes)", item->value);
		break;
	case SL_COND_WAIT:
		snprintf(text, room, ", releasing %s", sl_tape_lock(view, item->value, name, sizeof(name)));
		break;
	case SL_COND_SIGNAL:
		if (sl_item_thread(item, &thread))
			snprintf(text, room, ": wakes %s",
				 sl_scene_thread(view->scene, thread, name, sizeof(name)));
		else if (!item->value)
			snprintf(text, room, ": no thread waits");
		break;
	case SL_COND_RELOCK:
		if (!(item->value & SL_NOTE_SPURIOUS))
			format_error(item->value, text, room);
		break;
	case SL_FUTEX_WAKE:
	case SL_FUTEX_REQUEUE:
		sl_words_woken(item->value, text, room);
		break;
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TRYLOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_RW_RDLOCK:
	case SL_RW_WRLOCK:
	case SL_SPIN_LOCK:
	case SL_SEM_TRYWAIT:
	case SL_EXEC:
		format_error(item->value, text, room);
		break;
	case SL_PARALLEL:
		snprintf(text, room, " of %" PRIu64 " thread%s", item->value, item->value == 1 ? "" : "s");
		break;
	case SL_SLEEP:
		if (room > 1) {
			text[0] = ' ';
			sl_words_seconds(item->value, text + 1, room - 1);
		}
		break;
	case SL_EXIT:
		snprintf(text, room, ", status %d", (int)item->value);
		break;
	default:
		break;
	}
	return text;
}
