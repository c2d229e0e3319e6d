"""Recomputes recorded iterations in PyTorch, from trajectories, starting weights and spec alone.

    python test/golden/iterations/recompute_iterations.py            # writes golden.json and after-*.safetensors
    python test/golden/iterations/recompute_iterations.py runs/mine  # compares any run that began at step 0

Reads <run>/spec.json, <run>/trajectories/step-*.jsonl.gz and the starting model; <run>/metrics.jsonl is only what the
result is compared with. Everything is float64: Llama's forward pass, log-probabilities, entropies, values, selection of
groups, advantages, losses, gradients by autograd, clipping by global norm, AdamW. Nothing of Espalier is used; the
mini-batch cut follows from the seed (xoshiro128** by Blackman and Vigna, murmur3's mixing) and is repeated here.
Needs torch, numpy and safetensors.
"""

import base64
import gzip
import json
import math
import sys
from pathlib import Path

import numpy as np
import safetensors
import torch
from safetensors.torch import load_file, save_file

HERE = Path(__file__).resolve().parent
RUNS = ("grpo", "ppo", "starpo-s")
TOLERANCE = 1e-5
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


# --- what was recorded ------------------------------------------------------------------------------------------------


def decode(value):
    if "$int32" in value:
        return np.frombuffer(base64.b64decode(value["$int32"]), "<i4").astype(np.int64)
    if "$float32" in value:
        return np.frombuffer(base64.b64decode(value["$float32"]), "<f4").astype(np.float64)
    return float(value["$number"]) if "$number" in value else value


def read_steps(run):
    """Per iteration, its training trajectories that ended without a failure, in recorded order."""
    for path in sorted((run / "trajectories").glob("step-*.jsonl.gz")):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        rows = [json.loads(line, object_hook=decode) for line in lines]
        rows = [row for row in rows if row["split"] == "train"]
        if rows:  # step-000000 holds a validation only
            yield [row for row in rows if row["stopReason"] not in ("error", "timeout", "cancelled")]


def starting_model(run, use):
    """A folder relative to the run, or what a checkpoint of the run says that it began with."""
    for start in sorted(run.glob("checkpoints/step-*/start.json")):
        return Path(json.loads(start.read_text())["folder"])
    return run / use


def loss_positions(row, mask):
    """Sampled tokens that enter the loss, by kind of span."""
    spans = [span for span in row["spans"] if mask.get(span["kind"], False)]
    return np.array(sorted(t for span in spans for t in range(max(1, span["start"]), span["end"])), dtype=np.int64)


def place_rewards(row, positions):
    """Each turn's reward at its last sampled token, or at the nearest token in the loss before it."""
    rewards, last = np.zeros(len(positions)), None
    for turn in row["turns"]:
        start, end = turn["sampled"]["start"], turn["sampled"]["end"]
        last = end - 1 if end > start else last
        if last is None:
            continue
        index = int(np.searchsorted(positions, last, side="right")) - 1
        rewards[max(index, 0)] += row["score"]["perTurn"][turn["index"]]
    return rewards


# --- the order of trajectories in mini-batches ------------------------------------------------------------------------

M32 = 0xFFFFFFFF


def rotate(x, k):
    return ((x << k) | (x >> (32 - k))) & M32


def mix(x):
    x = (x ^ (x >> 16)) * 0x85EBCA6B & M32
    x = (x ^ (x >> 13)) * 0xC2B2AE35 & M32
    return x ^ (x >> 16)


