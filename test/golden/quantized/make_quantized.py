"""Writes quantized.json: matrices rounded to int8 in blocks of 32 along a row, as NumPy rounds them, and products with them.
Run: python make_quantized.py (needs numpy)

A scale is the largest size / 127 in float32, a code floor(value / scale + 1/2) + 128 in float64.
"""

import json
from pathlib import Path

import numpy as np

rng = np.random.default_rng(32)
BLOCK = 32


def quantize(matrix):
    rows, columns = matrix.shape
    blocks = -(-columns // BLOCK)
    padded = np.zeros((rows, blocks * BLOCK), np.float32)
    padded[:, :columns] = matrix
    cut = padded.reshape(rows, blocks, BLOCK)
    scales = (np.abs(cut).max(-1).astype(np.float64) / 127).astype(np.float32)
    safe = np.where(scales == 0, np.float32(1), scales).astype(np.float64)
    codes = np.floor(cut.astype(np.float64) / safe[..., None] + 0.5) + 128
    return codes.astype(int), scales


cases = []
for rows, columns, spread in [(3, 32, 1), (2, 40, 1e-3), (4, 7, 1), (3, 96, 10), (1, 65, 1e-38)]:
    matrix = rng.normal(0, spread, (rows, columns)).astype(np.float32)
    if rows == 3:
        matrix[1, :32] = 0
    codes, scales = quantize(matrix)
    x = rng.normal(0, 1, (2, columns)).astype(np.float32)
    meant = ((codes - 128) * scales[..., None].astype(np.float64)).reshape(rows, -1)[:, :columns]
    cases.append(
        {
            "rows": rows,
            "columns": columns,
            "values": [float(value) for value in matrix.reshape(-1)],
            "codes": codes.reshape(-1).tolist(),
            "scales": [float(value) for value in scales.reshape(-1)],
            "x": [float(value) for value in x.reshape(-1)],
            "product": (x.astype(np.float64) @ meant.T).reshape(-1).tolist(),
        }
    )

Path(__file__).with_name("quantized.json").write_text(json.dumps(cases) + "\n")
