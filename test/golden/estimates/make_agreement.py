"""Writes agreement.json: Krippendorff's alpha as the package krippendorff computes it. Run: python make_agreement.py"""

import json
from pathlib import Path

import krippendorff
import numpy as np

rng = np.random.default_rng(17)
cases = []
for raters, units, values, missing, noise in [
    (2, 8, 2, 0.0, 0.3),
    (3, 20, 5, 0.0, 0.4),
    (4, 30, 5, 0.3, 0.5),
    (2, 40, 3, 0.1, 1.0),
    (7, 12, 9, 0.6, 0.2),
    (5, 50, 4, 0.5, 0.0),
]:
    truth = rng.integers(1, values + 1, units)
    data = np.tile(truth, (raters, 1)).astype(float)
    changed = rng.random(data.shape) < noise
    data[changed] = rng.integers(1, values + 1, int(changed.sum()))
    data[rng.random(data.shape) < missing] = np.nan
    alphas = {
        level: float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))
        for level in ("nominal", "ordinal", "interval")
    }
    # a row per unit, as the function under test takes them
    rows = [[None if np.isnan(value) else int(value) for value in unit] for unit in data.T]
    cases.append({"units": rows, **alphas})

Path(__file__).with_name("agreement.json").write_text(json.dumps({"krippendorff": "0.9.0", "cases": cases}) + "\n")
