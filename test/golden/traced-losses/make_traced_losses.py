"""Writes golden.json: losses as graphs, and what PyTorch makes of them.

    cd test/golden/traced-losses; node print-losses.mjs | python make_traced_losses.py > golden.json

with `pip install tinker==0.38.0 torch` under Python 3.11 or later, after `npm run build`. Two halves: losses written in
Python, traced and encoded by the official SDK; and graphs of ours, which are rebuilt here for PyTorch, name by name.
"""

import json
import operator
import sys

import torch
import torch.nn.functional as F
from tinker.lib.public_interfaces.custom_loss import encode_graph, trace_loss

torch.manual_seed(4)
LENGTH = 7


def clipped(logprobs, old_logprobs, advantages):
    ratio = torch.exp(logprobs - old_logprobs)
    objective = torch.minimum(ratio * advantages, torch.clamp(ratio, 0.8, 1.3) * advantages)
    outside = ((ratio < 0.8) | (ratio > 1.3)).float()
    return -objective.sum(), {"custom/clipped:mean": outside.mean(), "custom/ratio:sum": ratio.detach().sum()}


def sequence_ratio(logprobs, old_logprobs, advantage, mask):
    shift = ((logprobs - old_logprobs) * mask).sum() / mask.sum().clamp(min=1)
    ratio = shift.exp()
    loss = -torch.minimum(ratio * advantage, ratio.clamp(0.9, 1.1) * advantage) * mask.sum()
    return loss, {"custom/sequence/ratio:mean": ratio}


def preference(logprobs, reference, beta):
    margin = beta * (logprobs.sum() - reference.sum())
    return -F.logsigmoid(margin) + F.softplus(-margin) * 0.5, {}


def many(logprobs, weights):
    p = logprobs.exp()
    x = torch.where(weights > 0.5, 1 - p, p**2) + torch.abs(logprobs).sqrt() * 0.1
    y = torch.log1p(p) - torch.expm1(-p) + torch.sigmoid(logprobs).pow(-1) / 8 + torch.tanh(logprobs)
    z = F.relu(weights - 0.5) + weights.square().clamp(max=0.4) + torch.rsqrt(p + 1) + logprobs.cumsum(0) / 16
    kept = torch.logical_and(p > 0.05, ~(weights.eq(0))).to(torch.float32)
    filled = (x + y).masked_fill(weights < 0.1, 0.0) + z * kept + torch.zeros_like(x) + 2 * torch.ones_like(x)
    return filled.mean() + filled.amax() / logprobs.numel() + filled.shape[0] * filled.min(), {
        "custom/top:mean": torch.max(filled),
        "custom/kept:sum": kept.sum(),
    }


def scalars(logprobs, weights, low):
    x = torch.add(logprobs, weights, alpha=0.5) - torch.sub(weights, 1.0, alpha=2)
    bounded = torch.maximum(x, low) * torch.sign(weights - 0.5) + torch.floor(weights * 4) * logprobs
    return (bounded.double() / (1 + weights)).sum(dim=0), {"custom/low:mean": low.reciprocal()}


LOSSES = [
    (clipped, {"logprobs": 1, "old_logprobs": 1, "advantages": 1}),
    (sequence_ratio, {"logprobs": 1, "old_logprobs": 1, "advantage": 0, "mask": 1}),
    (preference, {"logprobs": 1, "reference": 1, "beta": 0}),
    (many, {"logprobs": 1, "weights": 1}),
    (scalars, {"logprobs": 1, "weights": 1, "low": 0}),
]


def numbers(name, rank):
    if name in ("logprobs", "old_logprobs", "reference"):
        return -torch.rand(LENGTH) * 3 - 0.01
    if name == "mask":
        return (torch.arange(LENGTH) % 3 > 0).float()
    if rank == 0:
        return torch.tensor({"advantage": -0.75, "beta": 0.3, "low": -0.9}[name])
    return torch.randn(LENGTH) if name == "advantages" else torch.rand(LENGTH)


def traced(fn, ranks):
    handle = trace_loss(fn, ranks, "session")
    inputs = {name: numbers(name, rank) for name, rank in ranks.items()}
    logprobs = inputs["logprobs"].requires_grad_(True)
    loss, metrics = fn(**inputs)
    loss.backward()
    return {
        "name": handle.name,
        "inputs": [{"name": one.name, "rank": one.rank} for one in handle.inputs],
        "graph": encode_graph(handle).model_dump(),
        "numbers": {name: value.detach().reshape(-1).tolist() for name, value in inputs.items()},
        "loss": loss.item(),
        "metrics": {name: value.item() for name, value in metrics.items()},
        "gradient": logprobs.grad.tolist(),
    }


def argument(value, found):
    if not isinstance(value, dict):
        return value
    [(kind, inner)] = value.items()
    if kind == "ref":
        return found[inner]
    if kind == "dtype":
        return getattr(torch, inner)
    if kind == "dict":
        return {key: argument(one, found) for key, one in inner.items()}
    assert kind == "tuple", kind
    return tuple(argument(one, found) for one in inner)


def run(graph, inputs):
    """Runs a graph, node by node, as torch.fx would."""
    found = {}
    for node in graph["nodes"]:
        args = [argument(value, found) for value in node["args"]]
        kwargs = {name: argument(value, found) for name, value in node["kwargs"].items()}
        if node["op"] == "output":
            return args[0]
        if node["op"] == "placeholder":
            found[node["name"]] = inputs[node["target"]]
        elif node["op"] == "call_method":
            found[node["name"]] = getattr(args[0], node["target"])(*args[1:], **kwargs)
        else:
            module, name = node["target"].rsplit(".", 1)
            found[node["name"]] = getattr({"torch": torch, "operator": operator}[module], name)(*args, **kwargs)
    raise ValueError("no output")


def computed(case):
    """What PyTorch makes of a graph of ours, for each sequence of a batch."""
    results = []
    for datum in case["data"]:
        inputs = {name: torch.tensor(values) for name, values in datum.items()}
        logprobs = inputs["logprobs"].requires_grad_(True)
        loss, _ = run(case["graph"], inputs)
        loss.backward()
        results.append({"loss": loss.item(), "gradient": logprobs.grad.tolist()})
    return {"title": case["title"], "graph": case["graph"], "inputs": case["inputs"], "results": results}


json.dump(
    {
        "sdk": [traced(fn, ranks) for fn, ranks in LOSSES],
        "ours": [computed(case) for case in json.load(sys.stdin)],
    },
    sys.stdout,
)
print()
