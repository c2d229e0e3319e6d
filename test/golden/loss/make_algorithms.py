"""What PyTorch makes of the 1,000 batches of make_losses.py with algorithms that share no code with ours.

    pip install torch==2.15.0 numpy
    python test/golden/loss/make_algorithms.py

Writes torch.jsonl.gz: per batch and case the loss Σ weight · loss, and projections of advantages and gradients on fixed
numbers, in float64; ../README.md explains the fields. Gradients come from autograd; GSPO is written over sequences, not
in its token form.
"""

import gzip
import json
import sys
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
UNIT = 1024
torch.set_default_dtype(torch.float64)

# What differs from the defaults of each plugin, and where a case has other rewards than the batch, which: magnitudes are |reward|.
REWARDS = {"maxrl": "magnitudes"}
CASES = {
    "rloo": ("rloo", dict(dualClip=3)),
    "opo": ("rloo", dict(baseline="length-weighted", dualClip=3)),
    "rae": ("rloo", dict(baseline="role", baselineMemory=0.9)),
    "remax": ("remax", {}),
    "maxrl": ("grpo", dict(normalization="mean", dualClip=0)),
    "dr-grpo": ("dr-grpo", {}),
    "reinforce": ("reinforce-plus-plus", dict(gamma=0.9, klRewardCoefficient=0.1)),
    "reinforce-discounted": ("reinforce-plus-plus", dict(gamma=0.9)),
    "reinforce-baseline": ("reinforce-plus-plus", dict(baseline="group")),
    "gspo": ("gspo", dict(clipLow=0.1, clipHigh=0.2)),
    "gmpo": ("gmpo", dict(clipLow=0.1, clipHigh=0.2)),
    "kl-cov": ("entropy-cov", dict(remedy="penalty", share=0.1, coefficient=0.5)),
    "clip-cov": ("entropy-cov", dict(share=1, low=0.05, high=0.5)),
    "cispo": ("cispo", dict(clipLow=0.5, clipHigh=1)),
    "dapo": ("dapo", {}),
    "sapo": ("sapo", dict(temperatureGood=1.5, temperatureBad=2)),
    "gigpo": ("gigpo", dict(turnGamma=0.9, turnWeight=0.5)),
    "mt-grpo": ("mt-grpo", dict(turnGamma=0.4, outcomeWeight=0.5)),
    "kevin": ("mt-grpo", dict(compare="all", turnGamma=0.4, outcomeWeight=0, normalization="none")),
    "bi-level": ("bi-level", dict(wholeTurns=True, turnGamma=0.9, **{"lambda": 0.8})),
    "mt-grpo-outcome": ("mt-grpo", dict(outcome="last-turn", turnGamma=0.4, outcomeWeight=0.25)),
    "ipo": ("ipo", dict(maxShift=0.05, pull=0.1)),
    "grpo-kl": ("grpo", dict(normalization="group", dualClip=0, klCoefficient=0.1, entropyCoefficient=0.05)),
    "grpo-k3": ("grpo", dict(normalization="none", klCoefficient=0.5, klEstimator="k3")),
    "ppo": ("ppo", {"gamma": 0.9, "lambda": 0.95}),
    "turn-credit": ("mt-grpo", dict(spread=True, turnGamma=0.6, outcomeWeight=0, normalization="none")),
    "hybrid": ("starpo", {"estimator": "hybrid", "gamma": 0.9, "lambda": 0.95, "entropyCoefficient": 0}),
    "starpo": ("starpo", {"gamma": 0.9, "lambda": 0.95, "entropyCoefficient": 0}),
    "critics-mean": ("ppo", {"critics": 3, "gamma": 0.9, "lambda": 0.95}),
    "critics-minimum": ("ppo", {"critics": 2, "criticCombination": "minimum", "gamma": 0.9, "lambda": 0.95}),
    "critics-pessimism": ("ppo", {"critics": 3, "criticPessimism": 0.5, "gamma": 0.9, "lambda": 0.95}),
    "ppo-kl-reward": ("ppo", {"gamma": 0.9, "lambda": 0.95, "klRewardCoefficient": 0.2, "klRewardEstimator": "k3"}),
    "bi-level-kl-reward": ("bi-level", {"wholeTurns": True, "turnGamma": 0.9, "lambda": 0.8, "klRewardCoefficient": 0.25, "klRewardEstimator": "k2"}),
    "hybrid-kl-reward": ("starpo", {"estimator": "hybrid", "gamma": 0.9, "lambda": 0.95, "entropyCoefficient": 0, "klRewardCoefficient": 0.1}),
    "reinforce-baseline-kl-reward": ("reinforce-plus-plus", dict(baseline="group", klRewardCoefficient=0.25, klRewardEstimator="abs")),
}

