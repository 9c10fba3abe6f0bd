/* The tree. */
#include "vfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct vfs_node *
new_node(unsigned long number, const char *name, bool folder)
{
	struct vfs_node *n = calloc(1, sizeof *n);
	if (!n)
		abort();
	pthread_mutex_init(&n->mutex, NULL);
	n->number = number;
	n->folder = folder;
	strncpy(n->name, name, VFS_NAME - 1);
	return n;
}

void
vfs_node_free(struct vfs_node *n)
{
	pthread_mutex_destroy(&n->mutex);
	free(n);
}

struct vfs *
vfs_new(size_t quota)
{
	struct vfs *v = calloc(1, sizeof *v);
	if (!v)
		abort();
	pthread_mutex_init(&v->rename_mutex, NULL);
	pthread_mutex_init(&v->number_mutex, NULL);
	pthread_mutex_init(&v->quota_mutex, NULL);
	pthread_mutex_init(&v->table_mutex, NULL);
	pthread_mutex_init(&v->journal_mutex, NULL);
	pthread_mutex_init(&v->watch_mutex, NULL);
	v->quota = quota;
	v->root = new_node(++v->numbers, "", true);
	return v;
}

static void
free_tree(struct vfs_node *n)
{
	for (struct vfs_node *c = n->children, *next; c; c = next) {
		next = c->next;
		free_tree(c);
	}
	vfs_node_free(n);
}

void
vfs_free(struct vfs *v)
{
	free_tree(v->root);
	pthread_mutex_destroy(&v->rename_mutex);
	pthread_mutex_destroy(&v->number_mutex);
	pthread_mutex_destroy(&v->quota_mutex);
	pthread_mutex_destroy(&v->table_mutex);
	pthread_mutex_destroy(&v->journal_mutex);
	pthread_mutex_destroy(&v->watch_mutex);
	free(v);
}

/* ---- parts ---- */

static struct vfs_node **
find(struct vfs_node *folder, const char *name, size_t length)
{
	struct vfs_node **at = &folder->children;
	while (*at && (strncmp((*at)->name, name, length) != 0 || (*at)->name[length]))
		at = &(*at)->next;
	return at;
}

struct vfs_node *
vfs_child(const struct vfs_node *folder, const char *name)
{
	return *find((struct vfs_node *)folder, name, strlen(name));
}

const char *
vfs_last_name(const char *path, size_t *folder_length)
{
	const char *slash = strrchr(path, '/');
	*folder_length = slash ? (size_t)(slash - path) : 0;
	return slash && slash[1] && strlen(slash + 1) < VFS_NAME ? slash + 1 : NULL;
}

struct vfs_node *
vfs_walk(struct vfs *v, const char *path, size_t length)
{
	struct vfs_node *n = v->root;
	pthread_mutex_lock(&n->mutex);
	for (const char *end = path + length; path < end && *path == '/';) {
		path++;
		size_t name = strcspn(path, "/");
		struct vfs_node *child = n->folder && name < VFS_NAME ? *find(n, path, name) : NULL;
		if (child)
			pthread_mutex_lock(&child->mutex);
		pthread_mutex_unlock(&n->mutex);
		if (!child)
			return NULL;
		n = child;
		path += name;
	}
	return n;
}

void
vfs_log(struct vfs *v, unsigned long node, enum vfs_event what)
{
	v->journal[v->journal_count % VFS_JOURNAL].node = node;
	v->journal[v->journal_count++ % VFS_JOURNAL].what = what;
}

void
vfs_tell(struct vfs *v, unsigned long node, enum vfs_event what)
{
	v->watch_count[what] += v->watch_node == node || !v->watch_node;
}

bool
vfs_fits(struct vfs *v, size_t before, size_t after)
{
	bool enough = after <= before || v->used - before + after <= v->quota;
	if (enough)
		v->used = v->used - before + after;
	return enough;
}

static unsigned long
next_number(struct vfs *v)
{
	pthread_mutex_lock(&v->number_mutex);
	unsigned long number = ++v->numbers;
	pthread_mutex_unlock(&v->number_mutex);
	return number;
}

struct vfs_node *
vfs_add_node(struct vfs *v, struct vfs_node *folder, const char *name, bool is_folder)
{
	struct vfs_node *n = new_node(next_number(v), name, is_folder);
	n->parent = folder;
	n->next = folder->children;
	folder->children = n;
	pthread_mutex_lock(&v->journal_mutex);
	vfs_log(v, n->number, VFS_CREATED);
	pthread_mutex_unlock(&v->journal_mutex);
	pthread_mutex_lock(&v->watch_mutex);
	vfs_tell(v, n->number, VFS_CREATED);
	pthread_mutex_unlock(&v->watch_mutex);
	return n;
}

/* ---- operations that change the tree ---- */

