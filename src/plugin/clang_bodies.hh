/*
 * For clang: functions as they were written (function_bodies.hh).
 */
#ifndef SL_PLUGIN_CLANG_BODIES_HH
#define SL_PLUGIN_CLANG_BODIES_HH

#include "clang_describe.hh"

/*
 * One for a module, together with the table of its file: it lives from the first look at the functions until the
 * table is written.
 */
describing::describer &describer_of(llvm::Module &module);
void forget_describer(llvm::Module &module);

/* To be called before anything is optimised. */
void read_functions(llvm::Module &module);

#endif
