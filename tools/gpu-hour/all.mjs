/**
 * @file Everything of "Figures on a GPU" by one command, as Markdown tables on standard output:
 *
 *     node tools/gpu-hour/all.mjs [--device cuda|stand-in] [--tiny] [--steps 10] [--parts …] [--python python3] [--out FILE]
 *
 * Each program runs by itself, so that one which fails, or whose libraries are missing, costs its own table only. The
 * stand-in computes with the CPU's kernels: there PyTorch and the training run use the CPU.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderTables } from './render-tables.mjs';

const { values } = parseArgs({
  options: {
    device: { type: 'string', default: 'cuda' },
    tiny: { type: 'boolean', default: false },
    steps: { type: 'string', default: '10' },
    parts: { type: 'string' },
    python: { type: 'string', default: 'python3' },
    out: { type: 'string' },
  },
});
if (!['cuda', 'stand-in'].includes(values.device) || !/^[1-9]\d*$/.test(values.steps)) {
  console.error('expected --device cuda or stand-in, and --steps of at least 1');
  process.exit(2);
}
const root = fileURLToPath(new URL('../../', import.meta.url));
const isCuda = values.device === 'cuda';
const sizes = values.tiny ? ['--tiny'] : [];
const parts = values.parts === undefined ? [] : ['--parts', values.parts];
const own = (file) => fileURLToPath(new URL(file, import.meta.url));

/** Runs a program; returns the objects that it printed, one a line, and what it said last if it failed. */
async function run(title, command, words) {
  console.error(`${title}: ${[command, ...words].join(' ')}`);
  const child = spawn(command, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const rows = [];
  let last = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (last === '' || /\w*Error\b|^error/.test(line)) last = line.trim();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) rows.push(JSON.parse(line));
    console.error(`  ${line.slice(0, 160)}`);
  });
  const failure = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `${signal ?? `exit ${code}`}: ${last}`),
    );
  });
  return { title, rows, failure };
}

/** Trains FrozenLake from the built-in model, and reads what each iteration took. */
async function train() {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-gpu-hour-'));
  try {
    const out = join(folder, 'run');
    const device = isCuda ? ['--set', 'device.provider=cuda'] : [];
    const few = values.tiny
      ? ['--set', 'rollout={ promptsPerStep: 2, groupSize: 2 }', '--set', 'validation.episodes=8']
      : [];
    const words = [
      'train',
      'config/runs/frozen-lake-grpo.yaml',
      '--set',
      `steps=${values.steps}`,
      ...device,
      ...few,
      '--out',
      out,
    ];
    const result = await run('FrozenLake by GRPO', process.execPath, ['apps/cli/dist/main.js', ...words]);
    if (result.failure !== undefined) return result;
    const lines = readFileSync(join(out, 'metrics.jsonl'), 'utf8').trim().split('\n');
    const rows = lines
      .map((line) => JSON.parse(line))
      .filter(({ values: of }) => 'time/update_seconds' in of);
    return { ...result, rows: rows.map(describeStep) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const describeStep = ({ step, values: metrics }) => ({
  part: 'train',
  step,
  success: metrics['rollout/success_rate'],
  collectSeconds: metrics['time/collect_seconds'],
  updateSeconds: metrics['time/update_seconds'],
  sampledTokens: metrics['rollout/sampled_tokens'],
});

const results = [
  await run('Espalier', process.execPath, [
    own('measure.mjs'),
    '--device',
    values.device,
    ...parts,
    ...sizes,
  ]),
  await run('libtorch from Node', process.execPath, [
    own('libtorch-probe.mjs'),
    '--device',
    isCuda ? 'cuda' : 'cpu',
    '--python',
    values.python,
    ...sizes,
  ]),
  await run('PyTorch', values.python, [
    own('peer-train-step.py'),
    '--device',
    isCuda ? 'cuda' : 'cpu',
    ...sizes,
  ]),
  await train(),
];
const tables = renderTables(results);
if (values.out === undefined) console.log(tables);
else writeFileSync(values.out, `${tables}\n`);
process.exit(results[0].failure === undefined && results[3].failure === undefined ? 0 : 1);
