#include "cli/session/resume.h"

#include "base/own_folder.h"
#include "base/rng.h"
#include "base/room.h"
#include "base/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define FOLDER ".sleave"
#define VERSIONS "/.sleave/versions/" /* KEY/tree: where programs of versions are built */
#define FILES_MAX 1000
#define KILLED_MAX 8          /* killed runs of one command that are kept */
#define DISK_MIN (1ull << 30) /* a full disk would end the run */
#define WORKERS_WAIT_NS                                                                                           \
	10000000l /* between checks whether the processes of a run whose command was killed have ended … */
#define WORKERS_WAITS 500 /* … repeated this often */
#define UNFINISHED_S 60   /* a file without a signature that is older than this is abandoned */

extern char **environ;

/* The lock is released whenever the process ends. */
static bool
lock(int fd, int command, off_t at)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};

	return fcntl(fd, command, &l) == 0;
}

/*
 * The lock belongs to the process, not to the open file: a child that has not called execve() yet may outlive a
 * killed command for a moment, and must not own the run. No other code in this process opens the file, because
 * closing it anywhere would release the lock.
 */
static bool
own(int fd)
{
	return lock(fd, F_SETLK, SL_ARENA_LOCK_OWNER);
}

static bool
lock_both(int fd)
{
	struct timespec pause = {.tv_nsec = WORKERS_WAIT_NS};

	if (!own(fd))
		return false;
	for (unsigned i = 0; !lock(fd, F_OFD_SETLK, SL_ARENA_LOCK_WORKERS); i++) {
		if (i == WORKERS_WAITS)
			return false;
		nanosleep(&pause, NULL);
	}
	/* that byte is locked by the processes of the search */
	struct flock l = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = SL_ARENA_LOCK_WORKERS, .l_len = 1};

	fcntl(fd, F_OFD_SETLK, &l);
	return true;
}

/* ---- the origin ---- */

/* ---- checksums ---- */

static uint64_t
sum_bytes(uint64_t sum, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;

		memcpy(&word, at, 8);
		sum = sl_mix(sum + word);
	}
	for (; size; size--)
		sum = sl_mix(sum + *at++ + 1);
	return sum;
}

/* The checksum of the origin, which is written once, before the run begins. */
static uint64_t
sum_origin(const struct sl_origin *o)
{
	const size_t from = offsetof(struct sl_origin, text_sum) + sizeof(o->text_sum);

	return sum_bytes(1, (const char *)o + from, offsetof(struct sl_origin, text) - from + o->used);
}

#define BLOCK 65536

/*
 * The checksum of the whole file except for the members about its end. It is a sum over its pages, to which a page
 * of zeroes adds nothing, because the file system may store it as a hole. A running run has no such sum: its file
 * is mapped memory that several processes change at once. The undo log makes a killed run resumable
 * (search/recover.c), and only its origin is checked.
 */
static uint64_t
sum_content(int fd)
{
	const off_t skipped = offsetof(struct sl_arena, origin),
		    skipped_to = skipped + (off_t)offsetof(struct sl_origin, text_sum);
	static char block[BLOCK];
	uint64_t sum = 1;
	off_t at = 0, end;

	for (; (at = lseek(fd, at, SEEK_DATA)) >= 0; at = end) {
		ssize_t n;

		end = lseek(fd, at, SEEK_HOLE);
		at &= ~(off_t)4095;
		for (; at < end && (n = pread(fd, block, BLOCK - (size_t)(at % BLOCK), at)) > 0; at += n) {
			for (ssize_t page = 0; page < n; page += 4096) {
				size_t size = n - page < 4096 ? (size_t)(n - page) : 4096;
				off_t here = at + page;
				static const char zeroes[4096];

				for (off_t i = here < skipped ? skipped : here;
				     i < here + (off_t)size && i < skipped_to; i++)
					block[page + (i - here)] = 0;
				if (memcmp(block + page, zeroes, size) != 0)
					sum += sum_bytes((uint64_t)here + 1, block + page, size);
			}
		}
		if (end <= at)
			end = at;
	}
	return sum ? sum : 1;
}

