/*
 * For gcc: what a tree accesses, and where it is written. After gcc_headers.hh.
 */
#ifndef SL_PLUGIN_GCC_DESCRIBE_HH
#define SL_PLUGIN_GCC_DESCRIBE_HH

/* The table of the file that is compiled. */
extern table::unit unit_of_file;

constexpr unsigned DEPTH = 8; /* of pointers behind pointers, and of copies */

table::position position_of(location_t at);
std::string name_of(tree decl);

/* Its number in the table. */
unsigned function_of(tree decl);

/* "struct mg_context", "account_t" of a struct that has no name but that; "" if it has none at all. */
std::string type_name(tree type);

/* "ns::Queue". */
std::string scoped_name(tree type);

/* As struct sl_site_function has it. */
std::string canonical_function(tree type, unsigned depth);

/* What is accessed by that reference, as the program would write it. */
table::description describe(tree reference, unsigned depth);

/* What a call is given the address of. */
table::description describe_argument(tree value);

/* In bytes; 0: not known. */
unsigned size_of(tree reference);

/* Can it be announced at all? Which of these are is gcc's to decide, and seen when all code is final. */
bool is_memory(tree reference);

/* READS and WRITES of a builtin for atomics; 0: it is none. */
unsigned atomic_access(const char *name);

#endif
