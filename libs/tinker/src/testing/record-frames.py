"""Writes golden-frames.json: messages of the Tinker API as the official SDK encodes them.

    python libs/tinker/src/testing/record-frames.py > libs/tinker/src/testing/golden-frames.json

with `pip install tinker==0.38.0` under Python 3.11 or later.
"""

import json

import numpy as np
from tinker import types
from tinker.proto import tinker_public_pb2 as pb
from tinker.proto.request_conv import forward_backward_request_to_proto

TOKENS = [5, 9, 11, 7, 3, 20]


def request(loss_fn, inputs, config=None, forward_only=False):
    datum = types.Datum(
        model_input=types.ModelInput.from_ints(TOKENS[:-1]),
        loss_fn_inputs={name: np.array(values, dtype=kind) for name, (values, kind) in inputs.items()},
    )
    body = types.ForwardBackwardRequest(
        forward_backward_input=types.ForwardBackwardInput(data=[datum], loss_fn=loss_fn, loss_fn_config=config),
        model_id="model_1",
        seq_id=7,
    )
    message = forward_backward_request_to_proto(body)
    message.forward_only = forward_only
    return {
        "bytes": message.SerializeToString(deterministic=True).hex(),
        "loss_fn": loss_fn,
        "config": config or {},
        "forward_only": forward_only,
        "inputs": {name: values for name, (values, _) in inputs.items()},
    }


targets = (TOKENS[1:], np.int64)
logprobs = ([0, 0, -0.5, -1.25, -2], np.float32)
advantages = ([0, 0, 0.25, -0.375, 0.125], np.float32)
requests = [
    request("cross_entropy", {"target_tokens": targets, "weights": ([0, 0, 0.5, 0.25, 0.25], np.float32)}),
    request("cross_entropy", {"target_tokens": targets, "weights": ([0, 0, 1, 1, 1], np.float32)}, forward_only=True),
    request("importance_sampling", {"target_tokens": targets, "logprobs": logprobs, "advantages": advantages}),
    request(
        "ppo",
        {"target_tokens": targets, "logprobs": logprobs, "advantages": advantages},
        {"clip_low_threshold": 0.75, "clip_high_threshold": 1.25},
    ),
    request(
        "custom",
        {
            "target_tokens": targets,
            "weights": ([0, 0, 0.5, 0.25, 0.25], np.float32),
            "old_logprobs": logprobs,
            "advantages": ([0, 0, 0.5, -1.5, 0.5], np.float32),
        },
        {"loss_id": "session_1:loss:0"},
    ),
]

output = pb.ForwardBackwardOutput(loss_fn_output_type="scalar")
record = output.loss_fn_outputs.add(num_datums=2)
for name, arrays in {"logprobs": [[-1, -2, -3], [-0.5]], "elementwise_loss": [[1, 0, 0], [0.5]]}.items():
    data = b"".join(np.array(one, dtype=np.float32).tobytes() for one in arrays)
    ends = np.cumsum([0] + [4 * len(one) for one in arrays]).astype(np.int64)
    record.fields[name].CopyFrom(pb.BatchedTensor(data=data, offsets=ends.tobytes(), dtype=pb.DTYPE_FLOAT32))
half = np.array([-1.5, -0.25], dtype=np.float32).view(np.uint32) >> 16
bf16 = pb.ForwardBackwardOutput()
bf16.loss_fn_outputs.add(num_datums=1).fields["logprobs"].CopyFrom(
    pb.BatchedTensor(
        data=half.astype(np.uint16).tobytes(),
        offsets=np.array([0, 4], dtype=np.int64).tobytes(),
        dtype=pb.DTYPE_BFLOAT16,
    )
)
sample = pb.SampleResponse(
    sequences=[
        pb.SampledSequence(
            stop_reason=pb.STOP_REASON_LENGTH,
            tokens=np.array([4, 5, 6], dtype=np.int32).tobytes(),
            logprobs=np.array([-1, -2, -0.5], dtype=np.float32).tobytes(),
        )
    ],
    prompt_logprobs=np.array([np.nan, -3], dtype=np.float32).tobytes(),
    prompt_cache_hit_tokens=2,
)
print(
    json.dumps(
        {
            "tokens": TOKENS,
            "requests": requests,
            "output": output.SerializeToString(deterministic=True).hex(),
            "bf16": bf16.SerializeToString(deterministic=True).hex(),
            "sample": sample.SerializeToString(deterministic=True).hex(),
        },
        indent=1,
    )
)
