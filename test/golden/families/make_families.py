"""Makes a tiny random model of every family but Llama, and computes golden results with it in transformers.

    python test/golden/families/make_families.py

Writes test/golden/families/<family>: config.json and model.safetensors as transformers saves them, golden.json and
gradients.safetensors (of the mean negative log-likelihood over all positions). Weights are float32; everything is
computed in float64, except that norms, the softmax of attention and rotary tables are float32 inside transformers,
which moves results by up to 4e-6 of a tensor's largest entry. With a folder as argument, loads the model there and
prints its mean negative log-likelihood: a check that what Espalier saves is what transformers reads.
Needs torch, transformers and safetensors.
"""

import json
import sys
from pathlib import Path

import safetensors
import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

HERE = Path(__file__).resolve().parent
SIZES = {
    "vocab_size": 48,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 64,
    "bos_token_id": None,
    "eos_token_id": 1,
    "pad_token_id": 0,
}
FAMILIES = {
    "qwen2": ("qwen2", {"tie_word_embeddings": False, "rope_theta": 1000000.0}),
    "qwen2-tied": ("qwen2", {"tie_word_embeddings": True}),
    "qwen3": ("qwen3", {"tie_word_embeddings": True, "head_dim": 6}),
    "mistral": ("mistral", {"tie_word_embeddings": False, "head_dim": 8, "sliding_window": None}),
}
LENGTHS = [14, 9, 5]


def make_model(folder, model_type, options, seed):
    generator = torch.Generator().manual_seed(seed)
    config = AutoConfig.for_model(model_type, **SIZES, **options)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() == 2:
                parameter.copy_(noise * (1.5 / parameter.shape[1] ** 0.5))
            else:
                parameter.copy_(0.5 * noise if name.endswith("bias") else 1 + 0.3 * noise)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)


def load_model(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")


def score(model, tokens):
    """Log-probability and entropy of every token but the first."""
    logits = model(torch.tensor([tokens]), use_cache=False).logits[0, :-1]
    log_distribution = torch.log_softmax(logits, -1)
    logprobs = log_distribution.gather(-1, torch.tensor(tokens[1:])[:, None])[:, 0]
    return logprobs, -(log_distribution.exp() * log_distribution).sum(-1)


def continue_greedily(model, tokens, count):
    tokens = list(tokens)
    margin = float("inf")
    with torch.no_grad():
        for _ in range(count):
            best, second = model(torch.tensor([tokens]), use_cache=False).logits[0, -1].topk(2)[0].tolist()
            margin = min(margin, best - second)
            tokens.append(model(torch.tensor([tokens]), use_cache=False).logits[0, -1].argmax().item())
    assert margin > 1e-3, "a draw too close for float32; take another seed"
    return tokens


def compute(folder, seed):
    generator = torch.Generator().manual_seed(1000 + seed)
    draw = lambda count: torch.randint(2, SIZES["vocab_size"], (count,), generator=generator).tolist()
    model = load_model(folder)
    rows = [draw(length) for length in LENGTHS]
    scores = [score(model, row) for row in rows]
    loss = -torch.cat([logprobs for logprobs, _ in scores]).mean()
    loss.backward()
    gradients = {name: p.grad.float().contiguous() for name, p in model.named_parameters()}
    save_file(gradients, folder / "gradients.safetensors")
    norm = torch.stack([p.grad.square().sum() for p in model.parameters()]).sum().sqrt()
    prompt, reply = draw(6), draw(3)
    first = continue_greedily(model, prompt, 10)
    second = continue_greedily(model, first + reply, 10)
    golden = {
        "made_with": {m.__name__: m.__version__ for m in (torch, transformers, safetensors)},
        "rows": rows,
        "logprobs": [logprobs.tolist() for logprobs, _ in scores],
        "entropies": [entropies.tolist() for _, entropies in scores],
        "nll": {"loss": loss.item(), "gradient_norm": norm.item()},
        "greedy": {"prompt": prompt, "first": first[6:], "reply": reply, "second": second[len(first) + 3 :]},
    }
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")


def check(folder, name):
    rows = json.loads((HERE / name / "golden.json").read_text())["rows"]
    with torch.no_grad():
        print(-torch.cat([score(load_model(folder), row)[0] for row in rows]).mean().item())


def main():
    torch.set_num_threads(1)
    if len(sys.argv) == 3:
        return check(Path(sys.argv[1]), sys.argv[2])
    for seed, (name, (model_type, options)) in enumerate(FAMILIES.items()):
        (HERE / name).mkdir(exist_ok=True)
        make_model(HERE / name, model_type, options, seed)
        compute(HERE / name, seed)


if __name__ == "__main__":
    main()
