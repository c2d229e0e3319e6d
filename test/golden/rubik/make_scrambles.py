"""Scrambled cubes with NumPy's draws. Turns are written as cycles of stickers, by hand: faces U L F R B D, four stickers
each in reading order of the unfolded cube, so sticker = 4 * face + place. The draws are RAGEN-2's; its turn B is not a turn
of a cube, as it moves 4 to 23 and 6 to 22 and so tears two corners apart: here B is the physical turn."""
import json
import os

import numpy as np

CYCLES = {  # the sticker of each place moves to the next place
    "U": ["0 1 3 2", "8 4 16 12", "9 5 17 13"],
    "D": ["20 21 23 22", "10 14 18 6", "11 15 19 7"],
    "L": ["4 5 7 6", "0 8 20 19", "2 10 22 17"],
    "R": ["12 13 15 14", "9 1 18 21", "11 3 16 23"],
    "F": ["8 9 11 10", "2 12 21 7", "3 14 20 5"],
    "B": ["16 17 19 18", "1 4 22 15", "0 6 23 13"],
}
TURNS = [face + prime for face in "UDLRFB" for prime in ("", "'")]


def turn(cube, name):
    for _ in range(3 if name.endswith("'") else 1):
        cube = list(cube)
        before = list(cube)
        for cycle in CYCLES[name[0]]:
            places = list(map(int, cycle.split()))
            for here, there in zip(places, places[1:] + places[:1]):
                cube[there] = before[here]
    return cube


def scramble(seed, depth):
    rng = np.random.default_rng(seed)
    cube = [face for face in range(6) for _ in range(4)]
    names = []
    for _ in range(depth):
        names.append(TURNS[int(rng.integers(1, 13)) - 1])
        cube = turn(cube, names[-1])
    return {"seed": seed, "depth": depth, "turns": " ".join(names), "cube": "".join("WOGRBY"[color] for color in cube)}


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scrambles.json"), "w") as file:
    cubes = [scramble(seed, depth) for depth in (1, 2, 5, 20) for seed in [*range(10), 123, 10000, 2**32 - 1]]
    file.write("[\n" + ",\n".join(json.dumps(cube, separators=(",", ":")) for cube in cubes) + "\n]\n")
