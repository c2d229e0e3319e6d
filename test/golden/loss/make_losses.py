"""Draws 1,000 ragged batches and writes what the formulas in reference.py make of them.

    python test/golden/loss/make_losses.py

Writes, one JSON object per line and batch: batches.jsonl.gz (what was drawn), terms.jsonl.gz (every loss term),
credit.jsonl.gz (every estimator), algorithms.jsonl.gz (whole algorithms, options one by one). The same Python and C
library write the same bytes. Needs only Python; ../README.md explains the fields.

Drawn numbers are whole multiples of 1/1024: exact in float32 and float64 alike, so that every case distinction falls the
same way everywhere. A batch in which one falls on a kink is drawn again. Each derivative is compared with a central
difference before anything is written.
"""

import gzip
import json
import random
from fractions import Fraction
from math import fsum
from pathlib import Path

from reference import (
    ESTIMATORS, Kink, counted_only, credit_metrics, critic, discounted, earn_alike, entropy, explained_variance, kl,
    most_uncertain, nll, relative, root, surrogate, token_weights, two_level, whitened,
)

HERE = Path(__file__).resolve().parent
COUNT, SEED, UNIT = 1000, 20260211, 1024
MODES = ("token-mean", "sequence-mean-token-mean", "sequence-mean-token-sum")
TOKEN_COLUMNS = ("logprobs", "oldLogprobs", "referenceLogprobs", "entropies", "advantages", "values", "oldValues", "returns")

PPO = dict(gamma=1, **{"lambda": 1}, turnGamma=None, clipLow=0.2, clipHigh=0.2, dualClip=3, valueClip=0.5,
           entropyCoefficient=0, klCoefficient=0, klEstimator="k3-straight-through")
GRPO = dict(normalization="batch", clipLow=0.2, clipHigh=0.2, dualClip=3, entropyCoefficient=0, klCoefficient=0,
            klEstimator="k3-straight-through")
STARPO_S = dict(keepRatio=0.25, estimator="gae", normalization="batch", gamma=1, **{"lambda": 1}, clipLow=0.2,
                clipHigh=0.28, entropyCoefficient=0.001)
PENALTIES = [dict(klCoefficient=c, klEstimator=e) for c, e in zip((0.04, 0.1, 0.001, 0.04, 0.01), ESTIMATORS)]
OPTIONS = {
    "ppo": [{}, dict(gamma=0.95), {"lambda": 0.9}, dict(turnGamma=0.95), {"turnGamma": 0.9, "gamma": 0.99, "lambda": 0.8},
            dict(clipLow=0.1), dict(clipHigh=0.3), dict(dualClip=0), dict(dualClip=1.5), dict(valueClip=0),
            dict(valueClip=0.2), dict(entropyCoefficient=0.01), *PENALTIES,
            {"gamma": 0.9, "lambda": 0.95, "clipLow": 0.3, "clipHigh": 0.4, "entropyCoefficient": 0.05, **PENALTIES[3]}],
    "grpo": [{}, dict(normalization="group"), dict(normalization="none"), dict(clipLow=0.1), dict(clipHigh=0.28),
             dict(dualClip=0), dict(dualClip=2), dict(entropyCoefficient=0.01), *PENALTIES,
             dict(normalization="group", dualClip=0, klCoefficient=0.04, klEstimator="k3")],
    "starpo-s": [{}, dict(keepRatio=0.5), dict(keepRatio=1), dict(estimator="group"),
                 dict(estimator="group", normalization="group"), dict(estimator="group", normalization="none"),
                 {"gamma": 0.95, "lambda": 0.9}, dict(clipLow=0.1), dict(clipHigh=0.4), dict(entropyCoefficient=0)],
}
DEFAULTS = {"ppo": PPO, "grpo": GRPO, "starpo-s": STARPO_S}


# Drawing.


def draw_trajectory(rng, group, luck):
    """Turns of some sampled tokens behind an observation; rewards at the last sampled token of a turn."""
    mask, ends, rewards = [], [], []
    for _ in range(rng.randint(1, 3)):
        mask += [0] * rng.randint(0, 3)
        mask += [int(rng.random() < luck) for _ in range(rng.randint(1, 4))]
        ends.append(len(mask) - 1)
        rewards += [0] * (len(mask) - len(rewards) - 1) + [rng.choice((0, 0, UNIT, 10 * UNIT, -102, rng.randint(-UNIT, UNIT)))]
    mask += [0] * rng.randint(0, 2)  # a template after the last turn
    rewards += [0] * (len(mask) - len(rewards))
    return dict(group=group, mask=mask, ends=ends, rewards=rewards)


