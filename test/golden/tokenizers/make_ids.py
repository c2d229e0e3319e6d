"""Ids of texts by the `tokenizers` library for published tokenizers: make_ids.py FOLDER > ids.json

FOLDER/<name>/tokenizer.json for each name; `npm run check:tokenizers` says where they come from.
"""
import hashlib, json, random, sys
from pathlib import Path
import tokenizers

FIXED = [
    "Turn 1:\nState:\n##_P_\n_O_X#\n\nYou have 3 actions left.\n",
    "<think>The goal is 2 down, 1 right.</think><answer>Right || Down</answer>",
    "Target: 24, nums: [64, 38, 99, 21]\n(64 - 38) * 99 / 21 = 122.57",
    "  two  spaces\tand\ttabs \n\n\n and lines  \r\n end ",
    "I'll say it's he'd WE'RE they've",
    "naïve café, Ünïcödé, œuvre, ﬁne, ２０２４, ½",
    "日本語のテキスト 中文文本 한국어 텍스트",
    "العربية עברית हिन्दी ไทย русский ελληνικά",
    "😀👩‍👩‍👧‍👦🇩🇪 ❤️ \u200b\ufeff \u00a0nbsp",
    "def f(x):\n    return [i**2 for i in range(10) if i % 2]  # squares",
    "https://example.org/a?b=c&d=%20#e 192.168.0.1 1e-5 1,000,000.00",
    "a", " ", "\n", "", " a", "a ", "▁", "▁a ▁b", "<0x41>", "Ġa", "\x00\x01\x7f", "é e\u0301 ﷺ Å",
]
PARTS = list("abcXYZ019 .,:;!?'\"()[]{}<>|/\\_-+=*&^%$#@~\n\t") + [
    "  ", "\n\n", "the ", " answer", "<think>", "</think>", "||", "é", "ß", "日", "😀", "▁", "ing", "Left", "100", " \n",
]
rng = random.Random(7)
RANDOM = ["".join(rng.choice(PARTS) for _ in range(rng.randint(1, 40))) for _ in range(60)]

texts = FIXED + RANDOM
result = {"library": f"tokenizers {tokenizers.__version__}", "texts": texts, "models": {}}
for folder in sorted(p for p in Path(sys.argv[1]).iterdir() if (p / "tokenizer.json").exists()):
    data = (folder / "tokenizer.json").read_bytes()
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    encoded = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    result["models"][folder.name] = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "ids": encoded,
        "decoded": [tokenizer.decode(ids, skip_special_tokens=False) for ids in encoded],
    }
json.dump(result, sys.stdout, ensure_ascii=True, separators=(",", ":"))