static off_t
content_at(void)
{
	return (off_t)(offsetof(struct sl_arena, origin) + offsetof(struct sl_origin, content));
}

void
sl_run_file_seal(int fd)
{
	uint64_t sum = sum_content(fd);

	if (pwrite(fd, &sum, sizeof(sum), content_at()) != sizeof(sum))
		return; /* the file then has no checksum */
}

bool
sl_run_file_is_sealed_well(int fd)
{
	uint64_t sum = 0;

	return pread(fd, &sum, sizeof(sum), content_at()) == sizeof(sum) && (!sum || sum == sum_content(fd));
}

static bool
is_sound(const struct sl_origin *o)
{
	const char *at = o->text;
	uint64_t count = (uint64_t)o->argument_count + o->variable_count;

	if (!memchr(o->build_id, 0, sizeof(o->build_id)) || !memchr(o->program, 0, sizeof(o->program)) ||
	    !memchr(o->cwd, 0, sizeof(o->cwd)) || o->argument_count < 2 || o->program_at >= o->argument_count ||
	    o->used > sizeof(o->text))
		return false;
	for (; count; count--) {
		const char *end = memchr(at, 0, (size_t)(o->text + o->used - at));

		if (!end)
			return false;
		at = end + 1;
	}
	return o->text_sum == sum_origin(o);
}

static bool
origin_fill(int fd, struct sl_origin *o)
{
	const off_t at = offsetof(struct sl_arena, origin);
	const size_t head = offsetof(struct sl_origin, text);

	return pread(fd, o, head, at) == (ssize_t)head && o->used <= sizeof(o->text) &&
	       pread(fd, o->text, o->used, at + (off_t)head) == (ssize_t)o->used && is_sound(o);
}

enum state { UNSIGNED, OTHER_VERSION, BROKEN, SIGNED };

/* *origin is to be freed if the result is SIGNED. */
static enum state
origin_read(int fd, struct sl_origin **origin)
{
	struct sl_origin *o = malloc(sizeof(*o));
	uint64_t magic = 0;
	struct stat info;
	enum state state = SIGNED;

	if (!o)
		abort();
	if (fstat(fd, &info) < 0 || pread(fd, &magic, sizeof(magic), 0) != sizeof(magic) || !magic)
		state = info.st_size && info.st_size < (off_t)sizeof(magic) ? BROKEN : UNSIGNED;
	else if (magic != SL_ARENA_MAGIC)
		state = (magic ^ SL_ARENA_MAGIC) < 256 ? OTHER_VERSION : BROKEN;
	else if ((size_t)info.st_size != sizeof(struct sl_arena) || !origin_fill(fd, o))
		state = BROKEN;
	if (state != SIGNED)
		free(o);
	else
		*origin = o;
	return state;
}

static char **
strings(char *at, uint32_t skip, uint32_t count)
{
	char **list = sl_must(calloc(count + 1u, sizeof(*list)));

	for (; skip; skip--)
		at += strlen(at) + 1;
	for (uint32_t i = 0; i < count; i++, at += strlen(at) + 1)
		list[i] = at;
	return list;
}

char **
sl_origin_arguments(struct sl_origin *o)
{
	return strings(o->text, 0, o->argument_count);
}

char **
sl_origin_environment(struct sl_origin *o)
{
	return strings(o->text, o->argument_count, o->variable_count);
}

static bool
put(struct sl_origin *o, size_t *used, char *const *list, uint32_t *count)
{
	for (*count = 0; list[*count]; ++*count) {
		size_t size = strlen(list[*count]) + 1;

		if (*used + size > sizeof(o->text))
			return false;
		memcpy(o->text + *used, list[*count], size);
		*used += size;
	}
	return true;
}

