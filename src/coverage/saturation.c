#include "coverage/coverage.h"

/*
 * Coverage is a staircase y(x); the line is the least-squares one through all of its points in the window, the
 * integrals of which are sums over the stairs. With x in units of the window, from 0 to 1:
 *
 *	r² = (mean(xy) - mean(y) / 2)² / ((mean(y²) - mean(y)²) / 12)
 */
double
sl_saturation(const struct sl_growth *growth, size_t count, double from, double to, bool by_time)
{
	double left = 0, base = 0, y = 0, sum = 0, squares = 0, product = 0, variance, covariance;
	size_t i = 0;

	for (; i < count && (double)(by_time ? growth[i].nanoseconds : growth[i].execution) <= from; i++)
		base = growth[i].covered;
	for (;; i++) {
		double x = i < count ? ((double)(by_time ? growth[i].nanoseconds : growth[i].execution) - from) /
					       (to - from)
				     : 1;

		if (x > 1)
			x = 1;
		sum += y * (x - left);
		squares += y * y * (x - left);
		product += y * (x * x - left * left) / 2;
		if (i >= count || x >= 1)
			break;
		left = x;
		y = growth[i].covered - base;
	}
	variance = (squares - sum * sum) / 12;
	covariance = product - sum / 2;
	return variance > 1e-12 ? covariance * covariance / variance : 0;
}

bool
sl_coverage_is_saturated(struct sl_coverage *c, uint64_t window, uint64_t span, uint64_t now, double coefficient)
{
	/* the window begins with the first covered requirement: a program may start slowly */
	uint64_t first = c->growth_count ? c->growth[0].nanoseconds : 0;
	double r2;

	if (!c->execution || c->execution < window || (!window && now < first + span) ||
	    c->execution % ((window ? window : 64) / 16 + 1))
		return false;
	if (window)
		r2 = sl_saturation(c->growth, c->growth_count, (double)(c->execution - window),
				   (double)c->execution, false);
	else
		r2 = sl_saturation(c->growth, c->growth_count, (double)(now - span), (double)now, true);
	if (r2 > coefficient)
		return false;
	c->saturated = c->execution;
	return true;
}
