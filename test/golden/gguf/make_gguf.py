"""Makes small GGUF files and what independent packages read from them.

    pip install gguf==0.19.0 numpy==2.4.6 tokenizers==0.23.3 sentencepiece==0.2.3
    python test/golden/gguf/make_gguf.py

Writes next to itself:
  blocks.json        random blocks of every quantised format, and their numbers according to `gguf.quants`
  byte-level.gguf      a two-layer Llama with the metadata keys of SmolLM2 and tensors of eleven formats
  byte-level.json      texts and their ids according to `tokenizers`, and per parameter the sha256 of its float32 numbers,
                       de-quantised by `gguf.quants`, in the names and the order of Hugging Face
  sentence-piece.gguf, sentence-piece.json  the same for a tokenizer that `sentencepiece` trained
  family-<name>.gguf   models of test/golden/families in the names, orders and centers of llama.cpp's converter
  tiny.gguf            sixteen tokens and few weights, for mutations
  tiny-0000?-of-00003.gguf, bare-0000?-of-00002.gguf   the same in parts; the first of `bare` has metadata only
With a GGUF file and the Hugging Face folder it was made from, `python … FILE.gguf FOLDER`, checks that `gguf` reads from the
file what its own quantisation makes of the folder's weights: a check of what Espalier exports.
"""

import base64
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import sentencepiece
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter, RopeScalingType, TokenType, get_tensor_name_map
from gguf.constants import MODEL_ARCH_NAMES
from gguf.quants import dequantize, quantize
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

