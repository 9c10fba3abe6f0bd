/*
 * Shapes that are moved while they are shown. After the published subject "xtango", which animates algorithms.
 */
#include "scene.h"

#include <stdlib.h>

struct scene *
scene_new(void)
{
	struct scene *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void
scene_free(struct scene *s)
{
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* With the lock. */
static struct shape *
get(struct scene *s, int shape)
{
	if (shape < 0 || shape >= s->count)
		abort();
	return &s->shapes[shape];
}

static int
has(const struct shape *shape, int x, int y)
{
	return x >= shape->at.x && x < shape->at.x + shape->width && y >= shape->at.y &&
	       y < shape->at.y + shape->height;
}

int
scene_add(struct scene *s, int x, int y, int width, int height, char colour)
{
	int number;

	pthread_mutex_lock(&s->lock);
	number = s->count++;
	*get(s, number) = (struct shape){.at = {x, y}, .width = width, .height = height, .colour = colour};
	get(s, number)->visible = 1;
	get(s, number)->layer = ++s->top_layer;
	s->edits++;
	pthread_mutex_unlock(&s->lock);
	return number;
}

struct point
scene_position(struct scene *s, int shape)
{
	struct point at;

	pthread_mutex_lock(&s->lock);
	at = get(s, shape)->at;
	pthread_mutex_unlock(&s->lock);
	return at;
}

void
scene_place(struct scene *s, int shape, int x, int y)
{
	pthread_mutex_lock(&s->lock);
	get(s, shape)->at = (struct point){x, y};
	get(s, shape)->moves++;
	s->edits++;
	pthread_mutex_unlock(&s->lock);
}

void
scene_move(struct scene *s, int shape, int dx, int dy)
{
	struct shape *it;

	pthread_mutex_lock(&s->lock);
	it = get(s, shape);
	it->at.x += dx;
	it->at.y += dy;
	it->moves++;
	s->edits++;
	pthread_mutex_unlock(&s->lock);
}

void
scene_resize(struct scene *s, int shape, int width, int height)
{
	pthread_mutex_lock(&s->lock);
	get(s, shape)->width = width;
	get(s, shape)->height = height;
	s->edits++;
	pthread_mutex_unlock(&s->lock);
}

void
scene_colour(struct scene *s, int shape, char colour)
{
	pthread_mutex_lock(&s->lock);
	if (get(s, shape)->colour != colour) {
		get(s, shape)->colour = colour;
		s->edits++;
	}
	pthread_mutex_unlock(&s->lock);
}

void
scene_show(struct scene *s, int shape, int visible)
{
	pthread_mutex_lock(&s->lock);
	if (get(s, shape)->visible != visible) {
		get(s, shape)->visible = visible;
		s->edits++;
	}
	pthread_mutex_unlock(&s->lock);
}

void
scene_raise(struct scene *s, int shape)
{
	pthread_mutex_lock(&s->lock);
	if (get(s, shape)->layer != s->top_layer)
		get(s, shape)->layer = ++s->top_layer;
	s->edits++;
	pthread_mutex_unlock(&s->lock);
}

void
scene_swap(struct scene *s, int a, int b)
{
	struct point at;

	pthread_mutex_lock(&s->lock);
	at = get(s, a)->at;
	get(s, a)->at = get(s, b)->at;
	get(s, b)->at = at;
	s->edits++;
	pthread_mutex_unlock(&s->lock);
}

int
scene_top(struct scene *s, int x, int y)
{
	int top = -1;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < s->count; i++)
		if (s->shapes[i].visible && has(&s->shapes[i], x, y) &&
		    (top < 0 || s->shapes[i].layer > s->shapes[top].layer))
			top = i;
	pthread_mutex_unlock(&s->lock);
	return top;
}

int
scene_overlap(struct scene *s, int a, int b)
{
	const struct shape *one, *two;
	int overlap;

	pthread_mutex_lock(&s->lock);
	one = get(s, a);
	two = get(s, b);
	overlap = one->at.x < two->at.x + two->width && two->at.x < one->at.x + one->width &&
		  one->at.y < two->at.y + two->height && two->at.y < one->at.y + one->height;
	pthread_mutex_unlock(&s->lock);
	return overlap;
}

unsigned
scene_moves(struct scene *s, int shape)
{
	unsigned moves;

	pthread_mutex_lock(&s->lock);
	moves = get(s, shape)->moves;
	pthread_mutex_unlock(&s->lock);
	return moves;
}

int
scene_copy(struct scene *s, struct shape *shapes)
{
	int count;

	pthread_mutex_lock(&s->lock);
	count = s->count;
	for (int i = 0; i < count; i++) {
		int at = i;

		for (; at && shapes[at - 1].layer > s->shapes[i].layer; at--)
			shapes[at] = shapes[at - 1];
		shapes[at] = s->shapes[i];
	}
	pthread_mutex_unlock(&s->lock);
	return count;
}
