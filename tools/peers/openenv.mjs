/**
 * node tools/peers/openenv.mjs PYTHON: the Python package of OpenEnv in both directions. Its client plays an environment that
 * `espalier env serve` offers, and the environment `openenv` plays one that its server offers. check-peers.mjs runs it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitForAnswer } from '../peer-programs.mjs';
import { root, run } from '../steps.mjs';

const client = `
import json, sys
from openenv.core.generic_client import GenericEnvClient
with GenericEnvClient(base_url=sys.argv[1]).sync() as env:
    first = env.reset(seed=5)
    step = env.step({"action": "Right"})
    state = env.state()
    print(json.dumps([first.observation["text"], first.reward, step.done, step.observation["valid"], state["step_count"]]))
    try:
        env.step({"jump": 1})
    except RuntimeError as error:
        assert "VALIDATION_ERROR" in str(error), error
    else:
        raise SystemExit("a wrong action was taken")
    assert env.reset(seed=5).observation == first.observation
`;
const server = `
import sys
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
import uvicorn
class Guess(Action):
    message: str
class Seen(Observation):
    hint: str
class Game(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def __init__(self):
        super().__init__()
        self.wanted, self._state = 0, State()
    def reset(self, seed=None, episode_id=None, **more):
        self.wanted, self._state = (seed or 0) % 10, State(episode_id=episode_id or "e", step_count=0)
        return Seen(hint="guess a digit", done=False, reward=None)
    def step(self, action, timeout_s=None, **more):
        self._state.step_count += 1
        right = action.message == str(self.wanted)
        return Seen(hint="right" if right else "wrong", done=right, reward=1.0 if right else 0.0)
    @property
    def state(self):
        return self._state
uvicorn.run(create_fastapi_app(Game, Guess, Seen, max_concurrent_envs=4), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
`;

const folder = mkdtempSync(join(tmpdir(), 'espalier-openenv-'));
const children = [];
try {
  const python = process.argv[2];
  writeFileSync(join(folder, 'client.py'), client);
  writeFileSync(join(folder, 'server.py'), server);

  const ours = await freePort();
  start(process.execPath, ['tools/cli.mjs', 'env', 'serve', 'frozen-lake', '--port', String(ours)]);
  await waitForAnswer(`http://127.0.0.1:${ours}/health`);
  if (run(python, [join(folder, 'client.py'), `http://127.0.0.1:${ours}`]) !== 0)
    throw new Error('the client of OpenEnv could not play an environment of ours');
  console.log('the client of OpenEnv plays frozen-lake');

  const theirs = await freePort();
  start(python, [join(folder, 'server.py'), String(theirs)]);
  await waitForAnswer(`http://127.0.0.1:${theirs}/health`);
  await playTheirs(`http://127.0.0.1:${theirs}`);
  console.log('the environment openenv plays one of OpenEnv');
} finally {
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function playTheirs(url) {
  const { default: definition } = await import('@espalier/environment-openenv');
  const instance = definition.create(definition.params.parse({ url }));
  const expect = (found, wanted) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      throw new Error(`${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`);
  };
  expect((await instance.reset({ state: 17, noise: 1 })).text, 'guess a digit');
  const wrong = await instance.step('3');
  expect([wrong.done, wrong.reward, wrong.observation.text], [false, 0, 'wrong']);
  const right = await instance.step('7');
  expect([right.done, right.success, right.reward], [true, true, 1]);
  await instance.close();
}

function start(program, args) {
  children.push(spawn(program, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], detached: true }));
}