# Cases in runs with other settings, by the names of `update`. What the sampler said are the reference's log-probabilities; tags are even and odd groups.
SETTINGS = {
    "sampler-truncated": ("grpo-kl", dict(samplerCorrection=dict(use="truncated", maxRatio=1.5))),
    "sampler-mask": ("ppo", dict(samplerCorrection=dict(use="mask", maxRatio=1.5))),
    "sampler-icepop": ("ppo", dict(samplerCorrection=dict(use="icepop", maxRatio=2.5, minRatio=0.75))),
    "sampler-sequence-truncated": ("rloo", dict(samplerCorrection=dict(use="sequence-truncated", maxRatio=3))),
    "sampler-sequence-mask": ("cispo", dict(samplerCorrection=dict(use="sequence-mask", maxRatio=3))),
    "top-entropy": ("ppo", dict(topEntropyShare=0.3)),
    "top-entropy-gmpo": ("gmpo", dict(topEntropyShare=0.3)),
    "normalized-by-state": ("ppo", dict(rewardNormalization=dict(by="state", method="mean"))),
    "normalized-by-batch": ("ppo", dict(rewardNormalization=dict(by="batch", method="mean-std"))),
    "normalized-by-tag": ("ppo", dict(rewardNormalization=dict(by="tag", method="asymmetric-clip"))),
    "normalized-totals": ("rloo", dict(rewardNormalization=dict(by="batch", method="asymmetric-clip"))),
    "sequence-mean-constant": ("dr-grpo", dict(lossAggregation="sequence-mean-constant", lossConstant=24)),
    "sum-constant": ("grpo-k3", dict(lossAggregation="sum-constant", lossConstant=40)),
}

# Cases of which each tag has its own: that of even groups, that of odd ones. Credit stays within a tag, tokens are weighed over all.
MIXTURES = {
    "mixture": ("rloo", "grpo-kl"),
    "mixture-of-ratios": ("gspo", "cispo"),
}


def placed(one):
    """Rewards and turn ends on loss tokens: each moves to the nearest one at or before it, else to the first."""
    spots = [t for t, bit in enumerate(one["mask"]) if bit]
    where = lambda t: max((s for s in spots if s <= t), default=spots[0])
    rewards = torch.zeros(len(one["mask"]))
    for t, reward in enumerate(one["rewards"]):
        rewards[where(t)] += reward / UNIT
    return rewards, sorted({where(end) for end in one["ends"]})


def turn_of(t, ends):
    return next((k for k, end in enumerate(ends) if t <= end), len(ends) - 1)


def turn_starts(row, ends):
    turns = [turn_of(t, ends) for t in row["spots"]]
    return [turns.index(m) for m in range(len(ends))]


def own_column(one, name):
    return torch.tensor([x / UNIT for x in one["columns"][name]])


def relative(rows, divisor):
    totals = torch.tensor([row["total"] for row in rows])
    out = torch.zeros(len(rows))
    for g in {row["group"] for row in rows}:
        at = torch.tensor([i for i, row in enumerate(rows) if row["group"] == g])
        own = totals[at]
        mean, std = (own.mean(), own.std()) if len(own) > 1 else (torch.tensor(0.0), torch.tensor(1.0))
        out[at] = (own - mean) / (std + 1e-6) if divisor == "group" else own - mean
        if divisor == "mean" and len(own) > 1:
            out[at] = own / mean - 1 if mean > 0 else torch.zeros(len(own))
    return out


