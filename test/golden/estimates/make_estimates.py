"""Writes estimates.json: intervals and tests as SciPy computes them. Run: python make_estimates.py"""

import json
from math import comb
from pathlib import Path

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(15)
wilson = []
for n in (1, 2, 7, 40, 512, 4000):
    for successes in sorted({0, 1, n // 3, n - 1, n}):
        low, high = stats.binomtest(successes, n).proportion_ci(method="wilson")
        wilson.append({"successes": successes, "n": n, "low": float(low), "high": float(high)})

mcnemar = []
for gained, lost in [(0, 0), (1, 0), (3, 1), (5, 5), (9, 2), (40, 17), (300, 210), (700, 900)]:
    n = gained + lost
    p = 1.0 if n == 0 else float(stats.binomtest(min(gained, lost), n, 0.5).pvalue)
    mcnemar.append({"gained": gained, "lost": lost, "p": p})


def mean(x, axis):
    return np.mean(x, axis=axis)


flips, drawn = [], []
for n in (2, 5, 9, 13):
    values = (rng.integers(-4, 5, n) / 4).tolist()
    p = stats.permutation_test((values,), mean, permutation_type="samples", n_resamples=np.inf).pvalue
    flips.append({"differences": values, "p": float(p)})
for n, shift in ((60, 0.05), (200, 0.04)):
    values = (np.round(rng.normal(shift, 0.4, n) * 4) / 4).tolist()
    p = stats.permutation_test(
        (values,), mean, permutation_type="samples", n_resamples=200_000, rng=rng
    ).pvalue
    drawn.append({"differences": values, "p": float(p)})

holm = []
for n in (1, 2, 6, 15):
    values = rng.uniform(0, 0.2, n)
    order = np.argsort(values)
    # the definition: the largest of (m - j) p_(j) over all ranks up to one's own
    adjusted = np.empty(n)
    for rank, index in enumerate(order):
        adjusted[index] = min(1.0, max((n - j) * values[order[j]] for j in range(rank + 1)))
    holm.append({"p": values.tolist(), "adjusted": adjusted.tolist()})

passes = [
    {"n": n, "c": c, "k": k, "any": 1 - comb(n - c, k) / comb(n, k), "all": comb(c, k) / comb(n, k)}
    for n in (1, 4, 10, 64)
    for c in sorted({0, 1, n // 2, n})
    for k in sorted({1, (n + 1) // 2, n})
]

boot = []
for n in (8, 50):
    values = np.round(rng.normal(0.3, 1, n), 3)
    interval = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=200_000, batch=1000, rng=rng
    ).confidence_interval
    boot.append({"values": values.tolist(), "low": float(interval.low), "high": float(interval.high)})

out = {
    "made_with": f"scipy {scipy.__version__}, numpy {np.__version__}",
    "wilson": wilson,
    "mcnemar": mcnemar,
    "flips": flips,
    "drawn": drawn,
    "holm": holm,
    "passes": passes,
    "bootstrap": boot,
}
Path(__file__).with_name("estimates.json").write_text(json.dumps(out) + "\n")
