"""Values of an offline file of Weights & Biases: python read_wandb.py FILE. The framing is LevelDB's log; the records are parsed by wandb's own types."""

import json
import struct
import sys
from pathlib import Path

from wandb.proto import wandb_internal_pb2

data = Path(sys.argv[1]).read_bytes()
assert data[:4] == b":W&B", data[:4]
block = 32768
at = 7
records, part = [], b""
while at + 7 <= len(data):
    left = block - at % block
    if left < 7:
        at += left
        continue
    _, length, kind = struct.unpack("<IHB", data[at : at + 7])
    if kind == 0:
        at += left
        continue
    part += data[at + 7 : at + 7 + length]
    at += 7 + length
    if kind in (1, 4):
        records.append(part)
        part = b""

found = {"project": None, "name": None, "config": {}, "history": []}
for raw in records:
    record = wandb_internal_pb2.Record()
    record.ParseFromString(raw)
    if record.HasField("run"):
        found["project"], found["name"] = record.run.project, record.run.display_name
        found["config"].update({item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.run.config.update})
    if record.HasField("history"):
        found["history"].append({item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.history.item})
print(json.dumps(found))
