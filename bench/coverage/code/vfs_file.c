/* Descriptors: opening, reading, writing. */
#include "vfs.h"

#include <stdlib.h>
#include <string.h>

/* One descriptor fewer; frees the node if nothing else refers to it. */
static void
leave(struct vfs_node *n)
{
	pthread_mutex_lock(&n->mutex);
	bool unused = --n->opened == 0 && n->gone;
	pthread_mutex_unlock(&n->mutex);
	if (unused)
		vfs_node_free(n);
}

/* The caller has counted the node as opened, and does not hold its mutex. */
static int
new_descriptor(struct vfs *v, struct vfs_node *n)
{
	struct vfs_descriptor *d = calloc(1, sizeof *d);
	if (!d)
		abort();
	pthread_mutex_init(&d->mutex, NULL);
	d->node = n;
	int number = -1;
	pthread_mutex_lock(&v->table_mutex);
	for (int i = 0; i < VFS_OPEN && number < 0; i++)
		if (!v->table[i])
			number = i;
	if (number >= 0)
		v->table[number] = d;
	pthread_mutex_unlock(&v->table_mutex);
	if (number < 0) {
		leave(n);
		pthread_mutex_destroy(&d->mutex);
		free(d);
	}
	return number;
}

/* Takes the table's mutex, and releases it before it takes the descriptor's: a
 * slow file does not delay other threads. A descriptor belongs to one thread. */
static struct vfs_descriptor *
get(struct vfs *v, int descriptor)
{
	return descriptor < 0 || descriptor >= VFS_OPEN ? NULL : v->table[descriptor];
}

int
vfs_create(struct vfs *v, const char *path)
{
	size_t length;
	const char *name = vfs_last_name(path, &length);
	struct vfs_node *folder = name ? vfs_walk(v, path, length) : NULL;
	if (!folder)
		return -1;
	struct vfs_node *n = folder->folder ? vfs_child(folder, name) : NULL;
	if (!n && folder->folder)
		n = vfs_add_node(v, folder, name, false);
	bool can = n && !n->folder;
	if (can) {
		pthread_mutex_lock(&n->mutex);
		n->opened++;
		pthread_mutex_unlock(&n->mutex);
	}
	pthread_mutex_unlock(&folder->mutex);
	return can ? new_descriptor(v, n) : -1;
}

int
vfs_open(struct vfs *v, const char *path)
{
	struct vfs_node *n = vfs_walk(v, path, strlen(path));
	if (!n)
		return -1;
	bool can = !n->folder;
	n->opened += can;
	pthread_mutex_unlock(&n->mutex);
	return can ? new_descriptor(v, n) : -1;
}

int
vfs_close(struct vfs *v, int descriptor)
{
	if (descriptor < 0 || descriptor >= VFS_OPEN)
		return -1;
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = v->table[descriptor];
	v->table[descriptor] = NULL;
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	leave(d->node);
	pthread_mutex_destroy(&d->mutex);
	free(d);
	return 0;
}

long
vfs_read(struct vfs *v, int descriptor, char *data, size_t size)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	struct vfs_node *n = d->node;
	pthread_mutex_lock(&n->mutex);
	size_t left = d->position < n->size ? n->size - d->position : 0;
	if (size > left)
		size = left;
	memcpy(data, n->data + d->position, size);
	pthread_mutex_unlock(&n->mutex);
	d->position += size;
	pthread_mutex_unlock(&d->mutex);
	return (long)size;
}

/* The node is locked. */
static long
put(struct vfs *v, struct vfs_node *n, size_t position, const char *data, size_t size)
{
	if (n->gone || position > VFS_FILE || size > VFS_FILE - position)
		return -1;
	size_t end = position + size > n->size ? position + size : n->size;
	pthread_mutex_lock(&v->quota_mutex);
	bool fits = vfs_fits(v, n->size, end);
	pthread_mutex_unlock(&v->quota_mutex);
	if (!fits)
		return -1;
	memcpy(n->data + position, data, size);
	n->size = end;
	pthread_mutex_lock(&v->journal_mutex);
	vfs_log(v, n->number, VFS_WRITTEN);
	pthread_mutex_unlock(&v->journal_mutex);
	pthread_mutex_lock(&v->watch_mutex);
	vfs_tell(v, n->number, VFS_WRITTEN);
	pthread_mutex_unlock(&v->watch_mutex);
	return (long)size;
}

