#include "predict/pattern.h"

#define R SL_OP_READS
#define W SL_OP_WRITES

/* first and last of u; between them of u' */
#define ONE(first, between, last) .count = 3, .steps = {{false, first, 0}, {true, between, 0}, {false, last, 0}}
#define TWO(outer, inner, at)                                                                                     \
	.count = 4, .steps = {{false, outer, 0}, {true, inner, at}, {true, inner, !(at)}, {false, outer, 1}}

const struct sl_pattern_rule sl_pattern_rules[SL_PATTERN_COUNT] = {
	[SL_PATTERN_RWW] = {ONE(R, W, W)},          [SL_PATTERN_RWR] = {ONE(R, W, R)},
	[SL_PATTERN_WRW] = {ONE(W, R, W)},          [SL_PATTERN_WWR] = {ONE(W, W, R)},
	[SL_PATTERN_WWW] = {ONE(W, W, W)},          [SL_PATTERN_WWWW] = {TWO(W, W, 0)},
	[SL_PATTERN_WWWW_CROSSED] = {TWO(W, W, 1)}, [SL_PATTERN_WRRW] = {TWO(W, R, 0)},
	[SL_PATTERN_WRRW_CROSSED] = {TWO(W, R, 1)}, [SL_PATTERN_RWWR] = {TWO(R, W, 0)},
	[SL_PATTERN_RWWR_CROSSED] = {TWO(R, W, 1)},
};

const struct sl_pattern_words sl_pattern_words[SL_PATTERN_COUNT] = {
	[SL_PATTERN_RWW] = {"R(x) W'(x) W(x)", "overwrites a value that has changed since it was read", 3},
	[SL_PATTERN_RWR] = {"R(x) W'(x) R(x)", "reads two different values", 3},
	[SL_PATTERN_WRW] = {"W(x) R'(x) W(x)", "shows a value that it has not finished", 3},
	[SL_PATTERN_WWR] = {"W(x) W'(x) R(x)", "does not read the value that it has just written", 3},
	[SL_PATTERN_WWW] = {"W(x) W'(x) W(x)", "overwrites a value that was written in between", 3},
	[SL_PATTERN_WWWW] = {"W(x) W'(x) W'(y) W(y)", "leaves one value of its own and one of the other unit", 4},
	[SL_PATTERN_WWWW_CROSSED] = {"W(x) W'(y) W'(x) W(y)",
				     "leaves one value of its own and one of the other unit", 4},
	[SL_PATTERN_WRRW] = {"W(x) R'(x) R'(y) W(y)", "shows one new and one old value", 4},
	[SL_PATTERN_WRRW_CROSSED] = {"W(x) R'(y) R'(x) W(y)", "shows one new and one old value", 4},
	[SL_PATTERN_RWWR] = {"R(x) W'(x) W'(y) R(y)", "reads one old and one new value", 4},
	[SL_PATTERN_RWWR_CROSSED] = {"R(x) W'(y) W'(x) R(y)", "reads one old and one new value", 4},
};
