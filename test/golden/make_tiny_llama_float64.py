"""Computes the golden files of tiny-llama once more, in float64 throughout.

    python test/golden/make_tiny_llama_float64.py

Reads the weights and the inputs (ids, lengths, lossMask, old_logprobs, advantages, clip, adamw, greedy prompt) of
test/golden/tiny-llama and writes test/golden/tiny-llama-float64. The model is transformers' LlamaForCausalLM, except
that the three places where it falls back to float32 whatever its own type is are replaced: the norms and the softmax
of attention are float64, and the rotary tables are float32 tables by definition (frequency and angle are float32
numbers, the cosine and the sine of that angle are rounded to the nearest float32 number), used as float64 numbers.
Needs torch, transformers and safetensors.
"""

import json
from pathlib import Path

import safetensors
import torch
import transformers
from safetensors.torch import save_file
from transformers import LlamaForCausalLM
from transformers.models.llama import modeling_llama

HERE = Path(__file__).resolve().parent
SOURCE, TARGET = HERE / "tiny-llama", HERE / "tiny-llama-float64"
ENTROPY_BONUS = 0.01


def norm_in_float64(self, x):
    return self.weight * (x / torch.sqrt(x.square().mean(-1, keepdim=True) + self.variance_epsilon))


def rotary_tables(self, x, position_ids):
    angle = position_ids[..., None].float() * self.inv_freq.float()
    angle = torch.cat((angle, angle), dim=-1).double()
    return angle.cos().float().to(x.dtype), angle.sin().float().to(x.dtype)


def attention_in_float64(module, query, key, value, attention_mask, scaling, **_):
    repeats = query.shape[1] // key.shape[1]
    key, value = (t.repeat_interleave(repeats, dim=1) for t in (key, value))
    length = query.shape[2]
    later = torch.ones(length, key.shape[2], dtype=torch.bool).triu(1 + key.shape[2] - length)
    scores = (query @ key.mT * scaling).masked_fill(later, float("-inf"))
    weights = scores.softmax(-1)
    return (weights @ value).transpose(1, 2).contiguous(), weights


def load_model():
    modeling_llama.LlamaRMSNorm.forward = norm_in_float64
    modeling_llama.LlamaRotaryEmbedding.forward = rotary_tables
    modeling_llama.eager_attention_forward = attention_in_float64
    return LlamaForCausalLM.from_pretrained(SOURCE, dtype=torch.float64, attn_implementation="eager")


def score(model, ids):
    logits = model(ids, use_cache=False).logits
    log_distribution = torch.log_softmax(logits[:, :-1], -1)
    logprobs = log_distribution.gather(-1, ids[:, 1:, None])[..., 0]
    entropies = -(log_distribution.exp() * log_distribution).sum(-1)
    return logits, logprobs, entropies


def clipped_surrogate(given, logprobs, entropies, counted):
    old, advantages = (torch.tensor(given[k], dtype=torch.float64) for k in ("old_logprobs", "advantages"))
    low, high = 1 - given["clip"]["low"], 1 + given["clip"]["high"]
    ratio = (logprobs - old).exp()
    gain, clipped = ratio * advantages, ratio.clamp(low, high) * advantages
    loss = -(torch.minimum(gain, clipped) + ENTROPY_BONUS * entropies)[counted].mean()
    return loss, (clipped < gain)[counted].double().mean().item()


def gradients_of(model, loss):
    model.zero_grad()
    loss.backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters()}
    norm = torch.stack([g.square().sum() for g in gradients.values()]).sum().sqrt().item()
    return gradients, {"loss": loss.item(), "gradient_norm": norm}


def adamw_step(model, options):
    torch.nn.utils.clip_grad_norm_(model.parameters(), options["max_gradient_norm"])
    torch.optim.AdamW(
        model.parameters(),
        lr=options["lr"],
        betas=(options["beta1"], options["beta2"]),
        eps=options["eps"],
        weight_decay=options["weight_decay"],
        foreach=False,
    ).step()
    return {name: p.detach().clone() for name, p in model.named_parameters()}


def greedy_tokens(model, prompt, count):
    tokens = list(prompt)
    with torch.no_grad():
        for _ in range(count):
            tokens.append(model(torch.tensor([tokens]), use_cache=False).logits[0, -1].argmax().item())
    return tokens[len(prompt) :]


def main():
    torch.set_num_threads(1)
    given = json.loads((SOURCE / "golden.json").read_text())
    model = load_model()
    ids, counted = torch.tensor(given["ids"]), torch.tensor(given["lossMask"]) == 1
    TARGET.mkdir(exist_ok=True)
    greedy = {**given["greedy"], "tokens": greedy_tokens(model, given["greedy"]["prompt"], len(given["greedy"]["tokens"]))}
    logits, logprobs, entropies = score(model, ids)
    nll_gradients, nll = gradients_of(model, -logprobs[counted].mean())
    save_file(nll_gradients, TARGET / "gradients_nll.safetensors")
    loss, clip_fraction = clipped_surrogate(given, *score(model, ids)[1:], counted)
    gradients, surrogate = gradients_of(model, loss)
    save_file(gradients, TARGET / "gradients_clipped_surrogate.safetensors")
    save_file(adamw_step(model, given["adamw"]), TARGET / "after_adamw.safetensors")
    versions = {m.__name__: m.__version__ for m in (torch, transformers, safetensors)}
    golden = {
        **given,
        "made_with": {**versions, "dtype": "float64 throughout, on the float32 weights of tiny-llama"},
        "logits_row0": logits[0, : len(given["logits_row0"])].tolist(),
        "logprobs": logprobs.tolist(),
        "entropies": entropies.tolist(),
        "nll": nll,
        "clipped_surrogate": {**surrogate, "clip_fraction": clip_fraction, "entropy_bonus": ENTROPY_BONUS},
        "greedy": greedy,
    }
    (TARGET / "golden.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