HERE = Path(__file__).resolve().parent
Q = GGMLQuantizationType
# places of half-precision scales in a block: they must be finite
SCALES = {
    Q.Q4_0: (18, [0]), Q.Q4_1: (20, [0, 2]), Q.Q5_0: (22, [0]), Q.Q5_1: (24, [0, 2]), Q.Q8_0: (34, [0]),
    Q.Q4_K: (144, [0, 2]), Q.Q5_K: (176, [0, 2]), Q.Q6_K: (210, [208]), Q.F16: (64, range(0, 64, 2)),
    Q.BF16: (64, []),
}
random = np.random.default_rng(7)
encode = lambda array: base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def random_blocks(kind, count, spread):
    """Random bytes whose scales are finite halves, the first ones of any size."""
    size, places = SCALES[kind]
    blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
    if kind == Q.BF16:
        return (random.standard_normal((count, 32)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    for place in places:
        blocks[:, place : place + 2] = (random.standard_normal((count, 1)) * spread).astype(np.float16).view(np.uint8)
    return blocks


def make_blocks():
    cases = {}
    for kind in SCALES:
        blocks = np.concatenate([random_blocks(kind, 2, 0.02), random_blocks(kind, 2, 300)])
        numbers = dequantize(blocks, kind).astype(np.float32)
        cases[kind.name] = {"bytes": encode(blocks), "numbers": encode(numbers)}
    # what llama.cpp makes of the same numbers; halves and blocks of eight bits are exported
    numbers = (random.standard_normal((1, 256)) * 0.3).astype(np.float32)
    numbers[0, 32:64] = 0
    quantized = {kind.name: encode(quantize(numbers, kind)) for kind in (Q.F16, Q.Q8_0)}
    return {"gguf": "0.19.0", "dequantize": cases, "quantize": {"numbers": encode(numbers), **quantized}}


CORPUS = ["You play a game. Turn 1: State: the capital of France is Paris, 2018-01-22; don't ask!", "naïve 日本語 😀\n\n  x = 12345;"]
TEXTS = ["", "The capital of France is", "<|im_start|>user\nState: 12 34 don't!<|im_end|>\n", "  naïve\t日本語 😀\n\n x", "a  b   c 2018"]
TEMPLATE = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def add_sizes(writer, vocabulary, width):
    writer.add_name("Tiny")
    writer.add_block_count(2)
    writer.add_context_length(256)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(32)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_freq_base(100000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(vocabulary)
    for add in (writer.add_rope_dimension_count, writer.add_key_length, writer.add_value_length):
        add(8)


def unpermute(rows, heads):
    """The inverse of what convert_hf_to_gguf.py of llama.cpp does with queries and keys."""
    return rows.reshape(heads, rows.shape[0] // heads // 2, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def add_tensors(writer, vocabulary, width, formats):
    """Adds the tensors and gives what a reader should find, in Hugging Face's names and order."""
    found = {}

    def add(name, parameter, shape, kind, heads=None):
        if kind in (Q.Q4_K, Q.Q5_K, Q.Q6_K):
            count = shape[0] * shape[1] // 256
            stored = random_blocks(kind, count, 0.0005).reshape(shape[0], -1)
        else:
            numbers = random.standard_normal(shape).astype(np.float32) * (0.06 if len(shape) == 2 else 0.2)
            numbers = numbers + (1 if len(shape) == 1 else 0)
            stored = numbers if kind == Q.F32 else quantize(numbers.astype(np.float32), kind)
        values = stored if kind == Q.F32 else dequantize(stored, kind)
        values = np.asarray(values, dtype=np.float32).reshape(shape)
        # a float32 array says its type itself
        writer.add_tensor(name, stored.astype(np.float32) if kind == Q.F32 else stored, raw_dtype=None if kind == Q.F32 else kind)
        found[parameter] = np.ascontiguousarray(values if heads is None else unpermute(values, heads))

    kinds = iter(formats)
    add("token_embd.weight", "model.embed_tokens.weight", (vocabulary, width), next(kinds))
    for layer in range(2):
        names = {
            "attn_q": ("self_attn.q_proj", (32, width), 4), "attn_k": ("self_attn.k_proj", (16, width), 2),
            "attn_v": ("self_attn.v_proj", (16, width), None), "attn_output": ("self_attn.o_proj", (width, 32), None),
            "ffn_gate": ("mlp.gate_proj", (32, width), None), "ffn_up": ("mlp.up_proj", (32, width), None),
            "ffn_down": ("mlp.down_proj", (width, 32), None),
        }
        for name, (parameter, shape, heads) in names.items():
            add(f"blk.{layer}.{name}.weight", f"model.layers.{layer}.{parameter}.weight", shape, next(kinds), heads)
        for name, parameter in (("attn_norm", "input_layernorm"), ("ffn_norm", "post_attention_layernorm")):
            add(f"blk.{layer}.{name}.weight", f"model.layers.{layer}.{parameter}.weight", (width,), Q.F32)
    add("output_norm.weight", "model.norm.weight", (width,), Q.F32)
    return found


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make_byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    writer = GGUFWriter(HERE / "byte-level.gguf", "llama")
    add_sizes(writer, len(tokens), 256)
    add_byte_level(writer, tokens, [" ".join(pair) for pair in model["merges"]])
    # output and down projections have rows of 32, too short for formats of 256
    formats = [Q.Q8_0, Q.Q4_K, Q.Q6_K, Q.Q5_K, Q.Q4_0, Q.Q4_1, Q.F16, Q.Q5_0, Q.Q4_1, Q.BF16, Q.Q6_K, Q.Q5_1, Q.F32, Q.Q8_0, Q.Q4_0]
    weights = add_tensors(writer, len(tokens), 256, formats)
    finish(writer)
    write_texts("byte-level", lambda text: tokenizer.encode(text).ids, TEXTS, weights)


def add_byte_level(writer, tokens, merges):
    writer.add_add_space_prefix(False)
    writer.add_add_bos_token(False)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if token in SPECIAL else TokenType.NORMAL for token in tokens])
    writer.add_token_merges(merges)
    for name, token in (("bos", 1), ("eos", 2), ("unk", 0), ("pad", 2)):
        getattr(writer, f"add_{name}_token_id")(token)
    writer.add_chat_template(TEMPLATE)


def make_tiny():
    tokens = [*SPECIAL, *"abcdeĠ012", "ab", "abc", "Ġa", "de"]
    writer = GGUFWriter(HERE / "tiny.gguf", "llama")
    add_sizes(writer, len(tokens), 32)
    add_byte_level(writer, tokens, ["a b", "ab c", "Ġ a", "d e"])
    add_tensors(writer, len(tokens), 32, [Q.Q8_0, Q.Q4_0, Q.Q4_1, Q.Q5_0, Q.Q5_1] + [Q.Q4_0] * 10)
    finish(writer)


def make_parts(name, **options):
    reader = GGUFReader(HERE / "tiny.gguf")
    writer = GGUFWriter(HERE / f"{name}.gguf", "llama", **options)
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key != "general.architecture":
            sub_type = field.types[1] if len(field.types) > 1 else None
            writer.add_key_value(key, field.contents(), field.types[0], sub_type)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    finish(writer)


def make_sentence_piece():
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "pieces")
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(CORPUS * 4), model_prefix=prefix, vocab_size=330, model_type="bpe", byte_fallback=True,
            normalization_rule_name="identity", remove_extra_whitespaces=False, split_digits=True, character_coverage=0.98,
            minloglevel=2,
        )
        pieces = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
    count = pieces.get_piece_size()
    kinds = []
    for token in range(count):
        kinds.append(
            TokenType.UNKNOWN if pieces.is_unknown(token) else TokenType.CONTROL if pieces.is_control(token)
            else TokenType.BYTE if pieces.is_byte(token) else TokenType.NORMAL
        )
    writer = GGUFWriter(HERE / "sentence-piece.gguf", "llama")
    add_sizes(writer, count, 32)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([pieces.id_to_piece(token) for token in range(count)])
    writer.add_token_scores([pieces.get_score(token) for token in range(count)])
    writer.add_token_types(kinds)
    for name, token in (("bos", 1), ("eos", 2), ("unk", 0)):
        getattr(writer, f"add_{name}_token_id")(token)
    writer.add_chat_template("{{ bos_token }}{% for message in messages %}[INST] {{ message['content'] }} [/INST]{% endfor %}")
    weights = add_tensors(writer, count, 32, [Q.Q4_0] * 15)
    finish(writer)
    texts = [text for text in TEXTS if "<|" not in text]
    write_texts("sentence-piece", pieces.encode, texts, weights)


