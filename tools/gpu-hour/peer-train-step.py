"""PyTorch as the peer on a GPU: training steps and decoding of random models of the shapes in shapes.json.

    python3 peer-train-step.py [--device cuda|cpu] [--tiny] [--shapes FILE] [--models NAME,…] [--precisions float32,tf32,bf16]
                               [--parts train,decode] [--seconds 1]

Prints one JSON object per figure. A training step is forward, backward and fused AdamW of a causal language model of
transformers with scaled_dot_product_attention; bf16 is autocast over float32 weights. A case that runs out of memory says so.
Decoding is model.generate with its cache, sampled, ended by the number of tokens alone; the time of the prompt, measured by a
run of one token, is taken off. In bf16 the weights themselves are bf16 there, because nothing is trained.
"""

import argparse
import json
import pathlib
import time

import torch
import transformers

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
parser.add_argument("--tiny", action="store_true", help="tiny-shapes.json: to try the script without a GPU")
parser.add_argument("--shapes")
parser.add_argument("--models")
parser.add_argument("--precisions", default="float32,tf32,bf16")
parser.add_argument("--parts", default="train,decode")
parser.add_argument("--seconds", type=float, default=1.0, help="of measured steps per case")
options = parser.parse_args()

here = pathlib.Path(__file__).parent
file = options.shapes or here / ("tiny-shapes.json" if options.tiny else "shapes.json")
shapes = json.loads(pathlib.Path(file).read_text())
chosen = options.models.split(",") if options.models else list(shapes["models"])
cuda = options.device == "cuda"
device = torch.device(options.device)
name = torch.cuda.get_device_name() if cuda else "cpu"
versions = f"torch {torch.__version__}, transformers {transformers.__version__}"


def report(**figure):
    print(json.dumps({"peer": "pytorch", "device": name, "versions": versions, **figure}), flush=True)


def synchronize():
    if cuda:
        torch.cuda.synchronize()


def create_model(shape, dtype):
    config_class, model_class = {
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
    }[shape["family"]]
    config = config_class(
        hidden_size=shape["width"],
        num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"],
        num_key_value_heads=shape["keyValueHeads"],
        intermediate_size=shape["feedForward"],
        vocab_size=shape["vocabulary"],
        tie_word_embeddings=shape["tied"],
        rms_norm_eps=shape["normEpsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": float(shape["ropeTheta"])},
        max_position_embeddings=4096,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
        attn_implementation="sdpa",
    )
    torch.manual_seed(0)
    with device:
        return model_class(config).to(dtype)


def set_precision(precision):
    torch.backends.cuda.matmul.allow_tf32 = precision != "float32"
    torch.backends.cudnn.allow_tf32 = precision != "float32"


def median(values):
    return sorted(values)[len(values) // 2]


def measure_train(model_name, shape, case, precision):
    set_precision(precision)
    rows, tokens = case["rows"], case["tokens"]
    model = create_model(shape, torch.float32).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    ids = torch.randint(shape["vocabulary"], (rows, tokens), device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(options.device, dtype=torch.bfloat16, enabled=precision == "bf16"):
            loss = model(input_ids=ids, labels=ids, use_cache=False).loss
        loss.backward()
        optimizer.step()
        return loss

    losses = [step().item() for _ in range(3)]
    synchronize()
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    times = []
    begin = time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < options.seconds:
        start = time.perf_counter()
        step()
        synchronize()
        times.append(time.perf_counter() - start)
    report(
        figure="train-step",
        model=model_name,
        rows=rows,
        tokens=tokens,
        precision=precision,
        steps=len(times),
        millisecondsPerStep=round(median(times) * 1000, 3),
        tokensPerSecond=round(rows * tokens / median(times)),
        peakBytes=torch.cuda.max_memory_allocated() if cuda else None,
        parameters=sum(p.numel() for p in model.parameters()),
        firstLosses=[round(loss, 4) for loss in losses],
    )


def measure_decode(model_name, shape, case, precision):
    set_precision(precision)
    sequences, prompt, new_tokens = case["sequences"], case["prompt"], case["newTokens"]
    model = create_model(shape, torch.bfloat16 if precision == "bf16" else torch.float32).eval()
    ids = torch.randint(shape["vocabulary"], (sequences, prompt), device=device)
    mask = torch.ones_like(ids)

    def generate(count):
        settings = transformers.GenerationConfig(
            max_new_tokens=count,
            min_new_tokens=count,
            do_sample=True,
            top_k=0,
            use_cache=True,
            bos_token_id=None,
            eos_token_id=None,
            pad_token_id=0,
        )
        start = time.perf_counter()
        with torch.inference_mode():
            result = model.generate(ids, attention_mask=mask, generation_config=settings)
        synchronize()
        assert result.shape[1] == prompt + count, result.shape
        return time.perf_counter() - start

    generate(min(8, new_tokens))
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    # the fastest: other programs only slow them
    first = min(generate(1) for _ in range(2))
    whole = min(generate(new_tokens) for _ in range(2))
    seconds = whole - first
    report(
        figure="decode",
        model=model_name,
        sequences=sequences,
        prompt=prompt,
        newTokens=new_tokens,
        precision=precision,
        millisecondsPerToken=round(seconds / (new_tokens - 1) * 1000, 3),
        tokensPerSecond=round(sequences * (new_tokens - 1) / seconds),
        millisecondsOfPrompt=round(first * 1000, 3),
        peakBytes=torch.cuda.max_memory_allocated() if cuda else None,
    )


def attempt(measure, figure, model_name, case, precision):
    try:
        measure(model_name, shapes["models"][model_name], case, precision)
    except torch.OutOfMemoryError:
        report(figure=figure, model=model_name, **case, precision=precision, failed="out of memory")
    if cuda:
        torch.cuda.empty_cache()


transformers.logging.set_verbosity_error()
begin = time.perf_counter()
parts = options.parts.split(",")
for model_name in chosen:
    for precision in options.precisions.split(","):
        if "train" in parts:
            for case in shapes["trainSteps"]:
                attempt(measure_train, "train-step", model_name, case, precision)
        # a product in TF32 is the same library's; decoding is bound by memory
        if "decode" in parts and precision != "tf32":
            for case in shapes["decodes"]:
                attempt(measure_decode, "decode", model_name, case, precision)
report(figure="total", seconds=round(time.perf_counter() - begin, 1))
