"""What the studies compute of their measurements: geometric means, the Mann-Whitney U test, Vargha and Delaney's A12, quartiles."""

import math


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def ranks(values):
    """The rank of each value, from 1 on; equal ones share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result, at = [0.0] * len(values), 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            result[i] = (at + 1 + end) / 2
        at = end
    return result


def mann_whitney(a, b):
    """U of `a`, and the probability of a difference like this one if both are drawn from the same distribution (two-sided; by the
    normal approximation, with corrections for ties and continuity)."""
    n, m = len(a), len(b)
    both = list(a) + list(b)
    rank = ranks(both)
    u = sum(rank[:n]) - n * (n + 1) / 2
    counts = {}
    for value in both:
        counts[value] = counts.get(value, 0) + 1
    ties = sum(c**3 - c for c in counts.values())
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return u, 1.0  # all values are the same
    z = max(abs(u - n * m / 2) - 0.5, 0) / math.sqrt(variance)
    return u, math.erfc(z / math.sqrt(2))


def a12(a, b):
    """The probability that a value of `a` is less than one of `b`; a tie counts half."""
    u, _ = mann_whitney(a, b)
    return 1 - u / (len(a) * len(b))


def quantile(values, q):
    """Linear between the two nearest values."""
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def median(values):
    return quantile(values, 0.5)