def draw_token(rng, flavour):
    logprob = -rng.randint(0, 8 * UNIT)
    spread = rng.choice((60, 400, 400, 1500))
    step = 0 if flavour == "first update" or rng.random() < 0.1 else round(rng.gauss(0, spread))
    if flavour == "wild" and rng.random() < 0.2:
        step = rng.choice((-1, 1)) * rng.randint(5 * UNIT, 28 * UNIT)
    away = 0 if rng.random() < 0.15 else round(rng.gauss(0, rng.choice((60, 600))))
    if flavour == "wild" and rng.random() < 0.1:
        away = rng.choice((-1, 1)) * rng.randint(5 * UNIT, 28 * UNIT)
    highest = max(logprob, logprob - step, logprob - away, 0)
    logprob -= highest  # nothing is more likely than certain
    old_value = rng.randint(-2 * UNIT, 3 * UNIT)
    moved = 0 if flavour == "first update" else round(rng.gauss(0, 600))
    return dict(
        logprobs=logprob, oldLogprobs=logprob - step, referenceLogprobs=logprob - away, entropies=rng.randint(0, 5 * UNIT),
        advantages=0 if rng.random() < 0.15 else rng.randint(-3 * UNIT, 3 * UNIT), values=old_value + moved,
        oldValues=old_value, returns=rng.choice((old_value, rng.randint(-3 * UNIT, 12 * UNIT))),
    )


def draw_batch(rng):
    flavour = rng.choice(("usual", "usual", "usual", "first update", "wild"))
    trajectories = []
    for group in range(rng.randint(1, 4)):
        luck = rng.choice((0.5, 0.8, 1))
        size = rng.randint(1, 3)
        own = [draw_trajectory(rng, 7 * group, luck) for _ in range(size)]
        if rng.random() < 0.2:  # all the same total, by the same way or another
            for one in own:
                one["rewards"] = [0] * len(one["mask"])
                one["rewards"][rng.choice(one["ends"])] = UNIT
        trajectories += own
    if flavour == "usual" and rng.random() < 0.05:  # nobody got anything
        for one in trajectories:
            one["rewards"] = [0] * len(one["mask"])
    if not any(sum(one["mask"]) for one in trajectories):
        trajectories[-1]["mask"][trajectories[-1]["ends"][-1]] = 1
    for one in trajectories:
        tokens = [draw_token(rng, flavour) for bit in one["mask"] if bit]
        one["columns"] = {name: [token[name] for token in tokens] for name in TOKEN_COLUMNS}
    options = dict(
        aggregation=rng.choice(MODES), clipLow=rng.choice((0.1, 0.2, 0.3)), clipHigh=rng.choice((0.2, 0.28, 0.4)),
        dualClip=rng.choice((1.1, 1.5, 3)), entropyCoefficient=rng.choice((0, 0.001, 0.02)),
        klCoefficient=rng.choice((0.001, 0.04, 1)), valueClip=rng.choice((0.2, 0.5)), gamma=rng.choice((1, 0.99, 0.9, 0)),
        **{"lambda": rng.choice((1, 0.95, 0.5, 0))}, turnGamma=rng.choice((1, 0.95, 0.5)),
        bootstrap=rng.choice((0, 0, rng.randint(-UNIT, UNIT))), keepPercent=rng.choice((25, 50, 75, 100)),
    )
    return dict(options=options, trajectories=trajectories)


# Expected numbers. Sums over a batch are Σ weight · term; gradients are of that sum.


def column(batch, name):
    return [x / UNIT for one in batch["trajectories"] for x in one["columns"][name]]


def weights_of(batch, mode):
    counts = [sum(one["mask"]) for one in batch["trajectories"]]
    shares = token_weights(counts, mode)
    return [float(s) for s in shares], [float(s) for s, n in zip(shares, counts) for _ in range(n)]


def aggregate(weights, terms):
    """Joins (loss, {input: derivative}, metrics) of every token."""
    metrics = {name: fsum(w * m[name] for w, (_, _, m) in zip(weights, terms)) for name in terms[0][2]}
    gradients = {name: [w * d[name] for w, (_, d, _) in zip(weights, terms)] for name in terms[0][1]}
    return dict(loss=fsum(w * loss for w, (loss, _, _) in zip(weights, terms)), metrics=metrics, gradients=gradients)


def wrt(name, term, factor=1.0):
    loss, derivative, metrics = term
    return factor * loss, {name: factor * derivative}, metrics


