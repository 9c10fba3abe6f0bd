#ifndef SCENE_H
#define SCENE_H

#include <pthread.h>

#define SHAPES 12
#define WIDTH 48
#define HEIGHT 20

struct point {
	int x, y;
};

struct shape {
	struct point at;
	int width, height;
	char colour;
	int visible, layer;
	unsigned moves;
};

/* What is shown: shapes, some above others. Each function is atomic. */
struct scene {
	pthread_mutex_t lock;
	struct shape shapes[SHAPES];
	int count;
	int top_layer;
	unsigned edits;
};

struct scene *scene_new(void);
void scene_free(struct scene *scene);
int scene_add(struct scene *scene, int x, int y, int width, int height, char colour); /* its number */
struct point scene_position(struct scene *scene, int shape);
void scene_place(struct scene *scene, int shape, int x, int y);
void scene_move(struct scene *scene, int shape, int dx, int dy);
void scene_resize(struct scene *scene, int shape, int width, int height);
void scene_colour(struct scene *scene, int shape, char colour);
void scene_show(struct scene *scene, int shape, int visible);
void scene_raise(struct scene *scene, int shape);
void scene_swap(struct scene *scene, int a, int b);
int scene_top(struct scene *scene, int x, int y); /* the shape that is seen there; -1 */
int scene_overlap(struct scene *scene, int a, int b);
unsigned scene_moves(struct scene *scene, int shape);
int scene_copy(struct scene *scene, struct shape *shapes); /* by layer; how many */

/* screen.c: what the painter has drawn, and the viewer looks at */
struct screen {
	pthread_mutex_t lock;
	char cells[HEIGHT][WIDTH];
	unsigned frames, views;
};

void screen_init(struct screen *screen);
void screen_release(struct screen *screen);
void screen_draw(struct screen *screen, const struct shape *shapes, int count);
int screen_view(struct screen *screen, char colour); /* how many cells have it */
unsigned screen_frames(struct screen *screen);

/* path.c: how a shape goes from one place to another */
struct path {
	struct point steps[16];
	int count, next;
};

void path_line(struct path *path, int dx, int dy, int steps);
void path_arc(struct path *path, int width, int height);
void path_join(struct path *path, const struct path *other);
int path_next(struct path *path, struct point *step);

#endif
