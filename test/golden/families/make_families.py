"""Makes a tiny random model of every family, and computes golden results with it in transformers.

    python test/golden/families/make_families.py [name …]

Writes rotary.json, the frequencies of scaled positions at the sizes of published models, and for every name
test/golden/families/<name>: config.json and model.safetensors as transformers saves them, golden.json,
gradients.safetensors (of the mean negative log-likelihood over all positions) and after_adamw.safetensors (the weights
after one step with them). Weights are float32; everything is computed in float64, except that norms, the softmax of
attention and rotary tables are float32 inside transformers, which moves results by up to 4e-6 of a tensor's largest
entry. Sequences are longer than every window, and than what positions were scaled from. With a folder and a name as
arguments, loads the model there and prints its mean negative log-likelihood: a check that what Espalier saves is what
transformers reads. Needs torch, transformers and safetensors.
"""

import json
import sys
from pathlib import Path

import safetensors
import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

HERE = Path(__file__).resolve().parent
SIZES = {
    "vocab_size": 48,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 128,
    "bos_token_id": None,
    "eos_token_id": 1,
    "pad_token_id": 0,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
YARN = {"rope_type": "yarn", "rope_theta": 1000.0, "factor": 8.0, "original_max_position_embeddings": 16}
FAMILIES = {
    "qwen2": ("qwen2", {"tie_word_embeddings": False, "rope_theta": 1000000.0}),
    "qwen2-tied": ("qwen2", {"tie_word_embeddings": True}),
    "qwen3": ("qwen3", {"tie_word_embeddings": True, "head_dim": 6}),
    "mistral": ("mistral", {"tie_word_embeddings": False, "head_dim": 8, "sliding_window": None}),
    "llama-linear": ("llama", {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0}}),
    "llama3": ("llama", {"rope_parameters": LLAMA3, "head_dim": 12, "attention_bias": True, "mlp_bias": True}),
    "qwen2-yarn": (
        "qwen2",
        {
            "rope_parameters": {**YARN, "beta_fast": 4.0, "beta_slow": 0.5},
            "use_sliding_window": True,
            "sliding_window": 7,
            "max_window_layers": 1,
        },
    ),
    "qwen3-yarn": ("qwen3", {"rope_parameters": {**YARN, "attention_factor": 1.3, "truncate": False}, "head_dim": 12}),
    "smollm3": ("smollm3", {"num_hidden_layers": 3, "no_rope_layers": [1, 0, 1]}),
    "mistral-window": ("mistral", {"head_dim": 8, "sliding_window": 6}),
    "olmo2": ("olmo2", {}),
    "gemma2": (
        "gemma2",
        {
            "hidden_size": 20,
            "head_dim": 6,
            "sliding_window": 6,
            "query_pre_attn_scalar": 10,
            "final_logit_softcapping": 3.0,
            "attn_logit_softcapping": 1.5,
        },
    ),
    "gemma3": (
        "gemma3_text",
        {
            "hidden_size": 20,
            "head_dim": 6,
            "num_hidden_layers": 3,
            "sliding_window": 6,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "query_pre_attn_scalar": 10,
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 50000.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
            },
        },
    ),
    "llama2": ("llama", {"num_key_value_heads": 4, "tie_word_embeddings": False}),
    "smollm2": (
        "llama",
        {"tie_word_embeddings": True, "rms_norm_eps": 1e-5, "rope_parameters": {"rope_type": "default", "rope_theta": 100000.0}},
    ),
}
# head size, longest sequence, parameters
ROTARY = {
    "plain": (64, 8192, {"rope_type": "default", "rope_theta": 100000.0}),
    "linear": (256, 131072, {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0}),
    "llama3": (64, 131072, {**LLAMA3, "rope_theta": 500000.0, "factor": 32.0, "original_max_position_embeddings": 8192}),
    "yarn": (128, 131072, {**YARN, "rope_theta": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 32768}),
}
ROTARY["yarn-exact"] = (*ROTARY["yarn"][:2], {**ROTARY["yarn"][2], "truncate": False, "mscale": 0.7, "mscale_all_dim": 0.4})
# Two rows begin with the same tokens; the others have nothing in common.
SHARED, LENGTHS = 17, [29, 24, 30, 9]
ADAMW = {"lr": 0.01, "beta1": 0.9, "beta2": 0.95, "eps": 1e-3, "weight_decay": 0.1, "max_gradient_norm": 0.5}
# A conversation: tokens given, tokens drawn, and so on. The first are enough for a shared cache.
GIVEN, DRAWN = [66, 3, 2], [12, 10, 10]


