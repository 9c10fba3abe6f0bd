#include "base/op.h"

const struct sl_op_traits sl_op_kinds[256] = {
#define SL_OP(name, verb, flags, traits, event) [SL_##name] = {traits, flags, event},
#include "base/op.def"
};

/* sl_op_conflicts() relies on this: a kind that conflicts with others independent of their objects is WIDE. */
#define SL_OP(name, verb, flags, traits, event)                                                                   \
	_Static_assert(!((traits) & (SL_KIND_ENDS | SL_KIND_SENDS | SL_KIND_ALL_IO)) || ((traits)&SL_KIND_WIDE),  \
		       #name " is wide");
#include "base/op.def"
