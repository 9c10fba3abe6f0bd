/*
 * What is unchanged between two versions of a program's sources, token by token, and so what has changed. Works on
 * memory alone: version/tree.h provides the versions.
 *
 * White space, comments, line splices and text after #if 0 do not count. Top-level declarations (unit.h) with
 * equal tokens are the same, wherever they have moved to: within a file, to another file, with a renamed file; so
 * are functions whose local variables and parameters were renamed. The others are matched by name, and then
 * aligned token by token with libgit2's diff. This is RECONTEST's relation ~.
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
	SL_LINE_CHANGED, /* a token on it is new, or has changed */
	SL_LINE_BESIDE, /* its tokens are unchanged, but something beside it is gone */
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
	bool changed; /* one of its tokens has changed */
	bool moved; /* it is in another file, or between other functions */
};

/*
 * A declaration that only the old version has; or a type, variable or macro of the new version that is new or has
 * changed.
 */
struct sl_aligned_declaration {
	const char *name;
	const char *what;           /* "function", "type", "declaration", "directive" */
	uint32_t file, first, last; /* in the version that has it */
};

struct sl_aligned_file {
	const char *path;
	uint32_t old;                  /* the file that it was compared with; SL_NO_FILE: it is new */
	struct sl_aligned_line *lines; /* from 1 */
	uint32_t line_count;
};

struct sl_alignment {
	struct sl_aligned_file *files; /* in the order of the texts */
	uint32_t file_count;
	struct sl_aligned_function *functions; /* by file and line */
	size_t function_count;
	struct sl_aligned_declaration *gone, *other;
	size_t gone_count, other_count;
	size_t changed_lines; /* of any kind */
	struct sl_aligner *inside;
};

/*
 * pairs[i] is the old file that the new file i was before, under this name or another; SL_NO_FILE: there was none.
 * The texts must live as long as the alignment.
 */
struct sl_alignment *sl_align(const struct sl_text *old, uint32_t old_count, const struct sl_text *new,
			      uint32_t new_count, const uint32_t *pairs);
void sl_alignment_free(struct sl_alignment *alignment); /* NULL is fine */

/* Returns the function that has the line; NULL: none has. */
const struct sl_aligned_function *sl_alignment_function(const struct sl_alignment *alignment, uint32_t file,
							uint32_t line);

/*
 * Finds the counterpart of a line of the new version in the old one; the other function goes from the old version
 * to the new one. False: the line has none. Files that were not given are the same in both versions.
 */
bool sl_alignment_back(const struct sl_alignment *alignment, const char *path, uint32_t line,
		       const char **old_path, uint32_t *old_line);
bool sl_alignment_forth(const struct sl_alignment *alignment, const char *old_path, uint32_t old_line,
			const char **path, uint32_t *line);

/* Returns whether this is the name of a C or C++ source or header. */
bool sl_is_source(const char *path);

#endif
