"""Makes LoRA adapters with PEFT over models of test/golden/families, and computes golden results with them.

    python test/golden/adapters/make_adapters.py

Writes for every name test/golden/adapters/<name>: adapter_config.json and adapter_model.safetensors as PEFT saves them, and
golden.json with a row of tokens, its log-probabilities with the adapter, and those of the merged model. Everything is computed
in float64 on float32 weights. With two folders as arguments, a base and an adapter that Espalier wrote, prints the
log-probabilities that PEFT gives for the row of golden.json in stdin. Needs torch, transformers, peft and safetensors.
"""

import json
import sys
from pathlib import Path

import peft
import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM

HERE = Path(__file__).resolve().parent
ADAPTERS = {
    "attention": ("qwen2", {"r": 3, "lora_alpha": 7, "target_modules": ["q_proj", "v_proj"]}),
    "all-linear": ("gemma2", {"r": 4, "lora_alpha": 4, "use_rslora": True, "target_modules": "all-linear"}),
}


def load_base(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")


def score(model, tokens):
    """Log-probability of every token but the first."""
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0, :-1]
        return torch.log_softmax(logits, -1).gather(-1, torch.tensor(tokens[1:])[:, None])[:, 0].tolist()


def load_adapter(base, folder):
    return PeftModel.from_pretrained(load_base(base), folder, autocast_adapter_dtype=False).double()


def make(name, seed):
    family, options = ADAPTERS[name]
    base, folder = HERE.parent / "families" / family, HERE / name
    generator = torch.Generator().manual_seed(seed)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **options))
    with torch.no_grad():
        for key, parameter in adapted.named_parameters():
            if "lora_" in key:
                parameter.copy_(0.3 * torch.randn(parameter.shape, generator=generator))
    adapted.peft_config["default"].base_model_name_or_path = f"families/{family}"
    adapted.save_pretrained(folder)
    (folder / "README.md").unlink()
    tokens = torch.randint(2, 48, [24], generator=generator).tolist()
    loaded = load_adapter(base, folder)
    logprobs = score(loaded, tokens)
    merged = score(loaded.merge_and_unload(), tokens)
    difference = max(abs(a - b) for a, b in zip(logprobs, merged))
    assert difference < 1e-9, difference
    change = max(abs(a - b) for a, b in zip(logprobs, score(load_base(base), tokens)))
    assert change > 0.1, change
    versions = {"peft": peft.__version__, "torch": torch.__version__, "transformers": transformers.__version__}
    golden = {"made_with": versions, "base": family, "tokens": tokens, "logprobs": logprobs}
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(score(load_adapter(*sys.argv[1:]), json.load(sys.stdin)["tokens"])))
    else:
        for index, name in enumerate(ADAPTERS):
            make(name, 100 + index)