long
vfs_write(struct vfs *v, int descriptor, const char *data, size_t size)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	pthread_mutex_lock(&d->node->mutex);
	long written = put(v, d->node, d->position, data, size);
	pthread_mutex_unlock(&d->node->mutex);
	if (written > 0)
		d->position += (size_t)written;
	pthread_mutex_unlock(&d->mutex);
	return written;
}

long
vfs_append(struct vfs *v, int descriptor, const char *data, size_t size)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	pthread_mutex_lock(&d->node->mutex);
	long written = put(v, d->node, d->node->size, data, size);
	if (written > 0)
		d->position = d->node->size;
	pthread_mutex_unlock(&d->node->mutex);
	pthread_mutex_unlock(&d->mutex);
	return written;
}

long
vfs_seek(struct vfs *v, int descriptor, size_t position)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	d->position = position < VFS_FILE ? position : VFS_FILE;
	position = d->position;
	pthread_mutex_unlock(&d->mutex);
	return (long)position;
}

int
vfs_truncate(struct vfs *v, int descriptor, size_t size)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	struct vfs_node *n = d->node;
	pthread_mutex_lock(&n->mutex);
	bool can = !n->gone && size <= n->size;
	pthread_mutex_lock(&v->quota_mutex);
	can = can && vfs_fits(v, n->size, size);
	pthread_mutex_unlock(&v->quota_mutex);
	if (can)
		n->size = size;
	pthread_mutex_unlock(&n->mutex);
	pthread_mutex_unlock(&d->mutex);
	return can ? 0 : -1;
}

int
vfs_descriptor_status(struct vfs *v, int descriptor, struct vfs_status *status)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	struct vfs_node *n = d->node;
	pthread_mutex_lock(&n->mutex);
	*status = (struct vfs_status){.number = n->number, .size = n->size, .folder = n->folder, .opened = n->opened};
	pthread_mutex_unlock(&n->mutex);
	pthread_mutex_unlock(&d->mutex);
	return 0;
}

bool
vfs_is_open(struct vfs *v, int descriptor)
{
	pthread_mutex_lock(&v->table_mutex);
	bool open = descriptor >= 0 && descriptor < VFS_OPEN && v->table[descriptor];
	pthread_mutex_unlock(&v->table_mutex);
	return open;
}

int
vfs_highest_descriptor(struct vfs *v)
{
	pthread_mutex_lock(&v->table_mutex);
	int highest = VFS_OPEN - 1;
	while (highest >= 0 && !v->table[highest])
		highest--;
	pthread_mutex_unlock(&v->table_mutex);
	return highest;
}

int
vfs_duplicate(struct vfs *v, int descriptor)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	struct vfs_node *n = d->node;
	pthread_mutex_lock(&n->mutex);
	n->opened++;
	pthread_mutex_unlock(&n->mutex);
	pthread_mutex_unlock(&d->mutex);
	return new_descriptor(v, n);
}

long
vfs_position(struct vfs *v, int descriptor)
{
	pthread_mutex_lock(&v->table_mutex);
	struct vfs_descriptor *d = get(v, descriptor);
	pthread_mutex_unlock(&v->table_mutex);
	if (!d)
		return -1;
	pthread_mutex_lock(&d->mutex);
	long position = (long)d->position;
	pthread_mutex_unlock(&d->mutex);
	return position;
}

unsigned
vfs_open_count(struct vfs *v)
{
	unsigned count = 0;
	pthread_mutex_lock(&v->table_mutex);
	for (unsigned i = 0; i < VFS_OPEN; i++)
		count += v->table[i] != NULL;
	pthread_mutex_unlock(&v->table_mutex);
	return count;
}
