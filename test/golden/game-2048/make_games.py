"""Games of 2048 with NumPy's draws, by an implementation of its own: rows are rotated so that every move slides left."""
import json
import os

import numpy as np

SIZE = 4


def left(row):
    tiles = [value for value in row if value]
    out, gained = [], 0
    while tiles:
        if len(tiles) > 1 and tiles[0] == tiles[1]:
            out.append(2 * tiles[0])
            gained += 2 * tiles[0]
            tiles = tiles[2:]
        else:
            out.append(tiles.pop(0))
    return out + [0] * (len(row) - len(out)), gained


def move(grid, action):  # 0 up, 1 right, 2 down, 3 left
    turns = {3: 0, 0: 1, 1: 2, 2: 3}[action]
    turned = np.rot90(grid, turns)
    rows = [left(list(map(int, row))) for row in turned]
    return np.rot90(np.array([row for row, _ in rows]), -turns), sum(gained for _, gained in rows)


def spawn(grid, rng):
    empty = np.argwhere(grid == 0)
    if len(empty):
        row, column = empty[rng.integers(0, len(empty))]
        grid[row, column] = 2 if rng.random() < 0.9 else 4


def play(seed):
    rng = np.random.default_rng(seed)
    grid = np.zeros((SIZE, SIZE), dtype=np.int64)
    spawn(grid, rng)
    spawn(grid, rng)
    game = {"seed": seed, "start": grid.flatten().tolist(), "moves": []}
    order = np.random.default_rng([seed, 1])  # the player; has nothing to do with the game
    for _ in range(60):
        action = int(order.integers(0, 4))
        after, gained = move(grid.copy(), action)
        moved = not np.array_equal(after, grid)
        grid = after.copy()
        if moved:
            spawn(grid, rng)
        game["moves"].append([action, gained, int(moved), grid.flatten().tolist()])
        if not any(not np.array_equal(move(grid.copy(), other)[0], grid) for other in range(4)):
            break
    return game


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "games.json"), "w") as file:
    games = [play(seed) for seed in [*range(12), 123, 10000, 2**32 - 1]]
    file.write("[\n" + ",\n".join(json.dumps(game, separators=(",", ":")) for game in games) + "\n]\n")