def make_model(folder, model_type, options, seed):
    generator = torch.Generator().manual_seed(seed)
    config = AutoConfig.for_model(model_type, **{**SIZES, **options})
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    center = 0 if model_type.startswith("gemma") else 1
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() == 2:
                parameter.copy_(noise * (1.5 / parameter.shape[1] ** 0.5))
            else:
                parameter.copy_(0.5 * noise if name.endswith("bias") else center + 0.3 * noise)
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
    """The most probable tokens, each from the whole sequence so far; None if a draw is too close for float32."""
    tokens = list(tokens)
    drawn = []
    with torch.no_grad():
        for _ in range(count):
            logits = model(torch.tensor([tokens + drawn]), use_cache=False).logits[0, -1]
            (best, second), (token, _) = [x.tolist() for x in logits.topk(2)]
            if best - second < 1e-3:
                return None
            drawn.append(token)
    return drawn


def converse(model, draw):
    while True:
        tokens, turns = [], []
        for given, count in zip(GIVEN, DRAWN):
            said = draw(given)
            drawn = continue_greedily(model, tokens + said, count)
            if drawn is None:
                break
            turns.append({"given": said, "drawn": drawn})
            tokens += said + drawn
        if len(turns) == len(GIVEN):
            return turns


def step(model, folder):
    """One AdamW step with the gradients at hand."""
    torch.nn.utils.clip_grad_norm_(model.parameters(), ADAMW["max_gradient_norm"])
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=ADAMW["lr"],
        betas=(ADAMW["beta1"], ADAMW["beta2"]),
        eps=ADAMW["eps"],
        weight_decay=ADAMW["weight_decay"],
    )
    optimizer.step()
    weights = {name: p.detach().float().contiguous() for name, p in model.named_parameters()}
    save_file(weights, folder / "after_adamw.safetensors")


def compute(folder, seed):
    generator = torch.Generator().manual_seed(1000 + seed)
    draw = lambda count: torch.randint(2, SIZES["vocab_size"], (count,), generator=generator).tolist()
    model = load_model(folder)
    shared = draw(SHARED)
    rows = [shared + draw(length - SHARED) if i < 2 else draw(length) for i, length in enumerate(LENGTHS)]
    turns = converse(model, draw)
    scores = [score(model, row) for row in rows]
    loss = -torch.cat([logprobs for logprobs, _ in scores]).mean()
    loss.backward()
    with torch.no_grad():
        logits = model(torch.tensor([rows[-1]]), use_cache=False).logits[0, -1]
    gradients = {name: p.grad.float().contiguous() for name, p in model.named_parameters()}
    save_file(gradients, folder / "gradients.safetensors")
    norm = torch.stack([p.grad.square().sum() for p in model.parameters()]).sum().sqrt()
    golden = {
        "made_with": {m.__name__: m.__version__ for m in (torch, transformers, safetensors)},
        "rows": rows,
        "logprobs": [logprobs.tolist() for logprobs, _ in scores],
        "entropies": [entropies.tolist() for _, entropies in scores],
        "logits": logits.tolist(),
        "nll": {"loss": loss.item(), "gradient_norm": norm.item()},
        "adamw": ADAMW,
        "turns": turns,
    }
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")
    step(model, folder)


def compute_rotary():
    rotary = {}
    for name, (size, length, parameters) in ROTARY.items():
        config = AutoConfig.for_model(
            "llama",
            **{**SIZES, "max_position_embeddings": length, "head_dim": size, "rope_parameters": dict(parameters)},
        )
        embedding = LlamaRotaryEmbedding(config)
        rotary[name] = {
            "head_size": size,
            "config": {"max_position_embeddings": length, "rope_parameters": parameters},
            "angles": embedding.inv_freq.tolist(),
            "amplitude": embedding.attention_scaling,
        }
    (HERE / "rotary.json").write_text(json.dumps(rotary) + "\n")


def check(folder, name):
    rows = json.loads((HERE / name / "golden.json").read_text())["rows"]
    with torch.no_grad():
        print(-torch.cat([score(load_model(folder), row)[0] for row in rows]).mean().item())


def main():
    torch.set_num_threads(1)
    if len(sys.argv) == 3 and sys.argv[1] not in FAMILIES:
        return check(Path(sys.argv[1]), sys.argv[2])
    compute_rotary()
    for seed, (name, (model_type, options)) in enumerate(FAMILIES.items()):
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        (HERE / name).mkdir(exist_ok=True)
        make_model(HERE / name, model_type, options, seed)
        compute(HERE / name, seed)


if __name__ == "__main__":
    main()
