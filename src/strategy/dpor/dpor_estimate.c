/*
 * Estimates the number of all executions. Knuth's estimate, weighted (Kilby, Slaney, Thiébaux and Walsh:
 * Estimating Search Tree Size, AAAI 2006): if each branch of a node had an equal share of what is below it, the
 * current path would tell which share of the tree is done.
 *
 * Here the branches of a node become known as the search goes on: at first there seem to be few, and the estimate
 * is far too low. So there is a second one, in which a node has at least as many branches as finished nodes with
 * as many enabled threads had on average; that one is too high later on. The second counts for as much as the
 * first leaves open.
 */
#include "strategy/dpor/dpor.h"

void
sl_dpor_node_done(struct sl_dpor *s, const struct sl_dpor_node *n)
{
	if (n->enabled < SL_DPOR_ENABLED) {
		s->estimate.nodes[n->enabled]++;
		s->estimate.branches[n->enabled] += n->tried + 1;
	}
}

static double
branches_of(const struct sl_dpor *s, const struct sl_dpor_node *n)
{
	unsigned known = n->tried + 1;

	for (uint32_t t = n->list; t; t = s->trees[t].next)
		known++;
	return known;
}

uint64_t
sl_dpor_estimate(const struct sl_dpor *s)
{
	double share = 1, behind = 0, share_learnt = 1, behind_learnt = 0;

	for (uint32_t i = 1; i <= s->length && share > 1e-12; i++) {
		const struct sl_dpor_node *n = &s->nodes[i];
		double branches = branches_of(s, n);

		share /= branches;
		behind += share * n->tried;
		if (n->enabled < SL_DPOR_ENABLED && s->estimate.nodes[n->enabled]) {
			double usual =
				(double)s->estimate.branches[n->enabled] / (double)s->estimate.nodes[n->enabled];

			branches = usual > branches ? usual : branches;
		}
		share_learnt /= branches;
		behind_learnt += share_learnt * n->tried;
	}
	behind = behind * behind + (1 - behind) * behind_learnt;
	if (behind <= 0)
		return 0;
	double all = (double)(s->counts.executions - s->counts.skipped) / behind;

	return all < 1e18 ? (uint64_t)(all + 0.5) : 0;
}
