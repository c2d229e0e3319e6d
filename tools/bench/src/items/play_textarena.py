"""Rates of a game of TextArena: prints versions, then rates for each number of seconds on stdin.

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


def reset() -> None:
    if game.startswith("Countdown"):
        # the registered game has one puzzle; without numbers its constructor draws one, as ours does for every episode
        env.__init__(max_turns=env.max_turns)
    env.reset(num_players=1)


def reading() -> float:
    """Seconds that a reading of the clock takes; it is part of whatever is timed."""
    begin = time.process_time()
    for _ in range(20_000):
        time.process_time()
    return (time.process_time() - begin) / 20_000


def timed(action_of, count: int) -> float:
    """Seconds that a choice takes."""
    begin = time.process_time()
    for step in range(count):
        action_of(step)
    return (time.process_time() - begin) / count


def play_whole(seconds: float) -> tuple[float, float]:
    """Steps and episodes a second, with the clock read once an episode; what choosing actions takes is taken off."""
    reset()
    choice = timed(next_action, 20_000)
    read = reading()
    spent = 0.0
    steps = wholes = 0
    while spent < seconds:
        begin = time.process_time()
        reset()
        done = False
        while not done:
            done, _ = env.step(next_action(steps))
            steps += 1
        spent += time.process_time() - begin - read
        wholes += 1
    spent -= choice * steps
    return steps / spent, wholes / spent


def play_apart(seconds: float) -> tuple[float, float, float]:
    """Steps alone, steps and episodes a second, with the clock read around each step."""
    read = reading()
    resets = 0.0
    moves = 0.0
    steps = 0
    wholes = 0
    while resets + moves < seconds:
        begin = time.process_time()
        reset()
        resets += time.process_time() - begin - read
        done = False
        while not done:
            action = next_action(steps)
            begin = time.process_time()
            done, _ = env.step(action)
            moves += time.process_time() - begin - read
            steps += 1
        wholes += 1
    spent = resets + moves
    return steps / moves, steps / spent, wholes / spent


def play(seconds: float) -> dict[str, float]:
    """Ends with an episode, so that resets and steps are in proportion."""
    alone, steps, wholes = play_apart(seconds / 2)
    if not game.startswith("Sudoku"):
        # the choice is a look into a list; between steps a reading takes longer than one after another
        steps, wholes = play_whole(seconds / 2)
    return {"steps": alone, "episodes": steps, "wholes": wholes}


play(0.2)
versions = {"textarena": importlib.metadata.version("textarena"), "python": sys.version.split()[0]}
print(json.dumps(versions), flush=True)
for line in sys.stdin:
    print(json.dumps(play(float(line))), flush=True)
