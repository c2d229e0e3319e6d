"""Plays ALFWorld's game and generated levels with TextWorld itself, and writes down what it says.

    pip install textworld[pddl]
    node write-levels.mjs > levels.json
    python make_transcripts.py $HOUSEHOLD_DATA levels.json > transcripts.json

$HOUSEHOLD_DATA has ALFWorld's alfred.pddl, alfred.twl2 and game.tw-pddl. Each transcript is a walk: commands with the answer, what
became admissible and what no longer is, and whether the game is won.
"""

import json
import os
import random
import re
import sys
import tempfile
from collections import Counter

data, levels_file = sys.argv[1:3]  # TextWorld replaces sys.argv

from textworld import EnvInfos  # noqa: E402
from textworld.envs.pddl import PddlEnv  # noqa: E402


def read(name):
    with open(os.path.join(data, name)) as file:
        return file.read()


def kind_of(id):
    return id.split("_bar_", 1)[0] + ("basin" if "basin" in id else "")


def name_all(ids):
    """ALFWorld's numbers count down in the order of the identifiers."""
    left = Counter(kind_of(id) for id in ids if "_bar_" in id)
    names = {}
    for id in sorted(ids):
        if "_bar_" in id:
            names[id] = f"{kind_of(id)} {left[kind_of(id)]}"
            left[kind_of(id)] -= 1
        else:
            names[id] = id
    return names


def start(game):
    with tempfile.NamedTemporaryFile("w", suffix=".tw-pddl") as file:
        json.dump(game, file)
        file.flush()
        env = PddlEnv(EnvInfos(won=True, admissible_commands=True))
        env.load(file.name)
    names = name_all([info.id for info in env._entity_infos.values()])
    for info in env._entity_infos.values():
        info.name = names[info.id]
    return env


GOALS = {
    "pick_two_obj_and_place": "(exists (?r - receptacle) (exists (?o1 - object) (and (objectType ?o1 {thing}type)"
    " (receptacleType ?r {target}type) (inReceptacle ?o1 ?r) (exists (?o2 - object) (and (not (= ?o1 ?o2))"
    " (objectType ?o2 {thing}type) (receptacleType ?r {target}type) (inReceptacle ?o2 ?r))))))",
    "look_at_obj_in_light": "(exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and (objectType ?ot {target}type)"
    " (toggleable ?ot) (isToggled ?ot) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)))"
    " (exists (?o - object ?a - agent) (and (objectType ?o {thing}type) (holds ?a ?o)))",
}
STATES = {"clean": "(isClean ?o)", "heat": "(isHot ?o)", "cool": "(isCool ?o)"}


def goal_of(task):
    text = GOALS.get(task["type"])
    if text is None:
        treatment = task["type"].split("_")[1]
        text = (
            "(exists (?r - receptacle) (exists (?o - object) (and (objectType ?o {thing}type)"
            " (receptacleType ?r {target}type) " + STATES.get(treatment, "") + " (inReceptacle ?o ?r))))"
        )
    return f"(:goal (and {text.format(**task)}))"


TYPES = {
    "atlocation": ("agent", "location"),
    "receptacletype": ("receptacle", "rtype"),
    "receptacleatlocation": ("receptacle", "location"),
    "objecttype": ("object", "otype"),
    "cancontain": ("rtype", "otype"),
}


def game_of(level):
    objects = {f"{kind}type": "rtype" for kind in ("sinkbasin", "microwave", "fridge")}
    objects |= {"knifetype": "otype", "butterknifetype": "otype"}
    for name, *args in level["facts"]:
        objects.update(zip(args, TYPES.get(name, ())))
    lines = [f"{name} - {type}" for name, type in objects.items()]
    facts = [f"({' '.join(fact)})" for fact in level["facts"]]
    problem = "\n".join(
        ["(define (problem level) (:domain alfred)", "(:objects", *lines, ")", "(:init", *facts, ")", goal_of(level["task"]), ")"]
    )
    grammar = read("alfred.twl2").replace("Your task is to: UNKNOWN GOAL.", level["sentence"])
    return {"pddl_domain": read("alfred.pddl"), "grammar": grammar, "pddl_problem": problem}


NONSENSE = ["go to nowhere 1", "take", "LOOK", "open", "use desklamp", "move", "examine countertop 1 ", "heat"]


