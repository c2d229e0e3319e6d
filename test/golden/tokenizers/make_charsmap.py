"""A Unigram tokenizer with a character map of its own and the ids of the `tokenizers` library: make_charsmap.py > charsmap.json

SentencePiece trains it, so that the map is one as published models have, only small.
"""
import base64, json, struct, sys, tempfile
from pathlib import Path
import sentencepiece, tokenizers

RULES = {"\t": " ", "\r\n": "\n", "ﬁ": "fi", "２": "2", "e\u0301": "é", "\u200d": "", "①": "(1)"}
TEXTS = [
    "a\tb", "one\r\ntwo\nthree\rfour", "ﬁne ２０２４", "cafe\u0301 café", "a\u200db", "①②", "", "\n", " ",
    "👩\u200d👩\u200d👧", "x\u200d", "\u0301", "ﬁﬁ\t\t２", "日本 \u3000 語",
]


def fields(data):
    """Fields of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 5:
            yield key >> 3, struct.unpack("<f", data[at : at + 4])[0]
            at += 4
        else:
            length = varint()
            yield key >> 3, data[at : at + length]
            at += length


with tempfile.TemporaryDirectory() as folder:
    code = lambda text: " ".join(f"{ord(c):X}" for c in text)
    rules = Path(folder) / "rules.tsv"
    rules.write_text("".join(f"{code(a)}\t{code(b)}\n" for a, b in RULES.items()))
    corpus = Path(folder) / "corpus.txt"
    corpus.write_text("\n".join(["one two three four fine café 2 (1) a b x"] * 50))
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=f"{folder}/m", vocab_size=40, hard_vocab_limit=False,
        normalization_rule_tsv=str(rules), remove_extra_whitespaces=False, minloglevel=2,
    )
    model = Path(f"{folder}/m.model").read_bytes()

vocab, charsmap = [], b""
for field, value in fields(model):
    if field == 1:
        piece = dict(fields(value))
        vocab.append([piece[1].decode(), piece.get(2, 0.0)])
    elif field == 3:
        charsmap = dict(fields(value))[2]
metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
tokenizer = {
    "version": "1.0",
    "added_tokens": [{"id": i, "content": vocab[i][0], **special} for i in range(3)],
    "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
    "pre_tokenizer": metaspace, "post_processor": None, "decoder": metaspace,
    "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False},
}
python = tokenizers.Tokenizer.from_str(json.dumps(tokenizer))
result = {
    "library": f"tokenizers {tokenizers.__version__}, sentencepiece {sentencepiece.__version__}",
    "tokenizer": tokenizer,
    "texts": TEXTS,
    "ids": [python.encode(text, add_special_tokens=False).ids for text in TEXTS],
    "normalized": [python.normalizer.normalize_str(text) for text in TEXTS],
}
json.dump(result, sys.stdout, ensure_ascii=True, separators=(",", ":"))
