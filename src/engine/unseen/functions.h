/* The functions of a loaded file, and what they call (uninstrumented.c and traps.c ask). One file at a time. */
#ifndef SL_ENGINE_UNSEEN_FUNCTIONS_H
#define SL_ENGINE_UNSEEN_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct sl_module;
struct link_map;

struct sl_function {
	uint64_t low, high;
};

/* What a call to another library leads to: a callback of the compiler's, a function that is under control, or neither. */
enum sl_linked { SL_TO_ELSEWHERE, SL_TO_CALLBACK, SL_TO_CONTROLLED };

/* How many functions the file has; 0: it has no table of them. */
uint32_t sl_functions_open(const struct sl_module *module, const struct link_map *map);
/* By its number: they are sorted by address. One whose code is elsewhere is empty. */
struct sl_function sl_functions_at(uint32_t number);
bool sl_functions_is_text(uint64_t address);
uint64_t sl_functions_end(void); /* of the code */
/* A call, or a jump, goes there: to a few instructions of the linker's that jump by a word? */
enum sl_linked sl_functions_through(uint64_t to);
/* A call, or a jump, goes by this word. */
enum sl_linked sl_functions_by(uint64_t word);
int32_t sl_functions_number(uint64_t address);

#endif