def averaged(rows, memory):
    """Each total less Σ_j (1 − memory) memory^(k−1−j) R_j over the k earlier ones of its role; groups take turns in roles."""
    out = torch.zeros(len(rows))
    for role in (0, 1):
        at = [i for i, row in enumerate(rows) if row["group"] % 2 == role]
        totals = torch.tensor([rows[i]["total"] for i in at])
        k, j = torch.arange(len(at))[:, None], torch.arange(len(at))[None, :]
        weights = torch.where(j < k, (1 - memory) * torch.tensor(float(memory)) ** (k - 1 - j).clamp(min=0), torch.tensor(0.0))
        out[at] = totals - weights @ totals
    return out


def greedy(group):
    """What the greedy trajectory of a group earned: made up, as batches have none."""
    return ((5 * group) % 7 - 3) / 4


def baseline_of(rows, name):
    out = torch.zeros(len(rows))
    for i, row in enumerate(rows):
        peers = [other for other in rows if other["group"] == row["group"]]
        if len(peers) == 1:
            continue
        if name == "others":
            out[i] = row["total"] - sum(p["total"] for p in peers if p is not row) / (len(peers) - 1)
        else:
            out[i] = row["total"] - sum(p["n"] * p["total"] for p in peers) / sum(p["n"] for p in peers)
    return out


def whitened(tokens):
    flat = torch.cat(tokens)
    std = flat.std() if len(flat) > 1 else torch.tensor(0.0)
    return [(own - flat.mean()) / (std + 1e-8) for own in tokens]


def chain(rewards, values, gamma, lam):
    """GAE as a matrix product: the sum over later steps of (γλ)^j δ."""
    n = len(rewards)
    after = torch.cat([values[1:], torch.zeros(1)])
    delta = rewards + gamma * after - values
    steps = torch.arange(n)
    power = (steps[None, :] - steps[:, None]).clamp(min=0).double()
    weights = torch.where(steps[None, :] >= steps[:, None], torch.tensor(gamma * lam, dtype=torch.float64) ** power, torch.tensor(0.0))
    return weights @ delta


def earn_alike(worth):
    """Whether trajectories earn the same from each turn on, as far as they get; one alone has nothing to be compared with."""
    longest = max(worth, key=len)
    return len(worth) > 1 and all(torch.allclose(own, longest[: len(own)], rtol=0, atol=1e-8) for own in worth)


def sums_of_turns(one):
    sums = torch.zeros(len(one["ends"]))
    for t, reward in enumerate(one["rewards"]):
        sums[turn_of(t, one["ends"])] += reward / UNIT
    return sums


def split_advantages(rows, p):
    """Outcomes of last turns among trajectories, rewards of the turns before them among turns."""
    outcomes = relative([dict(row, total=float(sums_of_turns(row["one"])[-1])) for row in rows], "group")
    turns = turn_advantages(rows, "index", p["turnGamma"], "group", apart=1)
    out = []
    for row, outcome, own in zip(rows, outcomes, turns):
        last = len(row["one"]["ends"]) - 1
        is_last = torch.tensor([turn_of(t, row["one"]["ends"]) == last for t in row["spots"]])
        out.append(torch.where(is_last, outcome, own + p["outcomeWeight"] * outcome))
    return out


def shares(sums, gamma):
    """Row j of the matrix divides reward j among the turns up to it."""
    j, k = torch.arange(len(sums))[:, None], torch.arange(len(sums))[None, :]
    weights = torch.where(k <= j, torch.tensor(float(gamma)) ** (j - k).clamp(min=0), torch.tensor(0.0))
    return (weights / weights.sum(1, keepdim=True)).T @ sums


def blended(rows, values, advantages, of_critic):
    """The critic by its explained variance, the group by the rest."""
    returns = torch.cat([a + v for a, v in zip(advantages, values)])
    errors = torch.cat(advantages)
    spread = lambda x: ((x - x.mean()) ** 2).mean()
    explained = 1 - spread(errors) / spread(returns) if spread(returns) > 0 else torch.tensor(0.0)
    weight = float(explained.clamp(0, 1))
    group = relative(rows, "group")
    return [weight * w + (1 - weight) * group[i] for i, w in enumerate(of_critic)]


