"""Writes runs into Trackio: prints versions, then the name of the run for each line on stdin; TRACKIO_DIR says where."""
import array
import contextlib
import importlib.metadata
import io
import json
import sys

import trackio
from trackio.sqlite_storage import SQLiteStorage

opened: dict[str, trackio.Run] = {}
most = 1000  # rows of one transaction


def write(set: str, run: str, names: list[str], first: int, file: str) -> str:
    """The rows of a file of float64, a value for each name: many as its importers store them, one as a trainer logs it."""
    values = array.array("d")
    with open(file, "rb") as source:
        values.frombytes(source.read())
    width = len(names)
    rows = [dict(zip(names, values[at : at + width])) for at in range(0, len(values), width)]
    if len(rows) == 1:
        if run not in opened:
            # it greets on stdout, where answers go
            with contextlib.redirect_stdout(io.StringIO()):
                opened[run] = trackio.init(set, name=run, embed=False, auto_log_gpu=False, auto_log_cpu=False)
        opened[run].log(rows[0], step=first)
        return run
    for at in range(0, len(rows), most):
        part = rows[at : at + most]
        SQLiteStorage.bulk_log(set, run, part, steps=list(range(first + at, first + at + len(part))))
    return run


print(json.dumps({"trackio": importlib.metadata.version("trackio"), "python": sys.version.split()[0]}), flush=True)
for line in sys.stdin:
    print(json.dumps(write(**json.loads(line))), flush=True)
