"""Decoding of equal prompts by transformers: prints the median tokens per second of each group of rounds that stdin asks for.

usage: decode_transformers.py FOLDER SEQUENCES PROMPT_TOKENS NEW_TOKENS THREADS
"""
import json
import statistics
import sys
import time

import torch
import transformers
from transformers import AutoModelForCausalLM

folder, sequences, prompt, new, threads = sys.argv[1], *map(int, sys.argv[2:6])
torch.set_num_threads(threads)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
generator = torch.Generator().manual_seed(3)


def generate() -> float:
    ids = torch.randint(0, model.config.vocab_size, (sequences, prompt), generator=generator)
    begin = time.perf_counter()
    with torch.no_grad():
        out = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            top_k=0,
            min_new_tokens=new,
            max_new_tokens=new,
            pad_token_id=0,
        )
    assert out.shape == (sequences, prompt + new)
    return time.perf_counter() - begin


generate()
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__}), flush=True)
for line in sys.stdin:
    seconds = [generate() for _ in range(int(line))]
    print(json.dumps(sequences * new / statistics.median(seconds)), flush=True)
