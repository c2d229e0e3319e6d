"""Losses and credit once more, from the formulas, for one token or one trajectory at a time.

Credit (advantages, returns, moments) is exact: rational numbers, rounded once at the very end. Loss terms are cases on
plain floats, each with its derivative written out by hand; there is no minimum, no clipping function and no automatic
differentiation here. Where a term has no derivative, or rounding could decide a case, `Kink` is raised. Needs only Python.
"""

import math
from fractions import Fraction

MARGIN = 1e-5


class Kink(Exception):
    """A number lies too close to a place where the term has no derivative."""


def apart(a, b):
    if abs(a - b) <= MARGIN * max(1, abs(b)):
        raise Kink(f"{a} beside {b}")


# Loss terms: (loss, derivative, metrics) of one token.


def nll(logprob, undecided):
    """The entropy is reported beside it."""
    return -logprob, -1.0, {"policy/nll": -logprob, "policy/entropy": undecided}


def entropy(value, coefficient):
    return -coefficient * value, -coefficient, {"policy/entropy": value}


def surrogate(logprob, old, advantage, low, high, dual):
    """Good tokens gain up to ratio 1 + high; bad ones cost at least 1 - low and, with a dual clip, at most `dual`."""
    difference = logprob - old
    for bound in (-20, 20, math.log(1 - low), math.log(1 + high), *([math.log(dual)] if dual else [])):
        apart(difference, bound)
    ratio = math.exp(max(-20.0, min(20.0, difference)))
    slope = ratio if abs(difference) < 20 else 0.0
    metrics = {
        "policy/clip_fraction_low": float(advantage < 0 and ratio < 1 - low),
        "policy/clip_fraction_high": float(advantage > 0 and ratio > 1 + high),
        "policy/approx_kl": old - logprob,
        "policy/ratio": ratio,
    }
    if dual:
        metrics["policy/clip_fraction_dual"] = float(advantage < 0 and ratio > dual)
    size = abs(advantage)
    if advantage == 0:
        loss, derivative = 0.0, 0.0
    elif advantage > 0:
        loss, derivative = (-(1 + high) * size, 0.0) if ratio > 1 + high else (-ratio * size, -slope * size)
    elif ratio < 1 - low:
        loss, derivative = (1 - low) * size, 0.0
    elif dual and ratio > dual:
        loss, derivative = dual * size, 0.0
    else:
        loss, derivative = ratio * size, slope * size
    return loss, derivative, metrics


ESTIMATORS = ("k1", "abs", "k2", "k3", "k3-straight-through")


def kl(logprob, reference, estimator):
    x = logprob - reference
    if estimator == "k1":
        value, derivative = x, 1.0
    elif estimator == "abs":
        value, derivative = abs(x), (0.0 if x == 0 else math.copysign(1.0, x))  # at 0: the middle of its range
    elif estimator == "k2":
        value, derivative = x * x / 2, x
    else:
        value, derivative = k3(x)
        if estimator == "k3-straight-through":
            derivative = x
    return value, derivative, {"policy/kl_reference": value}


def k3(x):
    """e^(-x) + x - 1, which is never negative; flat above 10, and beyond a difference of 20, where it is above 10."""
    apart(abs(x), 20)
    value = math.expm1(-max(-20.0, min(20.0, x))) + max(-20.0, min(20.0, x))
    apart(value, 10)
    return (10.0, 0.0) if value > 10 else (value, -math.expm1(-x))


def critic(value, old, target, bound):
    """Half the squared error; a value further than `bound` from the old one cannot do better than at the bound."""
    error = value - target
    metrics = {"critic/value": value}
    loss, derivative, clipped = error * error / 2, error, 0.0
    if bound:
        apart(abs(value - old), bound)
        if abs(value - old) > bound:
            held = old + math.copysign(bound, value - old) - target
            apart(abs(held), abs(error))
            if abs(held) > abs(error):
                loss, derivative, clipped = held * held / 2, 0.0, 1.0
        metrics["critic/clip_fraction"] = clipped
    return loss, derivative, {**metrics, "critic/loss": loss}


# Aggregation: the weight of each token of a sequence.


def token_weights(counts, mode):
    present = sum(1 for n in counts if n)
    shares = {
        "token-mean": lambda n: Fraction(1, sum(counts)),
        "sequence-mean-token-mean": lambda n: Fraction(1, present) / n,
        "sequence-mean-token-sum": lambda n: Fraction(1, present),
    }
    return [shares[mode](n) if n else Fraction(0) for n in counts]


# Credit. A trajectory here is its counted tokens only: values and rewards [n], and its turns as lists of indices into them.