# architecture in GGUF, keys beside the sizes; which rows are reordered and which norms moved is in convert_hf_to_gguf.py
FAMILIES = {
    "smollm3": ("smollm3", {}),
    "olmo2": ("olmo2", {}),
    "gemma2": ("gemma2", {"sliding_window": 6, "attn_logit_softcapping": 1.5, "final_logit_softcapping": 3.0}),
    "gemma3": ("gemma3", {"sliding_window": 6}),
}


def make_family(name):
    from safetensors.numpy import load_file

    arch_name, options = FAMILIES[name]
    folder = HERE.parent / "families" / name
    config = json.loads((folder / "config.json").read_text())
    arch = next(key for key, its in MODEL_ARCH_NAMES.items() if its == arch_name)
    names = get_tensor_name_map(arch, config["num_hidden_layers"])
    writer = GGUFWriter(HERE / f"family-{name}.gguf", arch_name)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    writer.add_key_length(head)
    writer.add_value_length(head)
    if name == "gemma3":
        writer.add_rope_freq_base(50000.0)
        writer.add_rope_scaling_type(RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(4.0)
    else:
        writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    for key, value in options.items():
        getattr(writer, f"add_{key}")(value)
    tokens = [*SPECIAL, *"abcdeĠ012", "ab", "abc", "Ġa", "de"]
    tokens += [f"[PAD{token}]" for token in range(len(tokens), config["vocab_size"])]
    add_byte_level(writer, tokens, ["a b", "ab c", "Ġ a", "d e"])
    for parameter, values in load_file(folder / "model.safetensors").items():
        if name == "smollm3" and ("q_proj" in parameter or "k_proj" in parameter):
            heads = config["num_attention_heads" if "q_proj" in parameter else "num_key_value_heads"]
            values = permute(values, heads)
        if name.startswith("gemma") and parameter.endswith("norm.weight"):
            values = values + 1
        writer.add_tensor(names.get_name(parameter, (".weight", ".bias")), np.ascontiguousarray(values))
    finish(writer)


def permute(rows, heads):
    """As convert_hf_to_gguf.py of llama.cpp."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def write_texts(name, ids, texts, weights):
    cases = [{"text": text, "ids": ids(text)} for text in texts]
    weights = {parameter: hashlib.sha256(values.tobytes()).hexdigest() for parameter, values in weights.items()}
    golden = {"cases": cases, "weights": weights}
    (HERE / f"{name}.json").write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n")


def check(path, folder):
    from safetensors.numpy import load_file

    weights = load_file(Path(folder) / "model.safetensors")
    config = json.loads((Path(folder) / "config.json").read_text())
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    reader = GGUFReader(path)
    architecture = reader.fields["general.architecture"].contents()
    arch = next(key for key, name in MODEL_ARCH_NAMES.items() if name == architecture)
    names = get_tensor_name_map(arch, config["num_hidden_layers"])
    parameters = {names.get_name(parameter, (".weight", ".bias")): parameter for parameter in weights}
    for tensor in reader.tensors:
        name = tensor.name.split(".")[-2]
        if name == "rope_freqs":
            continue
        values = np.asarray(weights.pop(parameters[tensor.name]), dtype=np.float32)
        if architecture.startswith("gemma") and values.ndim == 1:
            values = values + 1
        expected = values if tensor.tensor_type == Q.F32 else dequantize(quantize(values, tensor.tensor_type), tensor.tensor_type)
        found = np.asarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32).reshape(values.shape)
        found = unpermute(found, heads[name]) if architecture in ("llama", "smollm3") and name in heads else found
        if not np.array_equal(found, np.asarray(expected, dtype=np.float32)):
            raise SystemExit(f"{tensor.name} ({tensor.tensor_type.name}) differs by {np.abs(found - expected).max()}")
    print(f"{len(reader.tensors)} tensors equal, {len(reader.fields)} metadata keys; left over: {list(weights) or 'none'}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        check(*sys.argv[1:])
        sys.exit()
    (HERE / "blocks.json").write_text(json.dumps(make_blocks(), indent=1) + "\n")
    make_byte_level()
    make_sentence_piece()
    make_tiny()
    make_parts("tiny", split_max_tensors=7)
    make_parts("bare", split_max_tensors=20, small_first_shard=True)
    for name in FAMILIES:
        make_family(name)
