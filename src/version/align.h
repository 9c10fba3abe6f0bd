/*
 * What of a program is unchanged between two versions of its sources, token by token, and so what has changed. Memory in,
 * memory out: who makes the versions is tree.h.
 *
 * White space, comments, line splices and what stands after #if 0 are nothing. Top-level declarations (unit.h) with equal
 * tokens are the same, wherever they have moved to: inside of a file, to another file, with a renamed file; so are
 * functions whose local variables and parameters were renamed. What is left is paired by name, and then aligned token by
 * token with libgit2's diff. It is RECONTEST's relation ~.
 */
#ifndef SL_VERSION_ALIGN_H
#define SL_VERSION_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_NO_FILE UINT32_MAX

/* A file of one version. */
struct sl_text {
	const char *path; /* in its tree */
	const char *bytes;
	size_t size;
};

enum sl_line_change {
	SL_LINE_SAME,
	SL_LINE_CHANGED, /* something on it is new, or other than it was */
	SL_LINE_BESIDE,  /* it is as it was, but beside it something is gone */
};

/* A line of the new version. */
struct sl_aligned_line {
	uint32_t file, line; /* its counterpart in the old version; SL_NO_FILE: it has none */
	uint8_t change;      /* enum sl_line_change */
	bool empty;          /* nothing but white space and comments begins on it */
};

/* A function of the new version. */
struct sl_aligned_function {
	const char *name;                       /* "queue::push" */
	const char *scope;                      /* the class or namespace, "queue"; may be empty */
	uint32_t file, first, last;             /* lines */
	uint32_t old_file, old_first, old_last; /* SL_NO_FILE: it is new */
	bool changed;                           /* one of its tokens */
	bool moved;                             /* it is in another file, or the functions around it are others */
};

/* What the old version had and the new one has no more; or, of types, variables and macros, what is new or changed. */
struct sl_aligned_declaration {
	const char *name;
	const char *what;           /* "function", "type", "declaration", "directive" */
	uint32_t file, first, last; /* of the version that it is in */
};

struct sl_aligned_file {
	const char *path;
	uint32_t old;                  /* the file that it was compared with; SL_NO_FILE: it is new */
	struct sl_aligned_line *lines; /* from 1 */
	uint32_t line_count;
};

struct sl_alignment {
	struct sl_aligned_file *files; /* as they were given */
	uint32_t file_count;
	struct sl_aligned_function *functions; /* by file and line */
	size_t function_count;
	struct sl_aligned_declaration *gone, *other;
	size_t gone_count, other_count;
	size_t changed_lines; /* of any kind */
	struct sl_aligner *inside;
};

/*
 * pairs[i] is the old file that new file i was called before, or is still called; SL_NO_FILE: there was none. The texts have to
 * stay as long as the alignment.
 */
struct sl_alignment *sl_align(const struct sl_text *old, uint32_t old_count, const struct sl_text *new,
			      uint32_t new_count, const uint32_t *pairs);
void sl_alignment_free(struct sl_alignment *alignment); /* NULL is fine */

/* The function that has the line; NULL: none has. */
const struct sl_aligned_function *sl_alignment_function(const struct sl_alignment *alignment, uint32_t file,
							uint32_t line);

/*
 * The counterpart of a line of the new version in the old one, and the other way round. False: it has none. Files that were not
 * given are the same in both.
 */
bool sl_alignment_back(const struct sl_alignment *alignment, const char *path, uint32_t line,
		       const char **old_path, uint32_t *old_line);
bool sl_alignment_forth(const struct sl_alignment *alignment, const char *old_path, uint32_t old_line,
			const char **path, uint32_t *line);

/* Is that the name of a C or C++ source or header? */
bool sl_is_source(const char *path);

#endif