def joined(*terms):
    gradients = {"logprobs": 0.0, "entropies": 0.0}
    for _, own, _ in terms:
        for name, derivative in own.items():
            gradients[name] += derivative
    return fsum(loss for loss, _, _ in terms), gradients, {k: v for _, _, m in terms for k, v in m.items()}


def check_derivative(term, at, step=2e-6):
    (above, _, _), (below, _, _), (_, derivative, _) = term(at + step), term(at - step), term(at)
    if abs((above - below) / (2 * step) - derivative) > 1e-6 * max(1, abs(derivative), abs(above) * 1e-2):
        raise SystemExit(f"derivative {derivative} at {at}; central difference {(above - below) / (2 * step)}")


def expect_terms(batch):
    o, columns = batch["options"], {name: column(batch, name) for name in TOKEN_COLUMNS}
    per_sequence, weights = weights_of(batch, o["aggregation"])
    tokens = [dict(zip(columns, row)) for row in zip(*columns.values())]
    clips = o["clipLow"], o["clipHigh"]
    of_logprob = {
        "nll": lambda t: lambda x: nll(x, t["entropies"]),
        "surrogate": lambda t: lambda x: surrogate(x, t["oldLogprobs"], t["advantages"], *clips, 0),
        "surrogate-dual": lambda t: lambda x: surrogate(x, t["oldLogprobs"], t["advantages"], *clips, o["dualClip"]),
        **{f"kl-{e}": lambda t, e=e: lambda x: kl(x, t["referenceLogprobs"], e) for e in ESTIMATORS},
    }
    factors = {f"kl-{e}": o["klCoefficient"] for e in ESTIMATORS}
    expected = {}
    for name, term in of_logprob.items():
        for t in tokens:
            at_kink = name == "kl-abs" and t["logprobs"] == t["referenceLogprobs"]
            if name != "kl-k3-straight-through" and not at_kink:
                check_derivative(term(t), t["logprobs"])
        expected[name] = aggregate(weights, [wrt("logprobs", term(t)(t["logprobs"]), factors.get(name, 1)) for t in tokens])
    expected["entropy"] = aggregate(weights, [wrt("entropies", entropy(t["entropies"], o["entropyCoefficient"])) for t in tokens])
    for name, bound in (("value", 0), ("value-clip", o["valueClip"])):
        term = lambda t: lambda x: critic(x, t["oldValues"], t["returns"], bound)
        for t in tokens:
            check_derivative(term(t), t["values"])
        expected[name] = aggregate(weights, [wrt("values", term(t)(t["values"])) for t in tokens])
    return dict(weights=per_sequence, **expected)


def exact(batch):
    """Per trajectory the exact numbers of credit: values and rewards of counted tokens, turns, total, group."""
    rows = []
    for one in batch["trajectories"]:
        spread = iter(one["columns"]["oldValues"])
        values = [Fraction(next(spread), UNIT) if bit else Fraction(0) for bit in one["mask"]]
        rewards = [Fraction(r, UNIT) for r in one["rewards"]]
        rows.append((*counted_only(one["mask"], rewards, one["ends"], values), sum(rewards, Fraction(0)), one["group"]))
    return rows


def group_totals(rows):
    groups = list(dict.fromkeys(row[4] for row in rows))
    return groups, [[row[3] for row in rows if row[4] == g] for g in groups]


def critic_advantages(rows, gamma, lam, turn_gamma, after=Fraction(0)):
    gamma, lam = Fraction(gamma), Fraction(lam)
    if turn_gamma is None:
        return [discounted(rewards, values, gamma, lam, after) for values, rewards, *_ in rows]
    return [two_level(rewards, values, turns, gamma, lam, Fraction(turn_gamma)) for values, rewards, turns, *_ in rows]


def flat(lists):
    return [x for own in lists for x in own]


def expect_credit(batch):
    o, rows = batch["options"], exact(batch)
    expected = {}
    after = Fraction(o["bootstrap"], UNIT)
    for name, advantages in (
        ("gae", critic_advantages(rows, o["gamma"], o["lambda"], None, after)),
        ("biLevel", critic_advantages(rows, o["gamma"], o["lambda"], o["turnGamma"])),
    ):
        targets = [a + v for own, row in zip(advantages, rows) for a, v in zip(own, row[0])]
        expected[name] = dict(
            advantages=[float(a) for a in flat(advantages)], returns=[float(r) for r in targets],
            metrics={**credit_metrics(flat(advantages)),
                     "critic/explained_variance": explained_variance(flat(row[0] for row in rows), targets)})
    expected["whitened"] = whitened(flat(critic_advantages(rows, o["gamma"], o["lambda"], None, after)))
    totals, groups = [row[3] for row in rows], [row[4] for row in rows]
    expected["relative"] = {n: relative(totals, groups, n) for n in ("group", "batch", "none")}
    kept, deviations = most_uncertain(group_totals(rows)[1], o["keepPercent"])
    expected["filter"] = dict(kept=kept, deviations=deviations)
    return expected


