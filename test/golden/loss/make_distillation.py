"""Self-distillation from a sibling, by automatic differentiation of the loss as it is written.

    python test/golden/loss/make_distillation.py   # writes distillation.json

A case is a mini-batch of trajectories over a small vocabulary. The policy's logits are the parameters; the teacher's are
constants. Of each token that was sampled, loss = coefficient * mean over tokens of gate * (log p - log q) * log p, where all but
the last factor is held constant and gate = sigmoid(slope * (log q - log p)), or 1 without a slope. Kept: the log-probabilities,
and the gradient with respect to the logits, times the temperature that they are divided by. Needs torch.
"""

import json
from pathlib import Path

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(20260514)
HERE = Path(__file__).resolve().parent


def make_case(lengths, slope, coefficient, temperature, vocabulary=7):
    logits = [torch.randn(length, vocabulary, requires_grad=True) for length in lengths]
    teachers = [one.detach() + torch.randn(one.shape) for one in logits]
    tokens = [torch.randint(vocabulary, (length,)) for length in lengths]
    terms, policy, teacher = [], [], []
    for own, other, chosen in zip(logits, teachers, tokens):
        at = (torch.arange(len(chosen)), chosen)
        log_p = torch.log_softmax(own / temperature, -1)[at]
        log_q = torch.log_softmax(other / temperature, -1)[at]
        gap = (log_p - log_q).detach()
        gate = torch.ones_like(gap) if slope is None else torch.sigmoid(-slope * gap)
        terms.append(gate * gap * log_p)
        policy.append(log_p.tolist())
        teacher.append(log_q.tolist())
    (coefficient * torch.cat(terms).mean()).backward()
    return {
        "slope": slope,
        "coefficient": coefficient,
        "temperature": temperature,
        "tokens": [one.tolist() for one in tokens],
        "probabilities": [torch.softmax(one / temperature, -1).tolist() for one in logits],
        "policy": policy,
        "teacher": teacher,
        # of log p with respect to the scaled logits: one-hot minus probabilities
        "gradients": [(one.grad * temperature).tolist() for one in logits],
    }


cases = [
    make_case(lengths, slope, coefficient, temperature)
    for lengths in ([1], [3, 5], [4, 1, 6, 2])
    for slope in (None, 0.0, 1.0, 5.0, 40.0)
    for coefficient, temperature in ((0.01, 1.0), (1.5, 0.7))
]
(HERE / "distillation.json").write_text(json.dumps(cases) + "\n")