def counted_only(mask, rewards, ends, values):
    """Cuts out what does not count. What falls on a cut token goes to the counted one before it, or to the first."""
    places = [t for t, bit in enumerate(mask) if bit]
    if not places:
        return [], [], []
    home = lambda t: max((k for k, place in enumerate(places) if place <= t), default=0)
    placed = [Fraction(0)] * len(places)
    for t, reward in enumerate(rewards):
        placed[home(t)] += reward
    last = sorted({home(t) for t in ends} | {len(places) - 1})
    turns = [list(range(0 if k == 0 else last[k - 1] + 1, end + 1)) for k, end in enumerate(last)]
    return [values[t] for t in places], placed, turns


def discounted(rewards, values, gamma, lam, after=Fraction(0)):
    """Advantages as sums of discounted one-step surprises; `after` is the value once the sequence has ended."""
    following = [*values[1:], after]
    surprises = [r + gamma * v2 - v for r, v, v2 in zip(rewards, values, following)]
    return [sum(((gamma * lam) ** j * s for j, s in enumerate(surprises[t:])), Fraction(0)) for t in range(len(values))]


def two_level(rewards, values, turns, gamma, lam, turn_gamma):
    """Between the last tokens of turns first; what that says a turn was worth is then the reward of its tokens."""
    ends = [turn[-1] for turn in turns]
    worth = discounted([rewards[e] for e in ends], [values[e] for e in ends], turn_gamma, lam)
    advantages = []
    for turn, end, own in zip(turns, ends, worth):
        inside = [own + values[end] if t == end else rewards[t] for t in turn]
        advantages += discounted(inside, [values[t] for t in turn], gamma, lam)
    return advantages


def earn_alike(rows, gamma, turn_gamma):
    """Whether trajectories earn the same from each turn on, as far as they get; one alone has nothing to be compared with."""
    worth = []
    for values, rewards, turns, *_ in rows:
        nothing = [Fraction(0)] * len(values)
        if turn_gamma is None:
            earned = discounted(rewards, nothing, gamma, Fraction(1))
        else:
            earned = two_level(rewards, nothing, turns, gamma, Fraction(1), turn_gamma)
        worth.append([earned[turn[0]] for turn in turns])
    longest = max(worth, key=len)
    return len(rows) > 1 and all(own == longest[: len(own)] for own in worth)


def moments(numbers):
    """Mean, and variance with divisor n - 1 (0 for fewer than two)."""
    if not numbers:
        return Fraction(0), Fraction(0)
    mean = sum(numbers, Fraction(0)) / len(numbers)
    squares = sum(((x - mean) ** 2 for x in numbers), Fraction(0))
    return mean, squares / (len(numbers) - 1) if len(numbers) > 1 else Fraction(0)


def root(variance):
    """Square root of an exact number, right to the last digit of a float even where squares would underflow."""
    return math.isqrt(int(variance * (1 << 400))) / (1 << 200)


def whitened(numbers):
    mean, variance = moments(numbers)
    return [float(x - mean) / (root(variance) + 1e-8) for x in numbers]


def relative(totals, groups, normalization):
    """Total less the mean of the group; one alone has mean 0 and deviation 1."""
    members = {g: [r for r, h in zip(totals, groups) if h == g] for g in groups}
    means = {g: moments(own)[0] if len(own) > 1 else Fraction(0) for g, own in members.items()}
    centred = [r - means[g] for r, g in zip(totals, groups)]
    if normalization == "none":
        return [float(c) for c in centred]
    if normalization == "batch":
        deviation = root(moments(centred)[1]) if len(centred) > 1 else 1.0
        return [float(c) / (deviation + 1e-6) for c in centred]
    spread = {g: root(moments(own)[1]) if len(own) > 1 else 1.0 for g, own in members.items()}
    return [float(c) / (spread[g] + 1e-6) for c, g in zip(centred, groups)]


def most_uncertain(totals, percent):
    """The share of groups whose totals vary most; equal ones by lower index; at least one."""
    variances = [moments(own)[1] for own in totals]
    ranked = sorted(range(len(totals)), key=lambda g: (-variances[g], g))
    kept = max(1, len(totals) * percent // 100)
    return sorted(ranked[:kept]), [root(v) for v in variances]


def credit_metrics(advantages):
    mean, variance = moments(advantages)
    largest = max((abs(a) for a in advantages), default=0)
    return {
        "credit/advantage_mean": float(mean),
        "credit/advantage_std": root(variance),
        "credit/advantage_max": float(largest),
    }


def explained_variance(values, targets):
    whole = moments(targets)[1]
    left = moments([r - v for r, v in zip(targets, values)])[1]
    return float(1 - left / whole) if whole else 0.0