def expect_algorithm(name, batch, changed):
    """Selection over all attempts; then attempts without a counted token drop out; credit; losses of what is left."""
    p, mode = {**DEFAULTS[name], **changed}, batch["options"]["aggregation"]
    rows = exact(batch)
    groups, totals = group_totals(rows)
    kept = most_uncertain(totals, round(100 * p["keepRatio"]))[0] if "keepRatio" in p else list(range(len(groups)))
    if name == "grpo" or p.get("estimator") == "group":  # one alone has nothing to be compared with
        kept = [k for k in kept if len(totals[k]) > 1]
    chosen = [i for i, row in enumerate(rows) if row[0] and row[4] in [groups[k] for k in kept]]
    if not chosen:
        return dict(params=changed, kept=kept)
    rows = [rows[i] for i in chosen]
    lengths = [len(row[0]) for row in rows]
    part = dict(trajectories=[batch["trajectories"][i] for i in chosen])
    shares, weights = weights_of(part, mode)
    columns = {c: column(part, c) for c in TOKEN_COLUMNS}
    result = dict(params=changed, kept=kept, weights=shares)
    if name == "ppo" or p.get("estimator") == "gae":
        raw = critic_advantages(rows, p["gamma"], p["lambda"], p.get("turnGamma"))
        targets = [a + v for own, row in zip(raw, rows) for a, v in zip(own, row[0])]
        alike = earn_alike(rows, Fraction(p["gamma"]), p.get("turnGamma") and Fraction(p["turnGamma"]))
        advantages = [0.0] * len(flat(raw)) if alike else whitened(flat(raw))
        metrics = {**credit_metrics(flat(raw)),
                   "critic/explained_variance": explained_variance(flat(row[0] for row in rows), targets)}
        bound = p.get("valueClip", 0.5)
        result["returns"] = [float(r) for r in targets]
        result["critic"] = aggregate(weights, [
            wrt("values", critic(v, old, target, bound))
            for v, old, target in zip(columns["values"], columns["oldValues"], result["returns"])])
    else:
        own = [row[3] for row in rows], [row[4] for row in rows]
        advantages = flat([a] * n for a, n in zip(relative(*own, p["normalization"]), lengths))
        centred = relative(*own, "none")
        metrics = credit_metrics(flat([Fraction(a)] * n for a, n in zip(centred, lengths)))
    coefficient = p.get("klCoefficient", 0)
    terms = []
    for new, old, ref, h, a in zip(columns["logprobs"], columns["oldLogprobs"], columns["referenceLogprobs"],
                                   columns["entropies"], advantages):
        own = [wrt("logprobs", surrogate(new, old, a, p["clipLow"], p["clipHigh"], p.get("dualClip", 3))),
               wrt("entropies", entropy(h, p["entropyCoefficient"]))]
        if coefficient:
            own.append(wrt("logprobs", kl(new, ref, p["klEstimator"]), coefficient))
        terms.append(joined(*own))
    return {**result, "advantages": advantages, "metrics": metrics, "policy": aggregate(weights, terms)}


def expect_algorithms(batch, index):
    return {name: expect_algorithm(name, batch, options[index % len(options)]) for name, options in OPTIONS.items()}


# Writing.


def short(value):
    """Thirteen significant digits: a hundred times finer than the tolerance of the tests."""
    if isinstance(value, float):
        return float(f"{value:.13g}") if value else 0
    if isinstance(value, dict):
        return {k: short(v) for k, v in value.items()}
    return [short(v) for v in value] if isinstance(value, list) else value


def write(name, lines):
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (HERE / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main():
    rng = random.Random(SEED)
    files = dict(batches=[], terms=[], credit=[], algorithms=[])
    redrawn = 0
    while len(files["batches"]) < COUNT:
        batch = draw_batch(rng)
        try:
            expected = expect_terms(batch), expect_credit(batch), expect_algorithms(batch, len(files["batches"]))
        except Kink:
            redrawn += 1
            continue
        for lines, line in zip(files.values(), (batch, *map(short, expected))):
            lines.append(line)
    for name, lines in files.items():
        write(name, lines)
    print(f"{COUNT} batches, {sum(sum(t['mask']) for b in files['batches'] for t in b['trajectories'])} counted tokens;"
          f" {redrawn} drawn again")


if __name__ == "__main__":
    main()
