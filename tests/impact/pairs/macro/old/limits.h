#define MOST 4
#define LEAST 1
