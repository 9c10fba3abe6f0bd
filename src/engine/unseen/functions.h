/* The functions of a loaded file, and what they call. For uninstrumented.c and traps.c; one file at a time. */
#ifndef SL_ENGINE_UNSEEN_FUNCTIONS_H
#define SL_ENGINE_UNSEEN_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct sl_module;
struct link_map;

struct sl_function {
	uint64_t low, high;
};

/*
 * The target of a call to another library: a callback of the compiler, a function that is under control, or
 * neither.
 */
enum sl_linked { SL_TO_ELSEWHERE, SL_TO_CALLBACK, SL_TO_CONTROLLED };

/* Returns the number of functions of the file; 0: it has no table of them. */
uint32_t sl_functions_open(const struct sl_module *module, const struct link_map *map);
/* Returns a function by its number; functions are sorted by address. One whose code is elsewhere is empty. */
struct sl_function sl_functions_at(uint32_t number);
bool sl_functions_is_text(uint64_t address);
uint64_t sl_functions_end(void); /* the end of the code */
/* What a call or jump to this address leads to, if it is a stub of the linker. */
enum sl_linked sl_functions_through(uint64_t to);
/* What a call or jump to the address in this word leads to. */
enum sl_linked sl_functions_by(uint64_t word);
int32_t sl_functions_number(uint64_t address);

#endif