static void
hash_input(int fd, uint64_t *size, uint64_t *hash)
{
	unsigned char buffer[16384];
	ssize_t n;

	*size = *hash = 0;
	while (fd >= 0 && (n = pread(fd, buffer, sizeof(buffer), (off_t)*size)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			*hash = sl_mix(*hash + buffer[i] + 1);
		*size += (uint64_t)n;
	}
}

bool
sl_run_file_sign(struct sl_arena *a, const struct sl_run_name *name)
{
	struct sl_origin *o = &a->origin;
	size_t used = 0;

	o->began = time(NULL);
	snprintf(o->build_id, sizeof(o->build_id), "%s", name->build_id);
	snprintf(o->program, sizeof(o->program), "%s", name->program);
	snprintf(o->cwd, sizeof(o->cwd), "%s", name->cwd);
	hash_input(name->input, &o->input_size, &o->input_hash);
	o->program_at = (uint32_t)(name->argv - name->command);
	o->resumable =
		put(o, &used, name->command, &o->argument_count) && put(o, &used, environ, &o->variable_count);
	o->used = (uint32_t)used;
	o->text_sum = sum_origin(o);
	return o->resumable;
}

/* The part of a path that is the same in all versions of a program. */
static const char *
in_version(const char *path)
{
	const char *versions = strstr(path, VERSIONS),
		   *key = versions ? strchr(versions + strlen(VERSIONS), '/') : NULL;

	return key ? key : path;
}

int
sl_origin_check(const struct sl_origin *o, const struct sl_run_name *name, struct sl_err *err)
{
	uint64_t size, hash;

	if (strcmp(o->program, name->program) != 0)
		return strcmp(in_version(o->program), in_version(name->program)) == 0
			       ? sl_err_set(err,
					    "the versions have changed since: start a new run, without --resume")
			       : sl_err_set(err, "the run is one of another program: %s", o->program);
	if (strcmp(o->cwd, name->cwd) != 0)
		return sl_err_set(err, "the run was started in another folder: %s", o->cwd);
	if (strcmp(o->build_id, name->build_id) != 0)
		return sl_err_set(
			err,
			"%s has changed since (its build ID is %s and was %s): start a new run, without --resume",
			name->program, name->build_id, o->build_id);
	hash_input(name->input, &size, &hash);
	if (size != o->input_size || hash != o->input_hash)
		return sl_err_set(err,
				  "standard input has changed (%llu bytes, now %llu), so the program would do "
				  "something else",
				  (unsigned long long)o->input_size, (unsigned long long)size);
	return 0;
}

/* Variables that change which code is loaded into a program. */
static bool
is_loaders(const char *variable)
{
	static const char *const names[] = {"GCONV_PATH=",     "LOCPATH=",     "NLSPATH=",
					    "GLIBC_TUNABLES=", "GETCONF_DIR=", NULL};

	if (strncmp(variable, "LD_", 3) == 0)
		return true;
	for (const char *const *name = names; *name; name++)
		if (strncmp(variable, *name, strlen(*name)) == 0)
			return true;
	return false;
}

int
sl_origin_trust(struct sl_origin *o, struct sl_err *err)
{
	char **list = sl_origin_environment(o);
	int result = 0;

	for (char **variable = list; *variable && result == 0; variable++) {
		const char *equals = strchr(*variable, '='), *now;
		char name[256];

		if (!equals || !is_loaders(*variable))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(equals - *variable), *variable);
		now = getenv(name);
		if (!now || strcmp(now, equals + 1) != 0)
			result = sl_err_set(
				err,
				"the program would be started with %s, which is not set here: set it, or "
				"pass --trust",
				*variable);
	}
	free(list);
	return result;
}

/* ---- files ---- */

static bool
is_place_of(const struct sl_origin *o, const struct sl_run_name *name)
{
	const char *slash = strrchr(o->program, '/');

	if (!strchr(name->program, '/'))
		return slash && strcmp(slash + 1, name->program) == 0;
	return strcmp(in_version(o->program), in_version(name->program)) == 0 &&
	       strcmp(in_version(o->cwd), in_version(name->cwd)) == 0;
}

