/* What no text of the functions shows. */
#ifndef CHANGES_H
#define CHANGES_H

#if NEW
#define LIMIT 7
#define STEP(x) ((x) + 2)
#define OUT __attribute__((section(".text.other")))
#define PACKED __attribute__((packed))
typedef unsigned number;
typedef long size;
enum colour { RED, ORANGE, GREEN };
#else
#define LIMIT 5
#define STEP(x) ((x) + 1)
#define OUT
#define PACKED
typedef int number;
typedef int size;
enum colour { RED, GREEN };
#endif

struct record {
	char tag;
	int value;
} PACKED;

struct grown {
	int first;
	int second;
#if NEW
	int third;
#endif
};

struct swapped {
#if NEW
	int b;
	int a;
#else
	int a;
	int b;
#endif
};

static inline int
scaled(int value)
{
#if NEW
	return value * 3;
#else
	return value * 2;
#endif
}

static inline int
steady(int value)
{
	return value - 1;
}

#endif
