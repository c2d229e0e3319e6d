/**
 * node tools/peers/trackers.mjs PYTHON: trains a short run that reports to a real MLflow server and to TensorBoard, and
 * compares what their own packages read back with the run's metrics file. check-peers.mjs runs it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitForAnswer } from '../peer-programs.mjs';
import { root, run } from '../steps.mjs';

const reader = `
import json, os, sys
os.environ['MLFLOW_ENABLE_ASYNC_LOGGING'] = 'false'
import mlflow
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
client = mlflow.MlflowClient(sys.argv[1])
run = client.search_runs([client.get_experiment_by_name('check').experiment_id])[0]
history = {name: [[m.step, m.value] for m in client.get_metric_history(run.info.run_id, name)] for name in run.data.metrics}
events = EventAccumulator(sys.argv[2], size_guidance={'scalars': 0})
events.Reload()
scalars = {tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in events.Tags()['scalars']}
print(json.dumps({'status': run.info.status, 'params': run.data.params, 'mlflow': history, 'tensorboard': scalars}))
`;
const config = `
environment: { use: bandit }
algorithm: { use: grpo }
steps: 3
rollout: { promptsPerStep: 2, groupSize: 4 }
validation: { every: 2, episodes: 8 }
`;

const folder = mkdtempSync(join(tmpdir(), 'espalier-trackers-'));
const failures = [];
let server;
try {
  const python = process.argv[2];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const store = ['--backend-store-uri', `sqlite:///${join(folder, 'mlflow.db')}`];
  const words = [
    '-m',
    'mlflow',
    'server',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--workers',
    '1',
    ...store,
  ];
  server = spawn(python, words, { cwd: folder, stdio: 'ignore', detached: true });
  await waitForAnswer(`${url}/health`);
  writeFileSync(join(folder, 'check.yaml'), config);
  const out = join(folder, 'runs/check-1');
  const train = ['tools/cli.mjs', 'train', join(folder, 'check.yaml'), '--out', out];
  if (
    run(process.execPath, [...train, '--report-to', 'tensorboard', '--report-to', `mlflow:${url}#check`]) !==
    0
  )
    throw new Error('the run failed');
  writeFileSync(join(folder, 'read.py'), reader);
  compare(readJson(python, [join(folder, 'read.py'), url, join(out, 'tensorboard')]), expectedOf(out));
} finally {
  if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
for (const failure of failures) console.error(failure);
console.log(failures.length === 0 ? 'both have what the run wrote' : `${failures.length} differences`);
process.exitCode = failures.length === 0 ? 0 : 1;

function readJson(python, words) {
  const output = join(folder, 'read.json');
  const code = run('sh', ['-c', '"$0" "$@" > "$OUTPUT"', python, ...words], {
    cwd: root,
    env: { ...process.env, OUTPUT: output },
  });
  if (code !== 0) throw new Error('the packages could not read what was sent');
  return JSON.parse(readFileSync(output, 'utf8').trim().split('\n').at(-1));
}

/** Metric → [step, value], as the run's file has them; what is no number is left out. */
function expectedOf(out) {
  const series = {};
  for (const line of readFileSync(join(out, 'metrics.jsonl'), 'utf8').trim().split('\n')) {
    const { step, values } = JSON.parse(line);
    for (const [name, value] of Object.entries(values)) {
      series[name] ??= [];
      if (value !== null) series[name].push([step, value]);
    }
  }
  return series;
}

function compare({ status, params, mlflow, tensorboard }, expected) {
  if (status !== 'FINISHED') failures.push(`mlflow: the run is ${status}`);
  if (params['algorithm.use'] !== 'grpo') failures.push('mlflow: the options are missing');
  const numbers = (points) => points.filter(([, value]) => Number.isFinite(value));
  for (const [name, points] of Object.entries(expected)) {
    const check = (tracker, found, round) => {
      const wanted = JSON.stringify(points.map(([step, value]) => [step, round(value)]));
      if (JSON.stringify(numbers(found ?? [])) !== wanted)
        failures.push(`${tracker}: ${name} is ${JSON.stringify(found)}, not ${wanted}`);
    };
    check('mlflow', mlflow[name], (value) => value);
    check('tensorboard', tensorboard[name], Math.fround);
  }
  console.log(`${Object.keys(expected).length} metrics compared`);
}
