#define MOST 5
#define TWICE(x) ((x) * 2)
#define ROOM TWICE(MOST)
static inline int least(void) { return 1; }
