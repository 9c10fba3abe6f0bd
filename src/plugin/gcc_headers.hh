/* gcc's own headers, in the order that they need. */
#ifndef SL_PLUGIN_GCC_HEADERS_HH
#define SL_PLUGIN_GCC_HEADERS_HH

#include "table.hh" /* before gcc's headers, which forbid words that those of C++ need */

#include <algorithm>

/* clang-format off: gcc's headers have to come in this order */
#include "gcc-plugin.h"

#include "tree.h"
#include "gimple.h"
#include "stringpool.h"
#include "attribs.h"
#include "builtins.h"
#include "cgraph.h"
#include "context.h"
#include "diagnostic-core.h"
#include "except.h"
#include "fold-const.h"
#include "gimple-iterator.h"
#include "langhooks.h"
#include "output.h"
#include "rtl.h"
#include "memmodel.h"
#include "emit-rtl.h"
#include "ssa.h"
#include "toplev.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-pass.h"
#include "tree-ssa-alias.h"
#include "version.h"
/* clang-format on */

#endif
