/*
 * The parts of std::list, std::map and std::set that are in libstdc++ and not in its headers: linking of nodes.
 * Without these functions, a race between a lookup and an insertion would not be seen. The announced accesses
 * include at least the real ones: inserting and erasing writes the nodes on the path to the root and their
 * children, which by the standard is a race with any other use of the container. Elements are behind their nodes:
 * using one while others are inserted is no race.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

#define READS(node) sl_access_range(node, sizeof(*(node)), SL_OP_READS, pc)
#define WRITES(node) sl_access_range(node, sizeof(*(node)), SL_OP_WRITES, pc)
#define MANGLED(name) __asm__(name)

/*
 * A C program may load libstdc++ later, with a library of its own: libstdc++ then does not follow libsleave in the
 * order of symbol lookup.
 */
static void *
function(const char *name, uint64_t pc)
{
	void *found = sl_resolve(name), *handle;

	if (found)
		return found;
	if (E.control)
		sl_unsupported("C++ containers of a library that was loaded by dlopen", pc);
	handle = sl_real_dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
	return dlsym(handle, name);
}

/* ---- std::list: a circular list, in which the std::list itself is a node ---- */

struct list_node {
	struct list_node *next, *previous;
};

SL_EXPORT void sl_list_hook(struct list_node *, struct list_node *)
	MANGLED("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
SL_EXPORT void sl_list_unhook(struct list_node *) MANGLED("_ZNSt8__detail15_List_node_base9_M_unhookEv");
SL_EXPORT void sl_list_transfer(struct list_node *, struct list_node *, struct list_node *)
	MANGLED("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
SL_EXPORT void sl_list_reverse(struct list_node *) MANGLED("_ZNSt8__detail15_List_node_base10_M_reverseEv");

/* Inserts the node before another one. */
void
sl_list_hook(struct list_node *node, struct list_node *before)
{
	uint64_t pc = SL_PC;

	if (E.control) {
		WRITES(node);
		WRITES(before);
		WRITES(before->previous);
	}
	node->next = before;
	node->previous = before->previous;
	before->previous->next = node;
	before->previous = node;
}

void
sl_list_unhook(struct list_node *node)
{
	uint64_t pc = SL_PC;

	if (E.control) {
		READS(node);
		WRITES(node->next);
		WRITES(node->previous);
	}
	node->previous->next = node->next;
	node->next->previous = node->previous;
}

/* Moves the nodes from first up to, but not including, last to a place before this one. */
void
sl_list_transfer(struct list_node *before, struct list_node *first, struct list_node *last)
{
	uint64_t pc = SL_PC;
	struct list_node *final;

	if (before == last || first == last)
		return;
	if (E.control) {
		WRITES(before);
		WRITES(before->previous);
		WRITES(first);
		WRITES(first->previous);
		WRITES(last);
		WRITES(last->previous);
	}
	final = last->previous;
	first->previous->next = last;
	last->previous = first->previous;
	first->previous = before->previous;
	before->previous->next = first;
	final->next = before;
	before->previous = final;
}

void
sl_list_reverse(struct list_node *list)
{
	uint64_t pc = SL_PC;
	struct list_node *node = list;

	do {
		struct list_node *next;

		if (E.control)
			WRITES(node);
		next = node->next;
		node->next = node->previous;
		node->previous = next;
		node = next;
	} while (node != list);
}

/* ---- std::map, std::set: a red-black tree; the header's parent is the root ---- */

struct tree_node {
	int colour;
	struct tree_node *parent, *left, *right;
};

/* The node, its children, and so on up to the header, whose parent is the root and whose grandparent is itself. */
static void
writes_upwards(struct tree_node *node, struct tree_node *header, uint64_t pc)
{
	for (; node && node != header; node = node->parent) {
		WRITES(node);
		if (node->left)
			WRITES(node->left);
		if (node->right)
			WRITES(node->right);
	}
	WRITES(header);
}

SL_EXPORT void sl_tree_insert(bool, struct tree_node *, struct tree_node *, struct tree_node *)
	MANGLED("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
SL_EXPORT struct tree_node *sl_tree_erase(struct tree_node *, struct tree_node *)
	MANGLED("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");

void
sl_tree_insert(bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)
{
	static void (*real)(bool, struct tree_node *, struct tree_node *, struct tree_node *);
	uint64_t pc = SL_PC;

	if (!real)
		*(void **)&real =
			function("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", pc);
	if (E.control) {
		WRITES(node);
		writes_upwards(parent, header, pc);
	}
	real(left, node, parent, header);
}

struct tree_node *
sl_tree_erase(struct tree_node *node, struct tree_node *header)
{
	static struct tree_node *(*real)(struct tree_node *, struct tree_node *);
	uint64_t pc = SL_PC;

	if (!real)
		*(void **)&real = function("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", pc);
	if (E.control) {
		struct tree_node *next = node->right; /* replaces the node if that has two children */

		while (next && next->left)
			next = next->left;
		writes_upwards(next && node->left ? next : node, header, pc);
	}
	return real(node, header);
}

/*
 * Returns the next node in order or, with `left` and `right` exchanged, the previous one. Announces all nodes that
 * are read.
 */
#define STEP(name, symbol, near, far, at_header)                                                                  \
	SL_EXPORT struct tree_node *name(struct tree_node *) MANGLED(symbol);                                     \
	struct tree_node *name(struct tree_node *node)                                                            \
	{                                                                                                         \
		uint64_t pc = SL_PC;                                                                              \
		struct tree_node *parent;                                                                         \
                                                                                                                  \
		READS(node);                                                                                      \
		if (at_header)                                                                                    \
			return node->near;                                                                        \
		if (node->far) {                                                                                  \
			for (node = node->far, READS(node); node->near; node = node->near, READS(node))           \
				;                                                                                 \
			return node;                                                                              \
		}                                                                                                 \
		for (parent = node->parent, READS(parent); node == parent->far; READS(parent)) {                  \
			node = parent;                                                                            \
			parent = parent->parent;                                                                  \
		}                                                                                                 \
		/* the last node, if the root has no such child: the header itself */                             \
		return node->far == parent ? node : parent;                                                       \
	}
#define IS_HEADER (node->colour == 0 && node->parent && node->parent->parent == node)
/* clang-format off */
STEP(sl_tree_next, "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", left, right, false)
STEP(sl_tree_next_const, "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", left, right, false)
STEP(sl_tree_before, "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", right, left, IS_HEADER)
STEP(sl_tree_before_const, "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", right, left, IS_HEADER)
/* clang-format on */

/* ---- std::hash of strings ---- */

SL_EXPORT size_t sl_hash_bytes(const void *, size_t, size_t) MANGLED("_ZSt11_Hash_bytesPKvmm");

size_t
sl_hash_bytes(const void *bytes, size_t n, size_t seed)
{
	static size_t (*real)(const void *, size_t, size_t);

	if (!real)
		*(void **)&real = function("_ZSt11_Hash_bytesPKvmm", SL_PC);
	sl_access_range(bytes, n, SL_OP_READS, SL_PC);
	return real(bytes, n, seed);
}
