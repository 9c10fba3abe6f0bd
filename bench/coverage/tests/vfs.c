/* A file system in memory: six threads, each with files and directories
 * of its own in directories that all share, and one file that all share. */
#include "../code/vfs.h"
#include "crew.h"

#include <string.h>

static struct vfs *fs;

/* A file of its own, from the first write to the last. */
static void
write_report(const char *path, const char *moved)
{
	char data[16];
	int d = vfs_create(fs, path);
	MUST(d >= 0);
	MUST(vfs_write(fs, d, "hello", 5) == 5);
	MUST(vfs_append(fs, d, " you", 4) == 4);
	MUST(vfs_seek(fs, d, 0) == 0);
	MUST(vfs_read(fs, d, data, sizeof data) == 9 && memcmp(data, "hello you", 9) == 0);
	MUST(vfs_position(fs, d) == 9);
	MUST(vfs_rename(fs, path, moved) == 0);
	MUST(vfs_truncate(fs, d, 5) == 0);
	MUST(vfs_close(fs, d) == 0);
	MUST(vfs_unlink(fs, moved) == 0);
}

static void
share_log(void)
{
	struct vfs_status status;
	char data[8];
	int d = vfs_open(fs, "/a/log");
	MUST(d >= 0 && vfs_is_open(fs, d));
	MUST(vfs_append(fs, d, "x", 1) == 1);
	MUST(vfs_descriptor_status(fs, d, &status) == 0 && !status.folder && status.size);
	int again = vfs_duplicate(fs, d);
	MUST(vfs_read(fs, again, data, 1) == 1 && data[0] == 'x');
	MUST(vfs_highest_descriptor(fs) >= 1);
	MUST(vfs_write(fs, again, "x", 1) == 1);
	MUST(vfs_close(fs, d) == 0);
	MUST(vfs_truncate(fs, again, 1) == 0);
	MUST(vfs_close(fs, again) == 0);
}

static void
look_around(void)
{
	char text[200];
	struct vfs_status status;
	MUST(vfs_list(fs, "/a", text, sizeof text) > 0);
	MUST(vfs_status(fs, "/b", &status) == 0 && status.folder);
	vfs_watch(fs, status.number);
	MUST(vfs_open_count(fs) <= 12);
	vfs_journal_last(fs);
	vfs_watched(fs, VFS_CREATED);
	MUST(vfs_used(fs) < 2000);
	MUST(vfs_journal_length(fs) <= VFS_JOURNAL);
	vfs_set_quota(fs, 2000);
	vfs_reset_watch(fs);
	MUST(vfs_left(fs) > 0);
	MUST(vfs_sync(fs) > 0);
	MUST(vfs_quota(fs) == 2000);
}

static void
move_folders(const char *path, const char *moved)
{
	MUST(vfs_make_folder(fs, path) == 0);
	MUST(vfs_rename(fs, path, moved) == 0);
	MUST(vfs_remove_folder(fs, moved) == 0);
}

static void
work(unsigned number)
{
	char from[16], to[16];
	snprintf(from, sizeof from, "/a/file%u", number);
	snprintf(to, sizeof to, "/b/moved%u", number);
	write_report(from, to);
	share_log();
	look_around();
	snprintf(from, sizeof from, "/a/new%u", number);
	snprintf(to, sizeof to, "/old%u", number);
	move_folders(from, to);
}

int
main(void)
{
	fs = vfs_new(2000);
	MUST(vfs_make_folder(fs, "/a") == 0 && vfs_make_folder(fs, "/b") == 0);
	MUST(vfs_close(fs, vfs_create(fs, "/a/log")) == 0);
	crew_run_together(6, work);
	MUST(vfs_open_count(fs) == 0);
	MUST(vfs_check(fs));
	vfs_free(fs);
	return 0;
}
