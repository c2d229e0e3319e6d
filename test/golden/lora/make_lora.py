"""Trains LoRA adapters with PEFT over models of test/golden/families, one step each.

    python test/golden/lora/make_lora.py [name ...]

Writes for every name test/golden/lora/<name>: adapter_config.json and adapter_model.safetensors as PEFT saves them,
golden.json (rows of tokens, log-probabilities and entropies with the adapter, the mean negative log-likelihood, the
gradient norm, the options of AdamW and greedy tokens), gradients.safetensors of the adapter's tensors and
after_adamw.safetensors, these tensors after one step. Everything is computed in float64 on float32 weights, as in
families/make_families.py. Needs torch, transformers, peft and safetensors. With dropout, the loss and its gradients have the
masks of dropout_masks.py in place of PyTorch's.
"""

import json
import sys
from pathlib import Path

import peft
import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "families"))
from dropout_masks import use_masks  # noqa: E402
from make_families import ADAMW, continue_greedily, load_model, score  # noqa: E402

# in the order of their seeds
MODELS = {
    "attention": ("qwen2", {"r": 3, "lora_alpha": 7, "target_modules": ["q_proj", "v_proj"]}),
    "all-linear": ("gemma2", {"r": 4, "lora_alpha": 4, "use_rslora": True, "target_modules": "all-linear"}),
    "feed-forward": ("llama3", {"r": 2, "lora_alpha": 4, "target_modules": ["up_proj", "mlp.down_proj", "o_proj"]}),
    "dropout": (
        "qwen2",
        {"r": 3, "lora_alpha": 6, "lora_dropout": 0.25, "target_modules": ["q_proj", "o_proj", "down_proj"]},
    ),
}
LENGTHS = [21, 17, 26]


def adapter_of(model):
    return {key: p for key, p in model.named_parameters() if "lora_" in key}


def saved(tensors):
    return {key.replace(".default", ""): value.detach().float().contiguous() for key, value in tensors.items()}


def make(name, seed):
    family, options = MODELS[name]
    base, folder = HERE.parent / "families" / family, HERE / name
    folder.mkdir(exist_ok=True)
    generator = torch.Generator().manual_seed(seed)
    start = get_peft_model(
        AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32), LoraConfig(task_type="CAUSAL_LM", **options)
    )
    with torch.no_grad():
        for parameter in adapter_of(start).values():
            parameter.copy_(0.2 * torch.randn(parameter.shape, generator=generator))
    start.peft_config["default"].base_model_name_or_path = f"families/{family}"
    start.save_pretrained(folder)
    (folder / "README.md").unlink()

    model = PeftModel.from_pretrained(load_model(base), folder, autocast_adapter_dtype=False, is_trainable=True)
    model.double().eval()
    rows = [torch.randint(2, 48, [length], generator=generator).tolist() for length in LENGTHS]
    prompts = [row[:length] for length in range(4, 16) for row in rows]
    prompt, drawn = next((p, d) for p in prompts if (d := continue_greedily(model, p, 12)) is not None)
    scores = [score(model, row) for row in rows]
    with use_masks(model, seed=0, step=0) as begin:
        losses = []
        for row in rows:
            begin(row)
            losses.append(-score(model, row)[0])
    loss = torch.cat(losses).mean()
    loss.backward()
    trained = adapter_of(model)
    assert all(p.grad is None for key, p in model.named_parameters() if key not in trained)
    save_file(saved({key: p.grad for key, p in trained.items()}), folder / "gradients.safetensors")
    norm = torch.stack([p.grad.square().sum() for p in trained.values()]).sum().sqrt()
    golden = {
        "made_with": {m.__name__: m.__version__ for m in (peft, torch, transformers)},
        "base": family,
        "rows": rows,
        "logprobs": [logprobs.tolist() for logprobs, _ in scores],
        "entropies": [entropies.tolist() for _, entropies in scores],
        "nll": {"loss": loss.item(), "gradient_norm": norm.item()},
        "adamw": ADAMW,
        "greedy": {"prompt": prompt, "tokens": drawn},
    }
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")
    torch.nn.utils.clip_grad_norm_(trained.values(), ADAMW["max_gradient_norm"])
    optimizer = torch.optim.AdamW(
        trained.values(),
        lr=ADAMW["lr"],
        betas=(ADAMW["beta1"], ADAMW["beta2"]),
        eps=ADAMW["eps"],
        weight_decay=ADAMW["weight_decay"],
    )
    optimizer.step()
    save_file(saved(trained), folder / "after_adamw.safetensors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for index, name in enumerate(MODELS):
        if not sys.argv[1:] or name in sys.argv[1:]:
            make(name, 200 + index)
