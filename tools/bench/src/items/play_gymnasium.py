"""Rates of an environment that RAGEN wraps: prints versions, then rates for each number of seconds on stdin.

usage: play_gymnasium.py FrozenLake | Sokoban
"""
import contextlib
import importlib.metadata
import json
import random
import sys
import time
import warnings

warnings.simplefilter("ignore")
kind = sys.argv[1]
random.seed(1)
steps_taken = 0

if kind == "FrozenLake":
    import gymnasium
    from gymnasium.envs.toy_text.frozen_lake import generate_random_map

    packages = ["gymnasium", "numpy"]
    env = None

    def reset(seed):
        # a lake of its own for every episode, as RAGEN draws them, in the environment itself: without wrappers
        global env
        lake = generate_random_map(size=4, p=0.8, seed=seed)
        env = gymnasium.envs.toy_text.FrozenLakeEnv(desc=lake, is_slippery=True)
        env.reset(seed=seed)

    def step(action):
        _, _, terminated, _, _ = env.step(action)
        return terminated

    actions = [0, 1, 2, 3]
else:
    from gym_sokoban.envs.sokoban_env import SokobanEnv

    packages = ["gym-sokoban", "gym", "numpy"]
    env = SokobanEnv(dim_room=(6, 6), num_boxes=1, max_steps=100)

    def reset(_):
        env.reset(render_mode="tiny_rgb_array")

    def step(action):
        # "tiny_rgb_array" is the cheapest picture: one pixel a cell; the environment has no text
        _, _, done, _ = env.step(action, observation_mode="tiny_rgb_array")
        return done

    actions = [1, 2, 3, 4]

chosen = [random.choice(actions) for _ in range(1024)]


def play(seconds):
    """Plays whole episodes, at most 100 steps each, as ours are."""
    global steps_taken
    resets = moves = 0.0
    steps = wholes = 0
    while resets + moves < seconds:
        begin = time.process_time()
        reset(wholes % 1000)
        middle = time.process_time()
        for _ in range(100):
            steps_taken += 1
            steps += 1
            if step(chosen[steps_taken & 1023]):
                break
        end = time.process_time()
        resets += middle - begin
        moves += end - middle
        wholes += 1
    spent = resets + moves
    return {"steps": steps / moves, "episodes": steps / spent, "wholes": wholes / spent}


def quietly(seconds):
    """Plays without a word: gym-sokoban prints where a room has to be drawn again."""
    with contextlib.redirect_stdout(sys.stderr):
        return play(seconds)


quietly(0.2)
versions = {name: importlib.metadata.version(name) for name in packages}
print(json.dumps({**versions, "python": sys.version.split()[0]}), flush=True)
for line in sys.stdin:
    print(json.dumps(quietly(float(line))), flush=True)
