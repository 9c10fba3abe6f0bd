/*
 * A file system in memory: directories, files, descriptors, a quota, a journal, a watcher.
 *
 * Each node of the tree has a mutex. A path is walked hand over hand: the child's mutex is taken before the
 * directory's is released, so nodes are locked downwards only. A rename needs two directories: renames are
 * serialised, and lock the upper directory first. While a node's mutex is held, these may be taken: quota, then
 * journal, watch. A descriptor's mutex is taken before its node's. The table of descriptors is locked alone.
 */
#ifndef VFS_H
#define VFS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { VFS_NAME = 12, VFS_FILE = 256, VFS_OPEN = 32, VFS_JOURNAL = 16 };

enum vfs_event { VFS_CREATED, VFS_WRITTEN, VFS_REMOVED, VFS_MOVED };

struct vfs_node {
	pthread_mutex_t mutex;
	struct vfs_node *parent; /* of folders; changed by renames only, read by them only */
	struct vfs_node *children, *next;
	char name[VFS_NAME]; /* it and `next` are under the folder's mutex */
	bool folder, gone;
	unsigned opened; /* descriptors */
	unsigned long number;
	size_t size;
	char data[VFS_FILE];
};

struct vfs_descriptor {
	pthread_mutex_t mutex;
	struct vfs_node *node; /* NULL: closed */
	size_t position;
};

struct vfs_status {
	unsigned long number;
	size_t size;
	bool folder;
	unsigned opened;
};

struct vfs {
	struct vfs_node *root;
	pthread_mutex_t rename_mutex;
	pthread_mutex_t number_mutex;
	unsigned long numbers;
	pthread_mutex_t quota_mutex;
	size_t used, quota;
	pthread_mutex_t table_mutex;
	struct vfs_descriptor *table[VFS_OPEN];
	pthread_mutex_t journal_mutex;
	struct {
		unsigned long node;
		enum vfs_event what;
	} journal[VFS_JOURNAL];
	unsigned journal_count;
	unsigned long journal_flushed;
	pthread_mutex_t watch_mutex;
	unsigned long watch_node, watch_count[4];
};

/* Negative: it can't be done. A path is names with a slash before each; "" is the root. */
struct vfs *vfs_new(size_t quota);
void vfs_free(struct vfs *);
int vfs_make_folder(struct vfs *, const char *path);
int vfs_remove_folder(struct vfs *, const char *path);
int vfs_create(struct vfs *, const char *path); /* and opens; opens it if it is there */
int vfs_open(struct vfs *, const char *path);
int vfs_close(struct vfs *, int descriptor);
long vfs_read(struct vfs *, int descriptor, char *data, size_t size);
long vfs_write(struct vfs *, int descriptor, const char *data, size_t size);
long vfs_append(struct vfs *, int descriptor, const char *data, size_t size);
long vfs_seek(struct vfs *, int descriptor, size_t position);
int vfs_truncate(struct vfs *, int descriptor, size_t size);
int vfs_descriptor_status(struct vfs *, int descriptor, struct vfs_status *);
int vfs_unlink(struct vfs *, const char *path);
int vfs_rename(struct vfs *, const char *from, const char *to);
int vfs_status(struct vfs *, const char *path, struct vfs_status *);
int vfs_list(struct vfs *, const char *path, char *text, size_t size);
void vfs_watch(struct vfs *, unsigned long node);
unsigned long vfs_watched(struct vfs *, enum vfs_event);
unsigned long vfs_sync(struct vfs *);
size_t vfs_used(struct vfs *);
void vfs_set_quota(struct vfs *, size_t);
unsigned vfs_open_count(struct vfs *);
bool vfs_is_open(struct vfs *, int descriptor);
int vfs_highest_descriptor(struct vfs *);
int vfs_duplicate(struct vfs *, int descriptor); /* of the same file, with a position of its own */
long vfs_position(struct vfs *, int descriptor);
size_t vfs_quota(struct vfs *);
size_t vfs_left(struct vfs *);
unsigned vfs_journal_length(struct vfs *);
unsigned long vfs_journal_last(struct vfs *); /* which node; 0: none */
void vfs_reset_watch(struct vfs *);
bool vfs_check(struct vfs *);

/* Between vfs.c and vfs_file.c: */
struct vfs_node *vfs_walk(struct vfs *, const char *path, size_t length); /* comes back locked, or NULL */
struct vfs_node *vfs_child(const struct vfs_node *folder, const char *name);
struct vfs_node *vfs_add_node(struct vfs *, struct vfs_node *folder, const char *name, bool is_folder);
void vfs_node_free(struct vfs_node *);
void vfs_log(struct vfs *, unsigned long node, enum vfs_event); /* with the journal's mutex */
void vfs_tell(struct vfs *, unsigned long node, enum vfs_event); /* with the watch's */
bool vfs_fits(struct vfs *, size_t before, size_t after); /* with the quota's; and counts it */
const char *vfs_last_name(const char *path, size_t *folder_length);

#endif
