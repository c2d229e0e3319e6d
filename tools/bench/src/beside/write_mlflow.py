"""Writes runs into MLflow by its own client: prints versions, then the place of the run in its page for each line on stdin.

usage: write_mlflow.py STORE
"""
import array
import importlib.metadata
import json
import os
import sys
import time

os.environ["MLFLOW_ENABLE_ASYNC_LOGGING"] = "false"
os.environ["MLFLOW_LOGGING_LEVEL"] = "WARNING"

from mlflow import MlflowClient
from mlflow.entities import Metric

client = MlflowClient(tracking_uri=sys.argv[1])
experiments: dict[str, str] = {}
runs: dict[str, str] = {}
most = 1000  # metrics that one request may hold


def write(set: str, run: str, names: list[str], first: int, file: str) -> str:
    """The rows of a file of float64, a value for each name."""
    if set not in experiments:
        experiments[set] = client.create_experiment(set)
    if run not in runs:
        runs[run] = client.create_run(experiments[set], run_name=run).info.run_id
    values = array.array("d")
    with open(file, "rb") as source:
        values.frombytes(source.read())
    now = int(time.time() * 1000)
    width = len(names)
    metrics = [Metric(names[at % width], value, now, first + at // width) for at, value in enumerate(values)]
    for at in range(0, len(metrics), most):
        client.log_batch(runs[run], metrics=metrics[at : at + most])
    return f"{experiments[set]}/runs/{runs[run]}"


print(json.dumps({"mlflow": importlib.metadata.version("mlflow"), "python": sys.version.split()[0]}), flush=True)
for line in sys.stdin:
    print(json.dumps(write(**json.loads(line))), flush=True)
