"""The metrics of a run as an offline run of Weights & Biases: python to_wandb.py RUN [PROJECT]; then: wandb sync wandb/offline-run-…

W&B's own package writes the files, as their format is its own. Needs `pip install wandb` (tried with 0.31).
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("WANDB_MODE", "offline")
import wandb

folder = Path(sys.argv[1])
spec = json.loads((folder / "spec.json").read_text())
rows = {}
for line in (folder / "metrics.jsonl").read_text().splitlines():
    row = json.loads(line)
    # a resumed run has later rows of a step; a value that is no finite number is null
    rows.setdefault(row["step"], {}).update({name: value for name, value in row["values"].items() if value is not None})

with wandb.init(project=sys.argv[2] if len(sys.argv) > 2 else "espalier", name=folder.resolve().name, config=spec) as run:
    for step in sorted(rows):
        run.log(rows[step], step=step)
    print(f"{len(rows)} steps; wandb sync {Path(run.dir).parent}")
