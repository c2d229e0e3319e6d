/**
 * npm run check:peers [-- --only NAME …] [--list]: Espalier against real programs of others, each of which is installed first, in
 * the version below, into .cache/peers. Ends with a line for each, and with 1 where one failed. One whose language is not here
 * is skipped, and the line says what is missing. Needs Python 3.12 or newer (PYTHON names it), Go 1.24 or newer, and the package
 * indexes. `npm run test:long` runs all.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPython, isPrepared, prepareCollector, preparePython } from './peer-programs.mjs';
import { build, install, root, run } from './steps.mjs';

/** What needs PyTorch shares an environment: 6 GB, as the package index has it with CUDA only, and as much while it is installed. */
const torch = {
  name: 'torch',
  gigabytes: 12,
  packages: ['torch==2.15.0', 'transformers==5.24.0', 'tinker==0.38.0', 'peft==0.21.2'],
};
const python = (name, ...packages) => ({ name, packages });

/**
 * Each has an environment of Python or another preparation, and is checked by a script, which gets what was prepared, or by
 * specs, which are skipped without the `variable` that names it.
 */
const peers = [
  {
    name: 'openai',
    what: 'the Python client of OpenAI, and a graph of LangGraph in Python, on the endpoint',
    python: python('openai', 'openai==3.57.0', 'langgraph==1.2.24', 'langchain-openai==1.7.4'),
    variable: 'OPENAI_PYTHON',
    specs: ['test/endpoint/python-clients'],
  },
  {
    name: 'langgraph',
    what: 'a run that trains on a graph of LangGraph in TypeScript',
    prepare: prepareLangGraph,
    specs: ['test/e2e/agents'],
  },
  {
    name: 'tinker',
    what: 'the official SDK on `espalier engine serve`',
    python: torch,
    variable: 'TINKER_PYTHON',
    specs: ['test/tinker/sdk'],
  },
  {
    name: 'peft',
    what: 'adapters that PEFT loads',
    python: torch,
    variable: 'PEFT_PYTHON',
    specs: ['test/gradient/lora-adapters'],
  },
  {
    name: 'harbor',
    what: 'tasks, rewards and exported trajectories, read by Harbor',
    python: python('harbor', 'harbor==0.26.0'),
    variable: 'HARBOR_PYTHON',
    specs: ['test/harbor/'],
  },
  {
    name: 'verifiers',
    what: 'traces that verifiers has just written, imported',
    python: python('verifiers', 'verifiers==0.4.0'),
    variable: 'VERIFIERS_PYTHON',
    specs: ['test/e2e/import'],
  },
  {
    name: 'openenv',
    what: 'the package of OpenEnv as client and as server',
    python: python('openenv', 'openenv-core==0.3.0'),
    script: 'openenv.mjs',
  },
  {
    name: 'trackers',
    what: 'an MLflow server and the reader of TensorBoard',
    python: python('trackers', 'mlflow==3.17.2', 'tensorboard==2.21.0'),
    script: 'trackers.mjs',
  },
  {
    name: 'wandb',
    what: 'an offline file of Weights & Biases, read by its own record types',
    python: python('wandb', 'wandb==0.31.0'),
    variable: 'WANDB_PYTHON',
    specs: ['test/e2e/wandb'],
  },
  {
    name: 'llama.cpp',
    what: 'files of every family that `model export --format gguf` writes, read by llama.cpp',
    python: python('llama-cpp', 'xllamacpp==2026.10.11549'),
    script: 'llama-cpp.mjs',
  },
  {
    name: 'collector',
    what: 'an OpenTelemetry collector',
    prepare: () => prepareCollector('v0.140.0'),
    missing: () => (spawnSync('go', ['version']).error === undefined ? undefined : 'Go 1.24 or newer'),
    script: 'collector.mjs',
  },
];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
  },
});
const names = peers.map(({ name }) => name);
const unknown = values.only.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`check:peers: there is no "${unknown}"; there are ${names.join(', ')}`);
  process.exit(2);
}
if (values.list) {
  for (const { name, what } of peers) console.log(`${name.padEnd(10)} ${what}`);
  process.exit(0);
}
if (install() !== 0 || build() !== 0) process.exit(1);

const interpreter = findPython();
const outcomes = [];
for (const peer of peers.filter(({ name }) => values.only.length === 0 || values.only.includes(name)))
  outcomes.push({ ...peer, ...check(peer) });
console.log('');
for (const { name, outcome, what } of outcomes) console.log(`${name.padEnd(10)} ${outcome}: ${what}`);
process.exit(outcomes.some(({ isFailed }) => isFailed) ? 1 : 0);

function check(peer) {
  const missing = findMissing(peer);
  if (missing !== undefined) return { outcome: `skipped, needs ${missing}`, isFailed: false };
  const begin = Date.now();
  console.log(`\n── ${peer.name}`);
  try {
    const code = checkPrepared(peer, prepare(peer));
    const seconds = Math.round((Date.now() - begin) / 1000);
    return { outcome: code === 0 ? `ok in ${seconds} s` : `failed (exit ${code})`, isFailed: code !== 0 };
  } catch (error) {
    return { outcome: `failed, ${error.message}`, isFailed: true };
  }
}

function findMissing({ python: environment, variable, missing }) {
  if (environment === undefined) return missing?.();
  if (variable !== undefined && process.env[variable]) return undefined;
  if (interpreter === undefined) return 'Python 3.12 or newer with venv (PYTHON names one)';
  const { gigabytes = 2 } = environment;
  const { bavail, bsize } = statfsSync(root);
  if (isPrepared(environment.name, environment.packages) || bavail * bsize > gigabytes * 1e9)
    return undefined;
  return `${gigabytes} GB of free disk to install ${environment.packages.join(' and ')}`;
}

/** The variable of a peer may name a Python that has it already. */
function prepare({ python: environment, variable, prepare: own }) {
  if (environment === undefined) return own();
  const given = variable === undefined ? undefined : process.env[variable];
  if (given && !existsSync(given)) throw new Error(`${variable} names ${given}, which is not there`);
  return given || preparePython(interpreter, environment.name, environment.packages);
}

function checkPrepared({ script, specs, variable }, prepared) {
  if (script !== undefined) return run(process.execPath, [join('tools/peers', script), prepared]);
  const env = { ...process.env, ...(variable !== undefined && { [variable]: prepared }) };
  return run(join(root, 'node_modules/.bin/vitest'), ['run', ...specs], { env });
}

function prepareLangGraph() {
  const words = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--workspaces=false'];
  if (run('npm', words, { cwd: join(root, 'docs/examples/langgraph') }) !== 0)
    throw new Error('npm could not install the packages of docs/examples/langgraph');
}