int
vfs_make_folder(struct vfs *v, const char *path)
{
	size_t length;
	const char *name = vfs_last_name(path, &length);
	struct vfs_node *folder = name ? vfs_walk(v, path, length) : NULL;
	if (!folder)
		return -1;
	bool can = folder->folder && !vfs_child(folder, name);
	if (can)
		vfs_add_node(v, folder, name, true);
	pthread_mutex_unlock(&folder->mutex);
	return can ? 0 : -1;
}

/* A node that was removed, locked: it stays in use while it is open, and the last close frees it. */
static void
let_go(struct vfs *v, struct vfs_node *n)
{
	n->gone = true;
	n->next = NULL;
	pthread_mutex_lock(&v->quota_mutex);
	vfs_fits(v, n->size, 0);
	pthread_mutex_unlock(&v->quota_mutex);
	pthread_mutex_lock(&v->journal_mutex);
	vfs_log(v, n->number, VFS_REMOVED);
	pthread_mutex_unlock(&v->journal_mutex);
	pthread_mutex_lock(&v->watch_mutex);
	vfs_tell(v, n->number, VFS_REMOVED);
	pthread_mutex_unlock(&v->watch_mutex);
	n->size = 0;
	bool unused = !n->opened;
	pthread_mutex_unlock(&n->mutex);
	if (unused)
		vfs_node_free(n);
}

int
vfs_remove_folder(struct vfs *v, const char *path)
{
	size_t length;
	const char *name = vfs_last_name(path, &length);
	struct vfs_node *folder = name ? vfs_walk(v, path, length) : NULL;
	if (!folder)
		return -1;
	struct vfs_node **at = find(folder, name, strlen(name)), *n = *at;
	bool can = n && n->folder;
	if (can) {
		pthread_mutex_lock(&n->mutex);
		can = !n->children;
		if (can) {
			*at = n->next;
			let_go(v, n);
		} else {
			pthread_mutex_unlock(&n->mutex);
		}
	}
	pthread_mutex_unlock(&folder->mutex);
	return can ? 0 : -1;
}

int
vfs_unlink(struct vfs *v, const char *path)
{
	size_t length;
	const char *name = vfs_last_name(path, &length);
	struct vfs_node *folder = name ? vfs_walk(v, path, length) : NULL;
	if (!folder)
		return -1;
	struct vfs_node **at = find(folder, name, strlen(name)), *n = *at;
	bool can = n && !n->folder;
	if (can) {
		pthread_mutex_lock(&n->mutex);
		*at = n->next;
		let_go(v, n);
	}
	pthread_mutex_unlock(&folder->mutex);
	return can ? 0 : -1;
}

/* Both directories of a rename are in the tree until one of them is locked; then it can't be removed. */
static struct vfs_node *
folder_of(struct vfs *v, const char *path, size_t length)
{
	struct vfs_node *n = vfs_walk(v, path, length);
	if (!n)
		return NULL;
	bool folder = n->folder;
	n->opened += folder; /* it must not be freed in between */
	pthread_mutex_unlock(&n->mutex);
	return folder ? n : NULL;
}

static void
leave_folder(struct vfs_node *n) /* is locked */
{
	bool unused = --n->opened == 0 && n->gone;
	pthread_mutex_unlock(&n->mutex);
	if (unused)
		vfs_node_free(n);
}

static bool
is_above(const struct vfs_node *upper, const struct vfs_node *n)
{
	while (n && n != upper)
		n = n->parent;
	return n;
}

static bool
move(struct vfs *v, struct vfs_node *a, const char *from, struct vfs_node *b, const char *to)
{
	struct vfs_node **at = find(a, from, strlen(from)), *n = *at;
	if (!n || vfs_child(b, to) || a->gone || b->gone || (n->folder && is_above(n, b)))
		return false;
	pthread_mutex_lock(&n->mutex);
	*at = n->next;
	memset(n->name, 0, sizeof n->name);
	strncpy(n->name, to, VFS_NAME - 1);
	n->parent = b;
	n->next = b->children;
	b->children = n;
	pthread_mutex_lock(&v->journal_mutex);
	vfs_log(v, n->number, VFS_MOVED);
	pthread_mutex_unlock(&v->journal_mutex);
	pthread_mutex_lock(&v->watch_mutex);
	vfs_tell(v, n->number, VFS_MOVED);
	pthread_mutex_unlock(&v->watch_mutex);
	pthread_mutex_unlock(&n->mutex);
	return true;
}

