"""Writes weights.json: importance weights between sampler and trainer as NumPy computes them from the formulas, and
metrics of the gap. Run: python make_weights.py (needs numpy)

Log-probabilities are float32 values; everything after them is float64. Bounds are drawn so that no ratio lies on one.
"""

import json
from pathlib import Path

import numpy as np

rng = np.random.default_rng(13)
RULES = [
    ("truncated", 2.0, 0.0),
    ("truncated", 1.05, 0.0),
    ("mask", 2.0, 0.0),
    ("icepop", 5.0, 0.5),
    ("icepop", 1.1, 0.95),
    ("sequence-truncated", 3.0, 0.0),
    ("sequence-mask", 3.0, 0.0),
]


def weigh(rho_tokens, kind, high, low):
    rho = np.full_like(rho_tokens, np.prod(rho_tokens)) if kind.startswith("sequence") else rho_tokens
    if kind.endswith("truncated"):
        return np.minimum(rho, high)
    outside = (rho > high) | (rho < low)
    return np.where(outside, 0.0, rho)


def bucket(depth):
    edges = [0, 128, 256, 512, 1024, 2048, 4096]
    return max(edge for edge in edges if edge <= depth)


def summary(rho, changed):
    log = np.log(rho)
    return {
        "kl_k1": float(np.mean(-log)),
        "kl_k3": float(np.mean(np.expm1(log) - log)),
        "ratio_max": float(rho.max()),
        "share": float(np.mean(changed)),
    }


cases = []
for index in range(21):
    kind, high, low = RULES[index % len(RULES)]
    spread = float(rng.choice([0.01, 0.1, 1.0]))
    sequences, all_rho, all_changed, all_weights, all_depths = [], [], [], [], []
    for _ in range(int(rng.integers(1, 6))):
        n = int(rng.integers(1, 20))
        trainer = -rng.exponential(1.0, n).astype(np.float32)
        sampler = np.minimum(trainer + rng.normal(0, spread, n), -1e-6).astype(np.float32)
        rho = np.exp(trainer.astype(np.float64) - sampler.astype(np.float64))
        judged = np.full_like(rho, np.prod(rho)) if kind.startswith("sequence") else rho
        weights = weigh(rho, kind, high, low)
        depths = np.sort(rng.choice(3000, n, replace=False))
        sequences.append(
            {
                "logprobs": trainer.tolist(),
                "sampled": sampler.tolist(),
                "depths": depths.tolist(),
                "weights": weights.tolist(),
            }
        )
        all_rho.append(rho)
        all_changed.append(weights != judged)
        all_weights.append(weights)
        all_depths.append(depths)
    rho, changed = np.concatenate(all_rho), np.concatenate(all_changed)
    weights, depths = np.concatenate(all_weights), np.concatenate(all_depths)
    froms = np.array([bucket(depth) for depth in depths])
    cases.append(
        {
            "rule": {"use": kind, "maxRatio": high, "minRatio": low},
            "sequences": sequences,
            "whole": {
                **summary(rho, changed),
                "ratio_mean": float(rho.mean()),
                "weight_mean": float(weights.mean()),
            },
            "depths": {
                str(start): summary(rho[froms == start], changed[froms == start])
                for start in sorted(set(froms.tolist()))
            },
        }
    )

Path(__file__).with_name("weights.json").write_text(json.dumps(cases) + "\n")
