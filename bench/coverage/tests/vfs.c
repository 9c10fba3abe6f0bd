/* A file system in memory: six threads that write, read, list and move, in folders that they share. */
#include "../code/vfs.h"
#include "crew.h"

#include <string.h>

static struct vfs *fs;

/* Its own file from the first write to the last. */
static void
write_report(const char *path)
{
	char data[16];
	int d = vfs_create(fs, path);
	MUST(d >= 0);
	MUST(vfs_write(fs, d, "hello", 5) == 5);
	MUST(vfs_append(fs, d, " you", 4) == 4);
	MUST(vfs_seek(fs, d, 0) == 0);
	MUST(vfs_read(fs, d, data, sizeof data) == 9 && memcmp(data, "hello you", 9) == 0);
	MUST(vfs_truncate(fs, d, 5) == 0);
	MUST(vfs_close(fs, d) == 0);
	MUST(vfs_unlink(fs, path) == 0);
}

static void
share_log(void)
{
	struct vfs_status status;
	int d = vfs_open(fs, "/a/log");
	MUST(d >= 0);
	MUST(vfs_append(fs, d, "x", 1) == 1);
	MUST(vfs_descriptor_status(fs, d, &status) == 0 && !status.folder && status.size);
	MUST(vfs_append(fs, d, "y", 1) == 1);
	MUST(vfs_close(fs, d) == 0);
	MUST(vfs_sync(fs) > 0);
}

static void
look_around(void)
{
	char text[200], data[8];
	struct vfs_status status;
	MUST(vfs_list(fs, "/a", text, sizeof text) > 0);
	MUST(vfs_status(fs, "/b", &status) == 0 && status.folder);
	int d = vfs_open(fs, "/a/log");
	MUST(vfs_read(fs, d, data, sizeof data) >= 0);
	MUST(vfs_close(fs, d) == 0);
	vfs_watch(fs, status.number);
	vfs_watched(fs, VFS_CREATED);
	MUST(vfs_open_count(fs) <= 6);
	MUST(vfs_list(fs, "", text, sizeof text) >= 2);
}

static void
move_folders(void)
{
	MUST(vfs_make_folder(fs, "/a/new") == 0);
	MUST(vfs_rename(fs, "/a/new", "/b/old") == 0);
	vfs_set_quota(fs, 2000);
	MUST(vfs_rename(fs, "/b/old", "/old") == 0);
	MUST(vfs_remove_folder(fs, "/old") == 0);
	MUST(vfs_used(fs) < 2000);
}

static void
work(unsigned number)
{
	switch (number) {
	case 0:
		write_report("/a/one");
		break;
	case 1:
		write_report("/b/two");
		break;
	case 2:
	case 3:
		share_log();
		break;
	case 4:
		look_around();
		break;
	default:
		move_folders();
	}
}

int
main(void)
{
	fs = vfs_new(1000);
	MUST(vfs_make_folder(fs, "/a") == 0 && vfs_make_folder(fs, "/b") == 0);
	MUST(vfs_close(fs, vfs_create(fs, "/a/log")) == 0);
	crew_run(6, work);
	MUST(vfs_open_count(fs) == 0);
	MUST(vfs_check(fs));
	vfs_free(fs);
	return 0;
}
