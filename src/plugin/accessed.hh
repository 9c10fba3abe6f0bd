/* The object of an access, and where the access is written. */
#ifndef SL_PLUGIN_ACCESSED_HH
#define SL_PLUGIN_ACCESSED_HH

#include "source/table_format.h"

#include <string>
#include <tuple>

namespace table {

/* What is accessed. Strings may be empty. */
struct object {
	unsigned kind = TABLE_UNKNOWN; /* enum table_object_kind */
	std::string variable; /* the variable that is accessed, or that has the member */
	std::string scope; /* the function that has the variable */
	std::string container,
		path; /* "struct mg_context", "stats.count": from the last pointer, or the variable, to the member */
	std::string holder, member; /* "struct mg_stats", "count": in the innermost type that has a name */
	std::string type; /* the type of an object that is reached through a pointer and is no member */

	auto key() const
	{
		return std::tie(kind, variable, scope, container, path, holder, member, type);
	}
	bool operator<(const object &o) const
	{
		return key() < o.key();
	}
};

struct position {
	std::string file;
	unsigned line = 0, column = 0;
};

} // namespace table

#endif