int
vfs_rename(struct vfs *v, const char *from, const char *to)
{
	size_t from_length, to_length;
	const char *from_name = vfs_last_name(from, &from_length), *to_name = vfs_last_name(to, &to_length);
	if (!from_name || !to_name)
		return -1;
	pthread_mutex_lock(&v->rename_mutex);
	struct vfs_node *a = folder_of(v, from, from_length), *b = folder_of(v, to, to_length);
	bool moved = false;
	if (a && b) {
		struct vfs_node *first = is_above(b, a) ? b : a, *second = first == a ? b : a;
		pthread_mutex_lock(&first->mutex);
		if (second != first)
			pthread_mutex_lock(&second->mutex);
		moved = move(v, a, from_name, b, to_name);
		if (second != first)
			leave_folder(second);
		else
			first->opened--;
		leave_folder(first);
	} else if (a || b) {
		struct vfs_node *one = a ? a : b;
		pthread_mutex_lock(&one->mutex);
		leave_folder(one);
	}
	pthread_mutex_unlock(&v->rename_mutex);
	return moved ? 0 : -1;
}

/* ---- operations that only read ---- */

int
vfs_status(struct vfs *v, const char *path, struct vfs_status *status)
{
	struct vfs_node *n = vfs_walk(v, path, strlen(path));
	if (!n)
		return -1;
	*status = (struct vfs_status){.number = n->number, .size = n->size, .folder = n->folder, .opened = n->opened};
	pthread_mutex_unlock(&n->mutex);
	return 0;
}

int
vfs_list(struct vfs *v, const char *path, char *text, size_t size)
{
	struct vfs_node *n = vfs_walk(v, path, strlen(path));
	if (!n)
		return -1;
	int count = 0;
	size_t length = 0;
	for (const struct vfs_node *c = n->children; c && length < size; c = c->next, count++)
		length += (size_t)snprintf(text + length, size - length, "%s ", c->name);
	pthread_mutex_unlock(&n->mutex);
	return count;
}

void
vfs_watch(struct vfs *v, unsigned long node)
{
	pthread_mutex_lock(&v->watch_mutex);
	v->watch_node = node;
	pthread_mutex_unlock(&v->watch_mutex);
}

unsigned long
vfs_watched(struct vfs *v, enum vfs_event what)
{
	pthread_mutex_lock(&v->watch_mutex);
	unsigned long count = v->watch_count[what];
	pthread_mutex_unlock(&v->watch_mutex);
	return count;
}

unsigned long
vfs_sync(struct vfs *v)
{
	pthread_mutex_lock(&v->journal_mutex);
	v->journal_flushed += v->journal_count;
	v->journal_count = 0;
	unsigned long flushed = v->journal_flushed;
	pthread_mutex_unlock(&v->journal_mutex);
	return flushed;
}

size_t
vfs_used(struct vfs *v)
{
	pthread_mutex_lock(&v->quota_mutex);
	size_t used = v->used;
	pthread_mutex_unlock(&v->quota_mutex);
	return used;
}

void
vfs_set_quota(struct vfs *v, size_t quota)
{
	pthread_mutex_lock(&v->quota_mutex);
	v->quota = quota;
	pthread_mutex_unlock(&v->quota_mutex);
}

size_t
vfs_quota(struct vfs *v)
{
	pthread_mutex_lock(&v->quota_mutex);
	size_t quota = v->quota;
	pthread_mutex_unlock(&v->quota_mutex);
	return quota;
}

size_t
vfs_left(struct vfs *v)
{
	pthread_mutex_lock(&v->quota_mutex);
	size_t left = v->used < v->quota ? v->quota - v->used : 0;
	pthread_mutex_unlock(&v->quota_mutex);
	return left;
}

unsigned
vfs_journal_length(struct vfs *v)
{
	pthread_mutex_lock(&v->journal_mutex);
	unsigned length = v->journal_count < VFS_JOURNAL ? v->journal_count : VFS_JOURNAL;
	pthread_mutex_unlock(&v->journal_mutex);
	return length;
}

unsigned long
vfs_journal_last(struct vfs *v)
{
	pthread_mutex_lock(&v->journal_mutex);
	unsigned long node = v->journal_count ? v->journal[(v->journal_count - 1) % VFS_JOURNAL].node : 0;
	pthread_mutex_unlock(&v->journal_mutex);
	return node;
}

void
vfs_reset_watch(struct vfs *v)
{
	pthread_mutex_lock(&v->watch_mutex);
	memset(v->watch_count, 0, sizeof v->watch_count);
	pthread_mutex_unlock(&v->watch_mutex);
}

static bool
check_tree(const struct vfs_node *n, size_t *used)
{
	*used += n->size;
	bool right = !n->gone && (n->folder || !n->children);
	for (const struct vfs_node *c = n->children; c; c = c->next)
		right &= c->parent == n && check_tree(c, used);
	return right;
}

/* No other thread may be using it. */
bool
vfs_check(struct vfs *v)
{
	size_t used = 0;
	return check_tree(v->root, &used) && used == vfs_used(v);
}