def turn_advantages(rows, compare, gamma, divisor, apart=0, spread=False):
    turns = []
    for i, row in enumerate(rows):
        one = row["one"]
        sums = sums_of_turns(one)
        sums = sums[: len(sums) - apart]
        credit_of = shares(sums, gamma) if spread else None
        for k in range(len(sums)):
            value = credit_of[k] if spread else sum(gamma ** (j - k) * sums[j] for j in range(k, len(sums)))
            state = (7 * one["ends"][k] + k) % 3
            key = {"state": (row["group"], state), "index": (row["group"], k), "all": row["group"]}[compare]
            turns.append((i, k, key, float(value)))
    out = {}
    for i, k, key, value in turns:
        peers = torch.tensor([v for _, _, other, v in turns if other == key])
        if len(peers) == 1:
            out[i, k] = 0.0
        else:
            out[i, k] = float((value - peers.mean()) / (peers.std() + 1e-6 if divisor == "group" else 1))
    return [torch.tensor([out.get((i, turn_of(t, row["one"]["ends"])), 0.0) for t in row["spots"]]) for i, row in enumerate(rows)]


# With several critics, columns of the batch stand for what each says.
CRITICS = ("oldValues", "values", "returns")


def divergence(one, p):
    """What each loss token pays for its divergence from the reference at sampling."""
    x = own_column(one, "oldLogprobs") - own_column(one, "referenceLogprobs")
    near = x.clamp(-20, 20)
    kl = {"k1": x, "abs": x.abs(), "k2": x**2 / 2, "k3": ((-near).exp() + near - 1).clamp(max=10)}
    return p.get("klRewardCoefficient", 0) * kl[p.get("klRewardEstimator", "k1")]


def normalized(rows, by, method):
    """Totals as z-scores or less their mean; the last turn earns what is missing to the total."""
    key = {"state": lambda g: g, "batch": lambda g: 0, "tag": lambda g: g % 2}[by]
    out = []
    for row in rows:
        peers = torch.tensor([other["total"] for other in rows if key(other["group"]) == key(row["group"])])
        if len(peers) == 1:
            out.append(row)
            continue
        factor, total = 1.0, row["total"] - float(peers.mean())
        if method != "mean":
            deviation = float(peers.std())
            factor = 0.0 if deviation <= 1e-6 else 1 / (deviation + 1e-6)
            total = total * factor
        if method == "asymmetric-clip":
            total = max(-1.0, min(3.0, total))
        rewards = [reward * factor for reward in row["one"]["rewards"]]
        rewards[row["one"]["ends"][-1]] += UNIT * total - sum(rewards)
        out.append(dict(row, total=total, one=dict(row["one"], rewards=rewards)))
    return out


