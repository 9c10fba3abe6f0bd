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

	/*
	 * To be called before anything in the function is announced: the instructions that will be announced get
	 * the numbers of their sites.
	 */
	void collect(llvm::Function &function);

	/* To be called when all functions have been collected. */
	void write();

      private:
	struct implementation;
	std::unique_ptr<implementation> inside;
};

#endif
