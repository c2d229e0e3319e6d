"""Steps per second of a game of TextArena, resets included: prints versions, then a rate for each number of seconds on stdin.

usage: play_textarena.py ID
"""
import importlib.metadata
import json
import random
import sys
import time

import textarena

game = sys.argv[1]
env = textarena.make(game)
random.seed(1)


def words(*names: str) -> list[str]:
    return [f"[{random.choice(names)}]" for _ in range(1024)]


def pairs(count: int) -> list[str]:
    """Sums and differences of two of the numbers, which are always possible."""
    return [f"[{i} {j} {sign}]" for i in range(count) for j in range(count) if i != j for sign in "+-"]


calculations = {count: random.sample(pairs(count), len(pairs(count))) for count in range(2, 8)}
moves = {
    "Bandit": words("red", "blue", "green", "yellow", "purple"),
    "2048": words("Up", "Down", "Left", "Right"),
    "FrozenLake": words("up", "down", "left", "right"),
    "Sokoban": words("up", "down", "left", "right"),
}.get(game.split("-")[0])


def next_action(step: int) -> str:
    if moves is not None:
        return moves[step & 1023]
    if game.startswith("Countdown"):
        choices = calculations[len(env.numbers)]
        return choices[step % len(choices)]
    # Sudoku: the solution, cell by cell
    board = env.state.game_state["board"]
    for row in range(9):
        for column in range(9):
            if board[row][column] == 0:
                return f"[{row + 1} {column + 1} {env.full_grid[row][column]}]"
    raise RuntimeError("the grid is full, and the game goes on")


def play(seconds: float) -> float:
    """Choosing an action is not counted; resets are."""
    spent = 0.0
    steps = 0
    done = True
    while spent < seconds:
        begin = time.perf_counter()
        if done:
            env.reset(num_players=1)
        spent += time.perf_counter() - begin
        action = next_action(steps)
        begin = time.perf_counter()
        done, _ = env.step(action)
        spent += time.perf_counter() - begin
        steps += 1
    return steps / spent


play(0.2)
versions = {"textarena": importlib.metadata.version("textarena"), "python": sys.version.split()[0]}
print(json.dumps(versions), flush=True)
for line in sys.stdin:
    print(json.dumps(play(float(line))), flush=True)
