/*
 * Two threads move shapes, each its own ones and both of them the cursor; a third one draws frames, and a fourth one looks at them. No
 * step is lost.
 */
#include "scene.h"

#include <assert.h>
#include <stdint.h>

#define FRAMES 50
#define ROUNDS 25

static struct scene *scene;
static struct screen screen;
static int cursor, shapes[2][4];

static void
animate(int shape, int mine)
{
	struct path path, back;
	struct point step;

	path_line(&path, 1 + mine, 1, 3);
	path_line(&back, -1 - mine, -1, 3);
	path_join(&path, &back);
	path_arc(&back, 2, 1);
	path_join(&path, &back);
	while (path_next(&path, &step))
		scene_move(scene, shape, step.x, step.y);
}

static void *
animator(void *number)
{
	int mine = (int)(intptr_t)number, *own = shapes[mine];

	for (int i = 0; i < ROUNDS; i++) {
		for (int s = 0; s < 4; s++)
			animate(own[s], mine);
		scene_raise(scene, own[i % 4]);
		scene_resize(scene, own[0], 3 + i % 2, 2);
		scene_colour(scene, own[1], i % 2 ? 'r' : 'g');
		scene_show(scene, own[2], i % 3);
		scene_swap(scene, own[0], own[1]);
		scene_place(scene, own[3], 5 + mine, 5);
		assert(!scene_overlap(scene, own[0], cursor) || scene_top(scene, 20, 10) >= -1);
		if (i == ROUNDS / 2)
			scene_move(scene, cursor, 1, 1);
	}
	assert(scene_moves(scene, own[3]) > ROUNDS);
	return NULL;
}

static void *
painter(void *arg)
{
	struct shape copy[SHAPES];

	for (int i = 0; i < FRAMES; i++)
		screen_draw(&screen, copy, scene_copy(scene, copy));
	return arg;
}

static void *
viewer(void *arg)
{
	for (int i = 0; i < FRAMES; i++)
		assert(screen_view(&screen, 'c') <= 9);
	return arg;
}

int
main(void)
{
	pthread_t threads[4];
	struct point at;

	scene = scene_new();
	screen_init(&screen);
	for (int i = 0; i < 8; i++)
		shapes[i / 4][i % 4] = scene_add(scene, 4 * i, i, 3, 2, (char)('1' + i));
	cursor = scene_add(scene, 40, 10, 3, 3, 'c');
	pthread_create(&threads[0], NULL, animator, (void *)0);
	pthread_create(&threads[1], NULL, animator, (void *)1);
	pthread_create(&threads[2], NULL, painter, NULL);
	pthread_create(&threads[3], NULL, viewer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	at = scene_position(scene, cursor);
	assert(at.x == 42 && at.y == 12 && screen_frames(&screen) == FRAMES);
	screen_release(&screen);
	scene_free(scene);
	return 0;
}