def undecided(rows, share):
    """Bits of the tokens among the most undecided ones of the batch, as many as are equal to the last included."""
    entropies = [own_column(row["one"], "entropies") for row in rows]
    every = torch.cat(entropies)
    count = max(1, -int(-(share * len(every) - 1e-9) // 1))
    least = torch.topk(every, count).values[-1]
    return [(own >= least).double() for own in entropies]


def sampler_weights(one, use, high, low=0.0):
    """Of each loss token: trainer over sampler, of the token or the product over its sequence, and what a bound makes of it."""
    gap = own_column(one, "oldLogprobs") - own_column(one, "referenceLogprobs")
    judged = gap.sum().expand(len(gap)) if use.startswith("sequence") else gap
    ratio = judged.clamp(-20, 20).exp()
    if use.endswith("truncated"):
        return ratio.clamp(max=high)
    return torch.where((ratio <= high) & (ratio >= low), ratio, torch.tensor(0.0))


def said(one, p):
    """Values of loss tokens: those of the critic, or what an ensemble makes of them."""
    every = torch.stack([own_column(one, name) for name in CRITICS[: p.get("critics", 1)]])
    if p.get("criticCombination") == "minimum":
        return every.min(dim=0).values
    return every.mean(dim=0) - p.get("criticPessimism", 0) * every.std(dim=0, unbiased=False)


def credit(name, p, rows):
    spread = lambda per: [per[i].expand(row["n"]) for i, row in enumerate(rows)]
    if p.get("baseline") == "role":
        return spread(averaged(rows, p["baselineMemory"]))
    if name == "remax":
        return spread(torch.tensor([row["total"] for row in rows]) - torch.tensor([greedy(row["group"]) for row in rows]))
    if name == "rloo":
        return spread(baseline_of(rows, p.get("baseline", "others")))
    if name == "dr-grpo":
        return spread(relative(rows, "none"))
    if name == "reinforce-plus-plus":
        if p.get("baseline") == "group":
            return whitened(spread(relative(rows, "none")))
        out, worth = [], []
        for row in rows:
            rewards, ends = placed(row["one"])
            paid = rewards[row["spots"]] - row["lost"]
            out.append(chain(paid, torch.zeros(row["n"]), p["gamma"], 1))
            worth.append(out[-1][turn_starts(row, ends)])
        return [torch.zeros(len(own)) for own in out] if earn_alike(worth) else whitened(out)
    if name in ("grpo", "ipo"):
        return spread(relative(rows, p.get("normalization", "none")))
    if p.get("outcome") == "last-turn":
        return split_advantages(rows, p)
    if name in ("gspo", "gmpo", "entropy-cov", "cispo", "dapo", "sapo"):
        return spread(relative(rows, "group"))
    if name in ("gigpo", "mt-grpo"):
        divisor = p.get("normalization", "group")
        compare = "state" if name == "gigpo" else p.get("compare", "index")
        turns = turn_advantages(rows, compare, p["turnGamma"], divisor, spread=p.get("spread", False))
        weight, outcome = (p["turnWeight"], 1) if name == "gigpo" else (1, p["outcomeWeight"])
        return [outcome * a + weight * b for a, b in zip(spread(relative(rows, divisor)), turns)]
    out, worth = [], []  # worth: what each turn earns from its start on
    for row in rows:
        rewards, ends = placed(row["one"])
        rewards[row["spots"]] -= row["lost"]
        values = torch.zeros(len(row["one"]["mask"]))
        values[row["spots"]] = said(row["one"], p)
        turns = [turn_of(t, ends) for t in row["spots"]]
        starts = turn_starts(row, ends)
        if name == "bi-level":
            sums = torch.stack([sum(rewards[t] for t, k in zip(row["spots"], turns) if k == m) for m in range(len(ends))])
            out.append(chain(sums, values[row["spots"]][starts], p["turnGamma"], p["lambda"])[turns])
            worth.append(chain(sums, torch.zeros(len(ends)), p["turnGamma"], 1))
            continue
        paid = rewards[row["spots"]]
        if name == "starpo":
            paid = torch.zeros(row["n"])
            last = [t for t in row["spots"] if t <= row["one"]["ends"][-1]] or row["spots"][:1]
            paid[row["spots"].index(last[-1])] = row["total"] + float(row["lost"].sum())
            paid = paid - row["lost"]
        out.append(chain(paid, values[row["spots"]], p["gamma"], p["lambda"]))
        worth.append(chain(paid, torch.zeros(row["n"]), p["gamma"], 1)[starts])
    of_critic = [torch.zeros(len(own)) for own in out] if earn_alike(worth) else whitened(out)
    if p.get("estimator") == "hybrid":
        return blended(rows, [own_column(row["one"], "oldValues") for row in rows], out, of_critic)
    return of_critic


def penalty(p, one, logp):
    """Divergence from the reference and entropy bonus."""
    x = logp - own_column(one, "referenceLogprobs")
    k3 = ((-x.clamp(-20, 20)).exp() + x.clamp(-20, 20) - 1).clamp(max=10)
    # value of k3 with the gradient of k2, unless k3 itself is asked for
    kl = k3 if p.get("klEstimator") == "k3" else k3.detach() + x**2 / 2 - (x**2 / 2).detach()
    return p["klCoefficient"] * kl - p.get("entropyCoefficient", 0) * own_column(one, "entropies")


def token_losses(name, p, logp, old, a):
    ratio = (logp - old).clamp(-20, 20).exp()
    if name == "ipo":
        keep = ((logp.exp() - old.exp()).abs() <= p["maxShift"]).double().detach()
        return -keep * ratio * a + p["pull"] * (logp - old) ** 2
    if name == "cispo":
        return -(ratio.clamp(1 - p["clipLow"], 1 + p["clipHigh"]).detach() * a * logp)
    if name == "sapo":
        tau = torch.where(a > 0, torch.tensor(float(p["temperatureGood"])), torch.tensor(float(p["temperatureBad"])))
        return -(torch.sigmoid(tau * (ratio - 1)) * 4 / tau * a)
    low, high = 0.2, 0.28 if name == "dapo" else 0.2
    loss = -torch.minimum(ratio * a, ratio.clamp(1 - low, 1 + high) * a)
    if (name == "rloo" and p.get("dualClip")) or name in ("bi-level", "starpo", "ppo") or (name == "grpo" and p.get("dualClip", 3)):  # those with a dual clip, by default or by CASES
        loss = torch.where(a < 0, torch.minimum(loss, -3 * a), loss)
    return loss


def held_back(p, rows, advantages):
    """Tokens that lower the entropy most; with share 1, every one between the bounds that PPO does not clip."""
    logp = torch.cat([own_column(row["one"], "logprobs") for row in rows])
    old = torch.cat([own_column(row["one"], "oldLogprobs") for row in rows])
    a = torch.cat(list(advantages)).float().double()  # columns are float32
    cov = (logp - logp.mean()) * (a - a.mean())
    held = torch.zeros(len(cov))
    if p.get("remedy") == "penalty":
        count = max(1, int(p["share"] * len(cov) + 1e-9))
        order = sorted(range(len(cov)), key=lambda i: (-float(cov[i]), i))
        held[order[:count]] = 1
    else:
        ratio = (logp - old).exp()
        clipped = ((a > 0) & (ratio > 1.2)) | ((a < 0) & (ratio < 0.8))
        held[(cov > p["low"]) & (cov < p["high"]) & ~clipped] = 1
    return torch.split(held, [row["n"] for row in rows])


def weights_of(rows, mode, constant=None):
    tokens = sum(row["n"] for row in rows)
    share = {"token-mean": lambda n: 1 / tokens, "sequence-mean-token-mean": lambda n: 1 / (len(rows) * n),
             "sequence-mean-token-sum": lambda n: 1 / len(rows), "sequence-mean-constant": lambda n: 1 / (len(rows) * constant),
             "sum-constant": lambda n: 1 / constant}[mode]
    return [share(row["n"]) for row in rows]


def project(values):
    j = torch.arange(len(values))
    return float((values * (((37 * j) % 101) / 101 - 0.45)).sum())


def prepare(case, trajectories, settings={}):
    """The trajectories that a case learns from, with their credit."""
    name, p = CASES[case]
    groups = {}
    if REWARDS.get(case) == "magnitudes":
        trajectories = [dict(one, rewards=[abs(reward) for reward in one["rewards"]]) for one in trajectories]
    for one in trajectories:
        groups.setdefault(one["group"], []).append(one)
    compares = (name not in ("bi-level", "starpo", "ppo", "remax") or p.get("estimator") == "hybrid") and p.get("baseline") != "role" and not (name == "reinforce-plus-plus" and p.get("baseline") != "group")
    def is_kept(own):
        totals = {sum(one["rewards"]) for one in own}
        return not (compares and len(own) == 1) and not (name == "dapo" and len(totals) == 1)
    rows = [
        dict(one=one, group=one["group"], total=sum(one["rewards"]) / UNIT, n=sum(one["mask"]), case=case,
             spots=[t for t, bit in enumerate(one["mask"]) if bit])
        for one in trajectories if is_kept(groups[one["group"]]) and sum(one["mask"])
    ]
    if not rows:
        return []
    if "rewardNormalization" in settings:
        rows = normalized(rows, **settings["rewardNormalization"])
    for row in rows:
        row["lost"] = divergence(row["one"], p)
        row["total"] -= float(row["lost"].sum())
    advantages = credit(name, p, rows)
    counted = [torch.ones(row["n"]) for row in rows]
    if "topEntropyShare" in settings:
        counted = undecided(rows, settings["topEntropyShare"])
        advantages = [a * bits for a, bits in zip(advantages, counted)]
    held = held_back(p, rows, advantages) if name == "entropy-cov" else [None] * len(rows)
    return [dict(row, advantages=a, held=h, counted=c > 0) for row, a, h, c in zip(rows, advantages, held, counted)]


def loss_of(row, w, logp):
    """Σ weight · loss of a trajectory."""
    name, p = CASES[row["case"]]
    a, held_own = row["advantages"], row["held"]
    old = own_column(row["one"], "oldLogprobs")
    if name == "gspo":
        ratio = (logp - old).mean().exp()
        total = row["n"] * w * -torch.minimum(ratio * a[0], ratio.clamp(1 - p["clipLow"], 1 + p["clipHigh"]) * a[0])
    elif name == "gmpo":
        # the mean goes over the tokens that count, and each of them has it
        x, count = (logp - old)[row["counted"]], int(row["counted"].sum())
        a = a[row["counted"]][0] if count else torch.tensor(0.0)
        clamped = x.clamp(-p["clipLow"], p["clipHigh"])
        bounded = torch.where(a * x < a * clamped, x, clamped) if a != 0 else x
        total = count * w * -bounded.mean().exp() * a.float() if count else 0 * logp.sum()  # its column is float32
    elif name == "entropy-cov" and p.get("remedy") == "penalty":
        plain = -(logp - old).clamp(-20, 20).exp() * a
        total = (w * (plain + held_own * p["coefficient"] * (logp - old).abs())).sum()
    elif name == "entropy-cov":
        total = (w * (1 - held_own) * token_losses(name, p, logp, old, a)).sum()
    else:
        total = (w * token_losses(name, p, logp, old, a)).sum()
    if p.get("klCoefficient"):
        total = total + (w * penalty(p, row["one"], logp)).sum()
    return total


def run(case, batch):
    trajectories = batch["trajectories"]
    parts = MIXTURES.get(case)
    base, settings = SETTINGS.get(case, (case, {}))
    if parts is None:
        rows = prepare(base, trajectories, settings)
    else:
        own = [prepare(part, [one for one in trajectories if one["group"] % 2 == odd]) for odd, part in enumerate(parts)]
        place = {id(one): index for index, one in enumerate(trajectories)}
        rows = sorted(own[0] + own[1], key=lambda row: place[id(row["one"])])
    if not rows:
        return None
    weights = weights_of(rows, settings.get("lossAggregation", batch["options"]["aggregation"]), settings.get("lossConstant"))
    if "samplerCorrection" in settings:
        rule = settings["samplerCorrection"]
        corrections = [sampler_weights(row["one"], rule["use"], rule["maxRatio"], rule.get("minRatio", 0)) for row in rows]
        weights = [w * own for w, own in zip(weights, corrections)]
    logps = [own_column(row["one"], "logprobs").requires_grad_() for row in rows]
    total = torch.zeros(())
    for row, w, logp in zip(rows, weights, logps):
        total = total + loss_of(row, w, logp)
    total.backward()
    advantages = torch.cat([row["advantages"] for row in rows])
    return [project(advantages), total.item(), project(torch.cat([logp.grad for logp in logps]))]


def main():
    batches = [json.loads(line) for line in gzip.decompress((HERE / "batches.jsonl.gz").read_bytes()).splitlines()]
    count = int(sys.argv[1]) if len(sys.argv) > 1 else len(batches)
    short = lambda numbers: numbers and [float(f"{x:.11g}") for x in numbers]
    lines = [json.dumps({case: short(run(case, batch)) for case in [*CASES, *MIXTURES, *SETTINGS]}, separators=(",", ":")) for batch in batches[:count]]
    head = json.dumps({"torch": torch.__version__, "cases": {c: {"use": n, **p} for c, (n, p) in CASES.items()}, "rewards": REWARDS, "mixtures": MIXTURES,
                       "settings": {s: {"case": base, "update": own} for s, (base, own) in SETTINGS.items()}})
    text = "\n".join([head, *lines]) + "\n"
    (HERE / "torch.jsonl.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{count} batches, {len(CASES) + len(MIXTURES) + len(SETTINGS)} cases")


if __name__ == "__main__":
    main()
