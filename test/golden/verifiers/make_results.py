"""Writes results.jsonl with verifiers' own code: python make_results.py FOLDER. Made for verifiers 0.1.9."""

import sys
from pathlib import Path

from openai.types.chat import ChatCompletionMessageToolCall
from verifiers.utils.eval_utils import make_dataset

call = ChatCompletionMessageToolCall(id="1", type="function", function={"name": "read", "arguments": '{"page": 3}'})
prompts = [
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Dragon or Phoenix?"}],
    [{"role": "user", "content": "What is on the page?"}],
    "The bird is a",
]
completions = [
    [
        {"role": "assistant", "content": "Dragon"},
        {"role": "user", "content": "Once more."},
        {"role": "assistant", "content": "Phoenix"},
    ],
    [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "A tree."},
        {"role": "assistant", "content": "A tree."},
    ],
    " Phoenix",
]
timing = {"generation_ms": 10.0, "scoring_ms": 1.0, "total_ms": 11.0}
results = {
    "example_id": [7, 8, 9],
    "prompt": prompts,
    "completion": completions,
    "task": ["guess"] * 3,
    "reward": [1.0, 0.25, -1.0],
    "info": [{}, {}, {}],
    "answer": ["Phoenix", "tree", ""],
    "metrics": {"turns": [2.0, 2.0, 1.0]},
    "state": [{"timing": timing}, {"timing": timing}, {"timing": timing, "error": ValueError("late")}],
    "metadata": {"state_columns": []},
}
# rows of two kinds of prompt do not fit into one table
with (Path(sys.argv[1]) / "results.jsonl").open("w") as file:
    for at in range(3):
        row = {key: [value[at]] for key, value in results.items() if isinstance(value, list)}
        row["metrics"] = {key: [value[at]] for key, value in results["metrics"].items()}
        row["metadata"] = results["metadata"]
        dataset = make_dataset(row)
        path = Path(sys.argv[1]) / "row.jsonl"
        dataset.to_json(path)
        file.write(path.read_text())
        path.unlink()
print([[reward, turns] for reward, turns in zip(results["reward"], [2, 2, 1])])
