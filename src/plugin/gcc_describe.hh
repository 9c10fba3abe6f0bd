/* For gcc: what a tree accesses, and where it is written. To be included after gcc_headers.hh. */
#ifndef SL_PLUGIN_GCC_DESCRIBE_HH
#define SL_PLUGIN_GCC_DESCRIBE_HH

/* The table of the compiled file. */
extern table::unit unit_of_file;

constexpr unsigned DEPTH = 8; /* of pointers behind pointers, and of copies */

table::position position_of(location_t at);
std::string name_of(tree decl);

/* Its number in the table. */
unsigned function_of(tree decl);

/* "struct mg_context", "account_t" for a struct that has no other name; "" if it has none. */
std::string type_name(tree type);

/* "ns::Queue". */
std::string scoped_name(tree type);

/* As struct sl_site_function has it. */
std::string canonical_function(tree type, unsigned depth);
std::string canonical_type(tree type, unsigned depth);

/* Describes what the reference accesses, as the program would write it. */
table::description describe(tree reference, unsigned depth);

/* Describes the object whose address an argument is. */
table::description describe_argument(tree value);

/* In bytes; 0: not known. */
unsigned size_of(tree reference);

/* Can it be announced at all? gcc decides later which references are; the final code shows it. */
bool is_memory(tree reference);

/* READS and WRITES of a builtin for atomics; 0: it is no such builtin. */
unsigned atomic_access(const char *name);

#endif
