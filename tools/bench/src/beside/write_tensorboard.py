"""Writes runs as TensorBoard's own writer does: prints versions, then the name of the run for each line on stdin.

usage: write_tensorboard.py FOLDER
"""
import array
import importlib.metadata
import json
import os
import sys
import time

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

folder = sys.argv[1]
writers: dict[str, EventFileWriter] = {}


def write(set: str, run: str, names: list[str], first: int, file: str) -> str:
    """The rows of a file of float64, a value for each name; each row is an event."""
    if run not in writers:
        writers[run] = EventFileWriter(os.path.join(folder, set, run))
    values = array.array("d")
    with open(file, "rb") as source:
        values.frombytes(source.read())
    width = len(names)
    for row in range(len(values) // width):
        summary = Summary()
        for at, name in enumerate(names):
            summary.value.add(tag=name, simple_value=values[row * width + at])
        writers[run].add_event(Event(wall_time=time.time(), step=first + row, summary=summary))
    writers[run].flush()
    return run


print(json.dumps({"tensorboard": importlib.metadata.version("tensorboard"), "python": sys.version.split()[0]}), flush=True)
for line in sys.stdin:
    print(json.dumps(write(**json.loads(line))), flush=True)
