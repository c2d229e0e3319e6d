"""The masks of LoRA dropout (libs/model/src/lora-dropout.ts), written from its description, for models of PEFT.

An input of column key k in a row with keys (a, b) is dropped if (a * k + b) % 46337 is below round(rate * 46337). Column
keys are distinct draws of a stream per layer; row keys follow from the optimizer step and the tokens up to the row.
Needs torch.
"""

import contextlib
import struct

import torch

PRIME = 46337
WORD = 0xFFFFFFFF


def rotate(word, bits):
    return ((word << bits) | (word >> (32 - bits))) & WORD


def mix(word):
    word = ((word ^ (word >> 16)) * 0x85EBCA6B) & WORD
    word = ((word ^ (word >> 13)) * 0xC2B2AE35) & WORD
    return word ^ (word >> 16)


def derive_seed(*parts):
    words = []
    for part in parts:
        if isinstance(part, str):
            words += [2, len(part), *part.encode("utf-16-le")[::2]]
        else:
            words += [1, *struct.unpack("<II", struct.pack("<d", part))]
    first, second = 0x9E3779B9, 0x7F4A7C15
    for word in [*words, len(parts)]:
        one = (rotate((word * 0xCC9E2D51) & WORD, 15) * 0x1B873593) & WORD
        first = (rotate(first ^ one, 13) * 5 + 0xE6546B64) & WORD
        other = (rotate((word * 0x85EBCA6B) & WORD, 16) * 0xC2B2AE35) & WORD
        second = (rotate(second ^ other, 17) * 9 + 0x561CCD1B) & WORD
    return mix(mix(first) ^ rotate(mix(second), 11))


def stream(seed):
    """xoshiro128**."""
    a, b, c, d = (mix((seed + place * 0x9E3779B9) & WORD) for place in (1, 2, 3, 4))
    d |= 1
    while True:
        yield (rotate((b * 5) & WORD, 7) * 9) & WORD
        shifted = (b << 9) & WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = rotate(d, 11)


def column_keys(seed, path, count):
    words, keys = stream(derive_seed(seed, "lora-dropout", path)), []
    while len(keys) < count:
        product = next(words) * PRIME
        if (product & WORD) < 2**32 % PRIME:  # Lemire's rejection
            continue
        if product >> 32 not in keys:
            keys.append(product >> 32)
    return keys


def row_keys(seed, role, step, tokens):
    state, keys = derive_seed(seed, "lora-dropout", role, step), []
    for token in tokens:
        state = derive_seed(state, token)
        keys.append((1 + state % (PRIME - 1), state // (PRIME - 1) % PRIME))
    return keys


class Masked(torch.nn.Module):
    def __init__(self, rate, columns, rows):
        super().__init__()
        self.rate, self.columns, self.rows = rate, columns, rows

    def forward(self, x):
        limit = round(self.rate * PRIME)
        kept = [[(a * k + b) % PRIME >= limit for k in self.columns] for a, b in self.rows]
        return x * torch.tensor(kept, dtype=x.dtype) / (1 - self.rate)


@contextlib.contextmanager
def use_masks(model, seed, step):
    """Within it, the adapters drop inputs; the function that it gives is called with the tokens of each row."""
    rows, replaced = [], []
    for name, module in model.named_modules():
        if not hasattr(module, "lora_dropout"):
            continue
        rate = model.peft_config["default"].lora_dropout
        path = name.removeprefix("base_model.model.")
        replaced.append((module, module.lora_dropout["default"]))
        if rate > 0:
            columns = column_keys(seed, path, module.in_features)
            module.lora_dropout["default"] = Masked(rate, columns, rows)

    def begin(tokens):
        rows[:] = row_keys(seed, "policy", step, tokens)

    yield begin
    for module, before in replaced:
        module.lora_dropout["default"] = before
