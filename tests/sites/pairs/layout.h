/* One more member, bit-field and base in the new version. */
#ifndef LAYOUT_H
#define LAYOUT_H

#if NEW
#define ONE_MORE(name) long name;
#define ONE_MORE_BIT unsigned urgent : 1;
#else
#define ONE_MORE(name)
#define ONE_MORE_BIT
#endif

struct node {
	ONE_MORE(before)
	struct node *next;
	int value;
	struct {
		ONE_MORE(inside)
		int depth;
	} where;
	union {
		long number;
		char text[8];
	};
	int counts[4];
};

struct list {
	ONE_MORE(generation)
	struct node *first;
	struct node nodes[8];
	int length;
};

typedef struct {
	ONE_MORE(padding)
	char tag;
	double weight;
} item;

struct flags {
	int count;
	ONE_MORE(name)
	unsigned ready : 1;
	unsigned done : 1;
	int level;
	unsigned alone : 3;
	ONE_MORE_BIT
};

/* The new member is where nothing was. */
struct padded {
	char tag;
#if NEW
	char other;
#endif
	int value;
};

struct reordered {
#if NEW
	int second, first;
#else
	int first, second;
#endif
};

#endif