static bool
is_run_of(const struct sl_origin *origin, const struct sl_run_name *name)
{
	struct sl_origin *o = (struct sl_origin *)origin; /* the strings are not changed */
	uint32_t count = 0;
	char **list;
	bool same;

	while (name->argv[count])
		count++;
	if (!is_place_of(o, name) || count != o->argument_count - o->program_at)
		return false;
	list = strings(o->text, o->program_at, count);
	same = true;
	for (uint32_t i = 1; i < count && same; i++) /* argv[0] may be written in several ways */
		same = strcmp(list[i], name->argv[i]) == 0;
	free(list);
	return same;
}

/*
 * A file of that name exists. Returns whether it can be replaced: its run has the same command and has reached its
 * limit, or its program has changed. A run that was killed is kept.
 */
static bool
is_useless(int fd, const struct sl_run_name *name, unsigned *killed, uint64_t *left)
{
	struct sl_origin *o;
	struct stat info;
	bool useless;

	switch (origin_read(fd, &o)) {
	case UNSIGNED:
		return fstat(fd, &info) == 0 && info.st_mtime + UNFINISHED_S < time(NULL);
	case SIGNED:
		break;
	default:
		return false;
	}
	useless = is_run_of(o, name) && (o->ended || strcmp(o->build_id, name->build_id) != 0 ||
					 strcmp(o->program, name->program) != 0 || ++*killed > KILLED_MAX);
	if (!useless && is_run_of(o, name)) {
		uint64_t total = 0;

		if (pread(fd, &total, sizeof(total), offsetof(struct sl_arena, total)) == sizeof(total) &&
		    total > *left)
			*left = total;
	}
	free(o);
	return useless;
}

static int
file_make(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); /* it contains the environment */
	struct statvfs disk;

	if (fd < 0)
		return -1;
	if (own(fd) && fstatvfs(fd, &disk) == 0 && (unsigned long long)disk.f_bavail * disk.f_frsize >= DISK_MIN &&
	    ftruncate(fd, sizeof(struct sl_arena)) == 0 &&
	    /* phases release pages that they do not need */
	    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0)
		return fd;
	unlink(path);
	close(fd);
	errno = EINVAL;
	return -1;
}

void
sl_run_file_new(struct sl_run_file *file, const struct sl_run_name *name, uint64_t *left)
{
	const char *folder = name->folder ? name->folder : FOLDER;
	struct sl_err why;
	char copy[PATH_MAX];
	unsigned killed = 0;

	file->fd = -1;
	*left = 0;
	if (access(folder, F_OK) == 0 && sl_trust_folder(folder, &why) < 0) {
		fprintf(stderr, "note: this run cannot be resumed if it is killed: %s\n", why.text);
		return;
	}
	snprintf(copy, sizeof(copy), "%s", name->program);
	for (unsigned n = 1, again = 0; n < FILES_MAX; n++) {
		int old;

		sl_own_folder_make(folder);
		snprintf(file->path, sizeof(file->path), "%s/%.200s-%u.run", folder, basename(copy), n);
		file->fd = file_make(file->path);
		if (file->fd >= 0)
			return;
		if (errno == ENOENT && again++ < 100)
			n--; /* another process has just removed the empty folder */
		else if (errno != EEXIST) {
			sl_own_folder_remove(folder);
			return;
		}
		old = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (old >= 0 && sl_trust_file(old, file->path, &why) == 0 && lock_both(old) &&
		    is_useless(old, name, &killed, left)) {
			unlink(file->path);
			n--;
		}
		if (old >= 0)
			close(old);
	}
}

