/*
 * For clang: the table of sites (docs/decisions/table-of-sites.md).
 */
#ifndef SL_PLUGIN_CLANG_SITES_HH
#define SL_PLUGIN_CLANG_SITES_HH

#include "llvm/IR/Module.h"

#include <memory>

class site_collector {
      public:
	explicit site_collector(llvm::Module &module);
	~site_collector();

	/* Before anything is announced in the function: what will be gets its site's number. */
	void collect(llvm::Function &function);

	/* When all functions have been collected. */
	void write();

      private:
	struct implementation;
	std::unique_ptr<implementation> inside;
};

#endif
