"""What Harbor itself reads: python check_harbor.py CASES.json. Made for harbor 0.26; prints one JSON object."""

import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

from harbor.models.task.task import Task
from harbor.utils.env import resolve_env_vars
from harbor.utils.trajectory_validator import TrajectoryValidator
from harbor.verifier.verifier import Verifier

cases = json.loads(Path(sys.argv[1]).read_text())


def read_task(folder):
    task = Task(folder)
    config = task.config
    return {
        "name": task.name,
        "instruction": task.instruction,
        "agentSeconds": config.agent.timeout_sec,
        "verifierSeconds": config.verifier.timeout_sec,
        "memoryMb": config.environment.memory_mb,
        "storageMb": config.environment.storage_mb,
        "variables": resolve_env_vars(config.environment.env) if config.environment.env else {},
    }


def read_rewards(files):
    """The verifier's own reading of its folder, without a container."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = SimpleNamespace(reward_json_path=folder / "reward.json", reward_text_path=folder / "reward.txt")
        for file, text in files.items():
            (folder / file).write_text(text)
        verifier = Verifier.__new__(Verifier)
        verifier.trial_paths = paths
        try:
            if paths.reward_json_path.exists():
                return verifier._parse_reward_json()
            if paths.reward_text_path.exists():
                return verifier._parse_reward_text()
        except Exception:
            return None
        return None


def check_trajectory(trajectory):
    validator = TrajectoryValidator()
    validator.validate(trajectory)
    return validator.errors


print(
    json.dumps(
        {
            "tasks": [read_task(folder) for folder in cases["tasks"]],
            "rewards": [read_rewards(files) for files in cases["rewards"]],
            "errors": [check_trajectory(trajectory) for trajectory in cases["trajectories"]],
        }
    )
)