void
sl_run_file_remove(struct sl_run_file *file)
{
	char *slash = strrchr(file->path, '/');

	if (file->fd < 0)
		return;
	unlink(file->path);
	close(file->fd);
	file->fd = -1;
	if (!slash)
		return;
	*slash = '\0';
	sl_own_folder_remove(file->path);
	*slash = '/';
}

/* Opens a file that was given or found; else a sentence says why not. */
static int
file_open(struct sl_run_file *file, const char *path, bool trust, struct sl_origin **origin, struct sl_err *err)
{
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->fd = open(path, O_RDWR | O_CLOEXEC);
	if (file->fd < 0)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	if (!trust && sl_trust_file(file->fd, path, err) < 0) {
		struct sl_err why = *err;

		close(file->fd);
		file->fd = -1;
		return sl_err_set(err, "%s: the file says which program to start (--trust trusts it)", why.text);
	}
	switch (origin_read(file->fd, origin)) {
	case UNSIGNED:
		sl_err_set(err, "%s is not a run that can be resumed", path);
		break;
	case OTHER_VERSION:
		sl_err_set(err, "%s was written by another version of Sleave", path);
		break;
	case BROKEN:
		sl_err_set(err, "%s is damaged, or is not the file of a run", path);
		break;
	case SIGNED:
		if (lock_both(file->fd))
			return 0;
		free(*origin);
		sl_err_set(err, "the run of %s is still running", path);
	}
	close(file->fd);
	file->fd = -1;
	return -1;
}

static bool
is_run_file(const char *name)
{
	size_t size = strlen(name);

	return size > 4 && strcmp(name + size - 4, ".run") == 0;
}

int
sl_run_file_find(struct sl_run_file *file, const char *path, const struct sl_run_name *name,
		 struct sl_origin **origin, struct sl_err *err)
{
	const char *where = name->folder ? name->folder : FOLDER;
	struct sl_err why = {""};
	char found[sizeof(file->path)] = "", other[sizeof(file->path)] = "";
	struct dirent *entry;
	int64_t newest = 0;
	bool several = false;
	DIR *folder;

	if (*path)
		return file_open(file, path, name->trust, origin, err);
	if (!name->trust && access(where, F_OK) == 0 && sl_trust_folder(where, err) < 0)
		return -1;
	folder = opendir(where);
	while (folder && (entry = readdir(folder))) {
		struct sl_origin *o = NULL;
		char each[sizeof(file->path)];

		if (!is_run_file(entry->d_name))
			continue;
		snprintf(each, sizeof(each), "%s/%s", where, entry->d_name);
		if (file_open(file, each, name->trust, &o, &why) < 0 || !o)
			continue;
		several = several || (*other && strcmp(in_version(other), in_version(o->program)) != 0);
		snprintf(other, sizeof(other), "%s", o->program);
		if ((!name->argv[0] || is_run_of(o, name)) && o->began >= newest) {
			newest = o->began;
			snprintf(found, sizeof(found), "%s", each);
		}
		free(o);
		close(file->fd);
	}
	if (folder)
		closedir(folder);
	file->fd = -1;
	if (*found && several && !name->argv[0])
		return sl_err_set(err, "runs of several programs can be resumed: name the program");
	if (*found)
		return file_open(file, found, name->trust, origin, err);
	if (*other)
		return sl_err_set(
			err, "no run of this command can be resumed, only one of %s, or one with other arguments",
			other);
	if (*why.text)
		return sl_err_set(err, "no run can be resumed: %s", why.text);
	return sl_err_set(err, "no run can be resumed: there is none in %s", where);
}

void
sl_run_files_clean(const char *where)
{
	DIR *folder = opendir(where);
	struct dirent *entry;
	struct sl_err why;

	while (folder && (entry = readdir(folder))) {
		char path[4200];
		int fd;

		if (!is_run_file(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", where, entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0 && sl_trust_file(fd, path, &why) == 0 && lock_both(fd))
			unlink(path);
		if (fd >= 0)
			close(fd);
	}
	if (folder)
		closedir(folder);
}
