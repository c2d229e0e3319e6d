"""Drives an engine server with the official SDK and prints what came of it as one line of JSON.

    TINKER_BASE_URL=… TINKER_API_KEY=tml-… python sdk_check.py <base model>
"""

import dataclasses
import json
import math
import sys

import numpy as np
import tinker
import torch
from tinker import types

[base_model] = sys.argv[1:]
service = tinker.ServiceClient()
models = [model.model_name for model in service.get_server_capabilities().supported_models]


def opened(client):
    """Newer SDKs give a client by a future."""
    return client.result() if hasattr(client, "result") else client


training = opened(service.create_lora_training_client(base_model=base_model, rank=4, seed=3, train_unembed=False))

tokens = [5, 9, 11, 7, 3, 20, 41, 8]
prompt = types.ModelInput.from_ints(tokens[:-1])
targets = np.array(tokens[1:], dtype=np.int64)


def datum(**inputs):
    arrays = {name: np.array(values, dtype=np.float32) for name, values in inputs.items()}
    return types.Datum(model_input=prompt, loss_fn_inputs={"target_tokens": targets, **arrays})


weights = [0, 0, 1, 1, 1, 1, 1]
supervised = [datum(weights=weights), datum(weights=weights)]
losses = []
norms = []
for _ in range(4):
    passed = training.forward_backward(supervised, "cross_entropy")
    stepped = training.optim_step(types.AdamParams(learning_rate=0.01, grad_clip_norm=1.0))
    losses.append(passed.result().metrics["loss:sum"])
    norms.append(stepped.result().metrics["grad_norm:mean"])
forward = training.forward(supervised[:1], "cross_entropy").result()
now = forward.loss_fn_outputs[0]["logprobs"].data

by_name = {}
old = [float(value) for value in now]
advantages = [0, 0, 1, -1, 0.5, 0, 2]
for name, config in {
    "importance_sampling": None,
    "ppo": {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2},
    "cispo": {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2},
}.items():
    result = training.forward_backward([datum(logprobs=old, advantages=advantages)], name, config).result()
    by_name[name] = [float(value) for value in result.loss_fn_outputs[0]["elementwise_loss"].data]
training.optim_step(types.AdamParams(learning_rate=0.001)).result()



def surrogate(logprobs, old_logprobs, advantages):
    """A clipped surrogate with a penalty, which no named loss is."""
    ratio = (logprobs - old_logprobs).exp()
    loss = -torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages) + 0.1 * (logprobs - old_logprobs) ** 2
    return loss.sum(), {"custom/ratio:mean": ratio.mean()}


handle = service.create_custom_loss(surrogate, {"logprobs": 1, "old_logprobs": 1, "advantages": 1}).result()
shifted = [value + 0.1 * (n - 3) for n, value in enumerate(old)]
sent = [datum(old_logprobs=shifted, advantages=advantages), datum(old_logprobs=old, advantages=advantages[::-1])]
custom = []
# on the server, then the same loss on this side of the wire
for one in (handle, dataclasses.replace(handle, loss_id=None)):
    metrics = training.forward_backward_custom(sent, one).result().metrics
    stepped = training.optim_step(types.AdamParams(learning_rate=0.0)).result()
    custom.append([metrics["loss:sum"], metrics["custom/ratio:mean"], stepped.metrics["grad_norm:mean"]])

saved = training.save_state("kept").result().path
before = opened(training.save_weights_and_get_sampling_client())
params = types.SamplingParams(max_tokens=6, temperature=0.0, stop=[])
greedy = before.sample(prompt=prompt, sampling_params=params, num_samples=2).result()
scored = before.compute_logprobs(types.ModelInput.from_ints(tokens)).result()
training.forward_backward(supervised, "cross_entropy").result()
training.optim_step(types.AdamParams(learning_rate=0.1)).result()
again = before.sample(prompt=prompt, sampling_params=params, num_samples=1).result()

loaded = opened(service.create_training_client_from_state_with_optimizer(saved))
restored = loaded.forward(supervised[:1], "cross_entropy").result().loss_fn_outputs[0]["logprobs"].data
base = opened(service.create_sampling_client(base_model=base_model))
hot = types.SamplingParams(max_tokens=5, temperature=1.0, seed=11)
drawn = [base.sample(prompt=prompt, sampling_params=hot, num_samples=1).result().sequences[0].tokens for _ in range(2)]

refused = ""
try:
    training.forward_backward([datum(weights=weights)], "dro").result()
except Exception as error:  # the SDK wraps refusals in its own errors
    refused = str(error)

print(
    json.dumps(
        {
            "sdk": tinker.__version__,
            "models": models,
            "losses": losses,
            "norms": norms,
            "byName": by_name,
            "lossId": handle.loss_id,
            "custom": custom,
            "greedy": [list(sequence.tokens) for sequence in greedy.sequences],
            "again": list(again.sequences[0].tokens),
            "logprobs": [float(value) for value in greedy.sequences[0].logprobs],
            "scored": [None if value is None or math.isnan(value) else float(value) for value in scored],
            "saved": saved,
            "restored": [float(value) for value in restored],
            "drawn": [list(map(int, one)) for one in drawn],
            "refused": refused,
        }
    )
)