def derive_seed(*parts):
    first, second = 0x9E3779B9, 0x7F4A7C15
    words = []
    for part in parts:
        if isinstance(part, str):
            words += [2, len(part), *map(ord, part)]
        else:
            words += [1, *np.frombuffer(np.float64(part).tobytes(), "<u4").tolist()]
    for word in [*words, len(parts)]:
        a = rotate(word * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32
        first = (rotate(first ^ a, 13) * 5 + 0xE6546B64) & M32
        b = rotate(word * 0x85EBCA6B & M32, 16) * 0xC2B2AE35 & M32
        second = (rotate(second ^ b, 17) * 9 + 0x561CCD1B) & M32
    return mix(mix(first) ^ rotate(mix(second), 11))


def shuffled(items, seed):
    a, b, c, d = (mix((seed + place * 0x9E3779B9) & M32) for place in (1, 2, 3, 4))
    d |= 1

    def word():
        nonlocal a, b, c, d
        result = rotate(b * 5 & M32, 7) * 9 & M32
        shifted = (b << 9) & M32
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = rotate(d, 11)
        return result

    def below(count):  # Lemire 2019
        while True:
            product = word() * count
            if product & M32 >= (1 << 32) % count:
                return product >> 32

    items = list(items)
    for i in range(len(items) - 1, 0, -1):
        j = below(i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def cut(items, parts):
    parts = min(parts, len(items))
    return [items[p * len(items) // parts : (p + 1) * len(items) // parts] for p in range(parts)]


# --- the model --------------------------------------------------------------------------------------------------------


class Llama:
    """One sequence at a time; `weights` are leaves with gradients."""

    def __init__(self, config, weights):
        self.config = config
        self.weights = {name: w.double().clone().requires_grad_() for name, w in weights.items()}

    def hidden(self, tokens):
        c, w = self.config, self.weights
        heads, kv = c["num_attention_heads"], c.get("num_key_value_heads") or c["num_attention_heads"]
        width = c.get("head_dim") or c["hidden_size"] // heads
        n = len(tokens)
        frequency = (1 / c.get("rope_theta", 10000.0) ** (torch.arange(0, width, 2) / width)).float()
        angle = (torch.arange(n).float()[:, None] * frequency).double()  # float32 angles, as transformers has them
        cos, sin = angle.cos(), angle.sin()
        later = torch.ones(n, n, dtype=torch.bool).triu(1)

        def norm(x, name):
            return w[f"{name}.weight"] * x / torch.sqrt(x.square().mean(-1, keepdim=True) + c["rms_norm_eps"])

        def turn(x):  # [heads, n, width]
            low, high = x.chunk(2, -1)
            return torch.cat((low * cos - high * sin, high * cos + low * sin), -1)

        x = w["model.embed_tokens.weight"][torch.as_tensor(tokens)]
        for layer in range(c["num_hidden_layers"]):
            at = f"model.layers.{layer}."
            a = norm(x, at + "input_layernorm")
            split = lambda y, h: y.view(n, h, width).transpose(0, 1)
            q = turn(split(a @ w[at + "self_attn.q_proj.weight"].T, heads))
            k = turn(split(a @ w[at + "self_attn.k_proj.weight"].T, kv)).repeat_interleave(heads // kv, 0)
            v = split(a @ w[at + "self_attn.v_proj.weight"].T, kv).repeat_interleave(heads // kv, 0)
            scores = (q @ k.mT / math.sqrt(width)).masked_fill(later, -math.inf)
            mixed = (scores.softmax(-1) @ v).transpose(0, 1).reshape(n, heads * width)
            x = x + mixed @ w[at + "self_attn.o_proj.weight"].T
            m = norm(x, at + "post_attention_layernorm")
            gate = torch.nn.functional.silu(m @ w[at + "mlp.gate_proj.weight"].T)
            x = x + (gate * (m @ w[at + "mlp.up_proj.weight"].T)) @ w[at + "mlp.down_proj.weight"].T
        return norm(x, "model.norm")

    def score(self, tokens, positions, temperature):
        """Log-probabilities and entropies of the tokens at `positions`, each predicted from those before it."""
        head = self.weights.get("lm_head.weight", self.weights["model.embed_tokens.weight"])
        logits = self.hidden(tokens)[positions - 1] @ head.T / temperature
        log_distribution = logits.log_softmax(-1)
        own = log_distribution.gather(-1, torch.as_tensor(tokens[positions])[:, None])[:, 0]
        return own, -(log_distribution.exp() * log_distribution).sum(-1)

    def values(self, tokens, positions):
        return self.hidden(tokens)[positions - 1] @ self.weights["value_head.weight"][0]


class AdamW:
    """Loshchilov & Hutter 2019, algorithm 2, after clipping by global norm."""

    def __init__(self, weights):
        self.weights, self.step_count = weights, 0
        self.moments = {name: (torch.zeros_like(w), torch.zeros_like(w)) for name, w in weights.items()}

    def step(self, o, learning_rate):
        gradients = {n: torch.zeros_like(w) if w.grad is None else w.grad for n, w in self.weights.items()}
        norm = math.sqrt(sum(g.square().sum().item() for g in gradients.values()))
        scale = min(1.0, o["maxGradientNorm"] / (norm + 1e-6))
        self.step_count += 1
        with torch.no_grad():
            for name, w in self.weights.items():
                first, second = self.moments[name]
                g = gradients[name] * scale
                first.mul_(o["beta1"]).add_((1 - o["beta1"]) * g)
                second.mul_(o["beta2"]).add_((1 - o["beta2"]) * g * g)
                corrected = first / (1 - o["beta1"] ** self.step_count)
                root = (second / (1 - o["beta2"] ** self.step_count)).sqrt()
                w.mul_(1 - learning_rate * o["weightDecay"])
                w.sub_(learning_rate * corrected / (root + o["epsilon"]))
                w.grad = None
        return {"gradient_norm": norm, "clipped_gradient_share": float(scale < 1)}


def rate_at(step, total, o):
    s = o["schedule"]
    if step < s["warmupSteps"]:
        return o["learningRate"] * (step + 1) / (s["warmupSteps"] + 1)
    if s["kind"] == "constant":
        return o["learningRate"]
    span = total - s["warmupSteps"]
    progress = min(1.0, (step - s["warmupSteps"]) / span) if span > 0 else 1.0
    left = 1 - progress if s["kind"] == "linear" else (1 + math.cos(math.pi * progress)) / 2
    return o["learningRate"] * (s["finalRatio"] + (1 - s["finalRatio"]) * left)


# --- selection and credit ---------------------------------------------------------------------------------------------


def deviation(values):
    values = np.asarray(values)
    return 0.0 if len(values) < 2 or np.ptp(values) == 0 else float(values.std(ddof=1))


def select(groups, algorithm):
    """Indices of the groups that are learned from; StarPO-S keeps those whose totals differ most."""
    if algorithm["use"] != "starpo-s":
        return list(range(len(groups)))
    spread = [float(f"{deviation([row['score']['total'] for row in group]):.11e}") for group in groups]
    count = max(1, math.floor(len(groups) * algorithm["keepRatio"] + 1e-9))
    return sorted(sorted(range(len(groups)), key=lambda g: (-spread[g], g))[:count])


def group_advantages(examples, normalization):
    centred = np.zeros(len(examples))
    divisor = np.ones(len(examples))
    for group in {e["group"] for e in examples}:
        own = [i for i, e in enumerate(examples) if e["group"] == group]
        totals = np.array([examples[i]["row"]["score"]["total"] for i in own])
        alone = len(own) == 1
        centred[own] = totals - (0 if alone else totals.mean())
        divisor[own] = (1 if alone else deviation(totals)) + 1e-6
    if normalization == "batch":
        divisor[:] = deviation(centred) + 1e-6
    scaled = centred if normalization == "none" else centred / divisor
    spread = lambda values: [np.full(len(e["positions"]), value) for e, value in zip(examples, values)]
    return spread(centred), spread(scaled)


def gae(rewards, values, gamma, lam):
    advantages, next_value, carried = np.zeros(len(values)), 0.0, 0.0
    for t in reversed(range(len(values))):
        carried = rewards[t] + gamma * next_value - values[t] + gamma * lam * carried
        advantages[t], next_value = carried, values[t]
    return advantages


def give_credit(examples, algorithm):
    """Sets advantages (normalised) and returns of each example; gives the metrics of credit."""
    metrics = {}
    if algorithm["use"] == "grpo" or algorithm.get("estimator") == "group":
        raw, final = group_advantages(examples, algorithm["normalization"])
    else:
        assert algorithm.get("turnGamma") is None, "bi-level credit is not recomputed here"
        raw = [gae(e["rewards"], e["old_values"], algorithm["gamma"], algorithm["lambda"]) for e in examples]
        gathered = np.concatenate(raw)
        final = [(a - gathered.mean()) / (deviation(gathered) + 1e-8) for a in raw]
        for e, a in zip(examples, raw):
            e["returns"] = a + e["old_values"]
        targets = np.concatenate([e["returns"] for e in examples])
        rest = targets - np.concatenate([e["old_values"] for e in examples])
        metrics["critic/explained_variance"] = 1 - (deviation(rest) / deviation(targets)) ** 2
    for e, a in zip(examples, final):
        e["advantages"] = a
    gathered = np.concatenate(raw)
    return metrics | {
        "credit/advantage_mean": float(gathered.mean()),
        "credit/advantage_std": deviation(gathered),
        "credit/advantage_max": float(np.abs(gathered).max()),
    }


# --- losses -----------------------------------------------------------------------------------------------------------


def token_weights(batch, aggregation):
    counts = [len(e["positions"]) for e in batch]
    return [
        {
            "token-mean": 1 / sum(counts),
            "sequence-mean-token-mean": 1 / (len(batch) * n),
            "sequence-mean-token-sum": 1 / len(batch),
        }[aggregation]
        for n in counts
    ]


def divergence(x, estimator):
    k2 = x.square() / 2
    k3 = ((-x).clamp(-20, 20).exp() - (-x).clamp(-20, 20) - 1).clamp(-10, 10)
    through = k2 + (k3 - k2).detach()
    return {"k1": x, "abs": x.abs(), "k2": k2, "k3": k3, "k3-straight-through": through}[estimator]


def keep_off(margins, values, *bounds):
    """Notes how near any value lies to a bound where a gradient jumps."""
    for bound in bounds:
        margins.append((values - bound).abs().min().item())


def policy_terms(example, logprobs, entropies, a, margins):
    """Loss of each token and the metrics, as in Schulman et al. 2017, eq. 7, with dual clip, entropy and KL terms."""
    advantages = torch.as_tensor(example["advantages"])
    difference = logprobs - torch.as_tensor(example["old_logprobs"])
    ratio = difference.clamp(-20, 20).exp()
    low, high, dual = 1 - a["clipLow"], 1 + a["clipHigh"], a.get("dualClip", 3)
    keep_off(margins, ratio, low, high, dual)
    gain = torch.minimum(ratio * advantages, ratio.clamp(low, high) * advantages)
    if dual > 0:
        gain = torch.where(advantages < 0, torch.maximum(gain, dual * advantages), gain)
    metrics = {
        "clip_fraction_low": ((advantages < 0) & (ratio < low)).double(),
        "clip_fraction_high": ((advantages > 0) & (ratio > high)).double(),
        "approx_kl": -difference,
        "ratio": ratio,
        "entropy": entropies,
    }
    if dual > 0:
        metrics["clip_fraction_dual"] = ((advantages < 0) & (ratio > dual)).double()
    loss = -gain - a["entropyCoefficient"] * entropies
    if a.get("klCoefficient", 0) > 0:
        kl = divergence(logprobs - torch.as_tensor(example["reference_logprobs"]), a["klEstimator"])
        loss, metrics["kl_reference"] = loss + a["klCoefficient"] * kl, kl
    return loss, metrics


def value_terms(example, values, a, margins):
    old, returns = torch.as_tensor(example["old_values"]), torch.as_tensor(example["returns"])
    bound = a.get("valueClip", 0.5)
    plain = (values - returns).square()
    if bound == 0:
        return plain / 2, {"loss": plain / 2, "value": values}
    keep_off(margins, (values - old).abs(), bound)
    clipped = (old + (values - old).clamp(-bound, bound) - returns).square()
    loss = torch.maximum(plain, clipped) / 2
    return loss, {"loss": loss, "value": values, "clip_fraction": (clipped > plain).double()}


# --- an iteration -----------------------------------------------------------------------------------------------------


class Run:
    def __init__(self, folder):
        self.spec = json.loads((folder / "spec.json").read_text())
        model = starting_model(folder, self.spec["model"]["use"])
        config, weights = json.loads((model / "config.json").read_text()), load_file(model / "model.safetensors")
        self.algorithm = self.spec["algorithm"]
        a = self.algorithm
        self.policy, self.critic, self.reference = Llama(config, weights), None, None
        if a.get("klCoefficient", 0) > 0:
            self.reference = Llama(config, weights)
        if a["use"] != "grpo" and a.get("estimator", "gae") == "gae":
            backbone = {name: w for name, w in weights.items() if name != "lm_head.weight"}
            self.critic = Llama(config, backbone | {"value_head.weight": torch.zeros(1, config["hidden_size"])})
        self.margins = []  # distances from the nearest clip bound
        self.optimizers = {n: AdamW(m.weights) for n, m in (("policy", self.policy), ("critic", self.critic)) if m}

    def examples(self, rows):
        """Training examples of the groups that are kept, and whether that is what was recorded."""
        groups = {}
        for row in rows:
            groups.setdefault(row["group"], []).append(row)
        groups = list(groups.values())
        kept = select(groups, self.algorithm)
        for index, group in enumerate(groups):
            assert all(row["kept"] == (index in kept) for row in group), f"group {index}: another selection was recorded"
        mask = self.spec["update"]["lossMask"]
        found = [
            {"row": row, "group": g, "tokens": row["tokens"], "positions": loss_positions(row, mask)}
            for g, index in enumerate(kept)
            for row in groups[index]
        ]
        return [e for e in found if len(e["positions"]) > 0]

    @torch.no_grad()
    def credit(self, examples):
        temperature = self.spec["rollout"]["temperature"]
        for e in examples:
            e["old_logprobs"] = e["row"]["logprobs"][e["positions"]]
            e["rewards"] = place_rewards(e["row"], e["positions"])
            if self.critic:
                e["old_values"] = self.critic.values(e["tokens"], e["positions"]).numpy()
            if self.reference:
                e["reference_logprobs"] = self.reference.score(e["tokens"], e["positions"], temperature)[0].numpy()
        return give_credit(examples, self.algorithm)

    def learn(self, name, batch):
        """One optimizer step on one mini-batch."""
        update, totals, objective = self.spec["update"], {}, 0.0
        weights = token_weights(batch, update["lossAggregation"])
        for e, weight in zip(batch, weights):
            if name == "critic":
                loss, metrics = value_terms(e, self.critic.values(e["tokens"], e["positions"]), self.algorithm, self.margins)
            else:
                scores = self.policy.score(e["tokens"], e["positions"], self.spec["rollout"]["temperature"])
                loss, metrics = policy_terms(e, *scores, self.algorithm, self.margins)
            (weight * loss.sum()).backward()
            objective += weight * loss.sum().item()
            for key, value in metrics.items():
                totals[key] = totals.get(key, 0.0) + weight * value.sum().item()
        whole = sum(weight * len(e["positions"]) for e, weight in zip(batch, weights))
        options = self.spec["optimizer" if name == "policy" else "criticOptimizer"]
        steps = self.spec["steps"] - (update["criticWarmup"] if self.critic and name == "policy" else 0)
        optimizer = self.optimizers[name]
        rate = rate_at(optimizer.step_count, steps * update["epochs"] * update["miniBatches"], options)
        stepped = optimizer.step(options, rate)
        result = {"objective": objective, **stepped, **{key: total / whole for key, total in totals.items()}}
        return {f"{name}/{key}": value for key, value in result.items()}, {f"{name}/learning_rate": rate}

    def iterate(self, step, rows):
        """One recorded iteration, from step 1. Gives its metrics, as means over mini-batches, and its credit."""
        update = self.spec["update"]
        examples = self.examples(rows)
        metrics = self.credit(examples)
        learners = ["critic"] if self.critic else []
        if not (self.critic and step <= update["criticWarmup"]):
            learners.append("policy")
        seen, latest = {}, {}
        for epoch in range(update["epochs"]):
            order = shuffled(examples, derive_seed(self.spec["seed"], "mini-batches", step - 1, epoch))
            for batch in cut(order, update["miniBatches"]):
                for name in learners:
                    values, last = self.learn(name, batch)
                    latest |= last
                    for key, value in values.items():
                        seen.setdefault(key, []).append(value)
        means = {key: float(np.mean(values)) for key, values in seen.items()}
        credit = {
            e["row"]["id"]: {key: e[key].tolist() for key in ("advantages", "returns") if key in e} for e in examples
        }
        return metrics | means | latest, credit


def scale_of(key, value):
    """Means of numbers of both signs cancel: what is left of them is no measure of their rounding."""
    cancels = key.endswith(("/objective", "/approx_kl", "/explained_variance", "/advantage_mean", "/kl_reference"))
    return max(abs(value), 0.1) if cancels else max(abs(value), 1e-3)


def differences(run, results):
    """The largest difference of each number from what the run recorded, relative to `scale_of` it."""
    recorded = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    learned = ("policy/learning_rate", "critic/learning_rate")
    by_step = {row["step"]: row["values"] for row in recorded if any(name in row["values"] for name in learned)}
    worst = {}
    for step, metrics in results:
        for key, value in metrics.items():
            worst[key] = max(worst.get(key, 0.0), abs(by_step[step][key] - value) / scale_of(key, value))
    return worst


def recompute(folder):
    run, results, credits = Run(folder), [], []
    for step, rows in enumerate(read_steps(folder), start=1):
        metrics, credit = run.iterate(step, rows)
        results.append((step, metrics))
        credits.append(credit)
    worst = differences(folder, results)
    for key, value in sorted(worst.items()):
        print(f"{folder.name:10} {key:32} {value:.1e}{'' if value < TOLERANCE else '  <-- differs'}")
    return run, results, credits, all(value < TOLERANCE for value in worst.values())


def main(folders):
    if folders:
        sys.exit(0 if all([recompute(Path(folder))[3] for folder in folders]) else 1)
    versions = {m.__name__: m.__version__ for m in (torch, np, safetensors)}
    golden = {"made_with": {"python": sys.version.split()[0], **versions, "dtype": "float64"}, "runs": {}}
    for name in RUNS:
        run, results, credits, agrees = recompute(HERE / name)
        assert agrees, f"{name}: the recomputation differs from what the run recorded"
        assert min(run.margins) > 1e-6, f"{name}: a clip bound is {min(run.margins)} away; record with another seed"
        golden["runs"][name] = [
            {"step": step, "metrics": metrics, "credit": credit} for (step, metrics), credit in zip(results, credits)
        ]
        for part in ("policy", "critic"):
            if getattr(run, part):
                weights = {key: w.detach().float() for key, w in getattr(run, part).weights.items()}
                save_file(weights, HERE / name / f"after-{part}.safetensors")
    (HERE / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
