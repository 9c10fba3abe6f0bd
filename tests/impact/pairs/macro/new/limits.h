#define MOST 5
#define LEAST 1