def choose(rng, commands):
    if rng.random() < 0.08:
        return rng.choice(NONSENSE)
    if rng.random() < 0.35:
        return rng.choice([one for one in commands if one.startswith("go")])
    quiet = ("go", "look", "help", "inventory")
    lively = [one for one in commands if not one.startswith(quiet)]
    return rng.choice(lively if lively and rng.random() < 0.85 else commands)


def play(env, choose_next, own):
    """Walks until `choose_next` returns None; `own` turns TextWorld's commands into an agent's own."""
    state = env.reset()
    walk = {"intro": state.feedback, "commands": own(state.admissible_commands), "steps": []}
    before = walk["commands"]
    while (command := choose_next(before)) is not None:
        state, _, done = env.step(own.prefix + command)
        now = own(state.admissible_commands)
        walk["steps"].append(
            [command, state.feedback, sorted(set(now) - set(before)), sorted(set(before) - set(now)), bool(done)]
        )
        before = now
        if done:
            break
    return walk


# every state of a thing, and a mug that lies in two receptacles
TOUR = """go to countertop 1
take knife 1 from countertop 1
slice tomato 1 with knife 1
slice bread 1 with knife 1
examine knife 1
move knife 1 to countertop 1
take tomato 1 from countertop 1
examine tomato 1
go to fridge 1
cool tomato 1 with fridge 1
examine tomato 1
go to sinkbasin 1
clean tomato 1 with sinkbasin 1
examine tomato 1
go to microwave 1
heat tomato 1 with microwave 1
examine tomato 1
open microwave 1
move tomato 1 to microwave 1
close microwave 1
go to countertop 2
take apple 1 from countertop 2
go to fridge 1
cool apple 1 with fridge 1
examine apple 1
go to microwave 1
heat apple 1 with microwave 1
examine apple 1
go to sinkbasin 1
clean apple 1 with sinkbasin 1
examine apple 1
clean apple 1 with sinkbasin 1
go to fridge 1
open fridge 1
cool apple 1 with fridge 1
examine apple 1
move apple 1 to fridge 1
examine fridge 1
close fridge 1
go to coffeemachine 1
go to countertop 2
take mug 2 from coffeemachine 1
look
examine countertop 2
move mug 2 to countertop 2
look
take mug 2 from countertop 2
move mug 2 to coffeemachine 1
look
inventory
go to countertop 1
take bread 1 from countertop 1
examine bread 1
look
help""".split("\n")


class Own:
    def __init__(self, prefix=""):
        self.prefix = prefix

    def __call__(self, commands):
        return [one[len(self.prefix) :] for one in commands if one.startswith(self.prefix)]


def walks(env, plan, seed, steps, own):
    rng = random.Random(seed)
    count = iter(range(steps))
    following = iter(plan)
    found = [play(env, lambda commands: choose(rng, commands) if next(count, None) is not None else None, own)]
    return found + ([play(env, lambda _: next(following, None), own)] if plan else [])


def main():
    with open(levels_file) as file:
        levels = json.load(file)
    out = []
    for seed, level in enumerate(levels):
        out.append({**level, "walks": walks(start(game_of(level)), level["plan"], seed, 60, Own())})
        del out[-1]["plan"]
    # the game of three agents: the first plays, and the others stand by; its grammar has older sentences
    game = json.loads(read("game.tw-pddl"))
    env = start(game)
    solution = [
        "go to countertop 2",
        "take potato 2 from countertop 2",
        "go to microwave 1",
        "heat potato 2 with microwave 1",
        "go to sinkbasin 1",
        "put potato 2 in/on sinkbasin 1",
    ]
    alfworld = [walk for seed in (1, 2) for walk in walks(env, solution if seed == 1 else [], seed, 80, Own("alice: "))]
    # the same for a single agent, in the sentences of today
    problem = re.sub(r"\n\s*\(atLocation (bob|charlie) .*", "", re.sub(r"\n(bob|charlie) - agent", "", game["pddl_problem"]))
    grammar = read("alfred.twl2").replace("UNKNOWN GOAL", "put a hot potato in sinkbasin")
    single = start({"pddl_domain": read("alfred.pddl"), "grammar": grammar, "pddl_problem": problem})
    solution[-1] = "move potato 2 to sinkbasin 1"
    tour = iter(TOUR)
    toured = play(single, lambda _: next(tour, None), Own())
    today = [toured] + [walk for seed in (3, 4, 5) for walk in walks(single, solution if seed == 3 else [], seed, 80, Own())]
    json.dump({"levels": out, "alfworld": alfworld, "today": today}, sys.stdout, separators=(",", ":"))


main()
