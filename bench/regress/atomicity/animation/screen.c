#include "scene.h"

#include <string.h>

void
screen_init(struct screen *s)
{
	memset(s, 0, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
}

void
screen_release(struct screen *s)
{
	pthread_mutex_destroy(&s->lock);
}

static void
fill(struct screen *s, const struct shape *shape)
{
	for (int y = 0; y < shape->height; y++)
		for (int x = 0; x < shape->width; x++) {
			int row = shape->at.y + y, column = shape->at.x + x;

			if (row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH)
				s->cells[row][column] = shape->colour;
		}
}

void
screen_draw(struct screen *s, const struct shape *shapes, int count)
{
	pthread_mutex_lock(&s->lock);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			s->cells[y][x] = ' ';
	for (int i = 0; i < count; i++)
		if (shapes[i].visible)
			fill(s, &shapes[i]);
	s->frames++;
	pthread_mutex_unlock(&s->lock);
}

int
screen_view(struct screen *s, char colour)
{
	int count = 0;

	pthread_mutex_lock(&s->lock);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			count += s->cells[y][x] == colour;
	s->views++;
	pthread_mutex_unlock(&s->lock);
	return count;
}

unsigned
screen_frames(struct screen *s)
{
	unsigned frames;

	pthread_mutex_lock(&s->lock);
	frames = s->frames;
	pthread_mutex_unlock(&s->lock);
	return frames;
}
