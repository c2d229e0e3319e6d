// node tools/skyrl-server.mjs <python> [--model <folder>] [--port <n>] [--data <folder>] [--adapters <n>] [--ray]: starts SkyRL's Tinker server on the CPU (JAX), for
// trying engine tinker against a server that others wrote. <python> is that of a virtual environment of Python 3.12 with
// `skyrl[tinker,jax]==0.4.0` and `aiohttp`; with `--ray`, and `ray` there too, the model is computed by an actor of a local Ray
// instance. Its model is called as its folder is (the built-in one: seedling). Prints one line of JSON with URL and model once it
// is ready, and its process group; ends with its standard input. What it saves goes with it, but for `--data`, where a server that
// is started again finds it.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { convertModelFolder } from '@espalier/model/conversion';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    port: { type: 'string' },
    log: { type: 'boolean' },
    ray: { type: 'boolean' },
    data: { type: 'string' },
    adapters: { type: 'string', default: '8' },
  },
});
const [python] = positionals;
if (python === undefined) {
  console.error('name the python of an environment with skyrl[tinker,jax]==0.4.0 and aiohttp');
  process.exit(2);
}
const source = resolve(values.model ?? join(import.meta.dirname, '../plugins/models/seedling/model'));
const model = values.model === undefined ? 'seedling' : basename(source);
const port = Number(values.port ?? (await freePort()));
const folder = values.data === undefined ? mkdtempSync(join(tmpdir(), 'skyrl-')) : resolve(values.data);
mkdirSync(folder, { recursive: true });
rmSync(join(folder, model), { recursive: true, force: true });

// It computes in the numbers of the file, and JAX multiplies no float16 on the CPU.
const { dtype, torch_dtype: older } = JSON.parse(readFileSync(join(source, 'config.json'), 'utf8'));
if ((dtype ?? older) === 'float16')
  await convertModelFolder(source, join(folder, model), { dtype: 'float32' });
else symlinkSync(source, join(folder, model));

// The server starts its engine by `uv run … -m <module>`, and reads its flags from the command line of its parent, so this
// stands in for uv: it drops what precedes -m and runs Python as a child.
const uv = join(folder, 'uv');
writeFileSync(
  uv,
  `#!/bin/sh\nwhile [ "$1" != "-m" ]; do shift; done\n"${resolve(python)}" "$@" &\nchild=$!\ntrap 'kill $child' TERM INT\nwait $child\n`,
);
chmodSync(uv, 0o755);

// Each number of sequences and each length is compiled, half a minute on a busy machine: so batches have one size, and what
// was compiled is kept for the next start.
const backend = {
  // of a client that was killed, too, until the server takes its session for dead
  max_lora_adapters: Number(values.adapters),
  max_lora_rank: 16,
  train_micro_batch_size: 16,
  sample_max_num_sequences: 32,
  ...(values.ray ? { use_ray: true, num_processes: 1, ray_actor_options: { num_cpus: 1 } } : {}),
};
const server = spawn(
  uv,
  [
    ...['run', '--extra', 'tinker', '--extra', 'jax', '-m', 'skyrl.tinker.api'],
    ...['--base-model', model, '--backend', 'jax', '--backend-config', JSON.stringify(backend)],
    ...['--host', '127.0.0.1', '--port', String(port)],
    ...[
      '--database-url',
      `sqlite:///${join(folder, 'tinker.db')}`,
      '--checkpoints-base',
      join(folder, 'saved'),
    ],
  ],
  {
    detached: true,
    cwd: folder,
    stdio: ['ignore', values.log ? 'inherit' : 'ignore', values.log ? 'inherit' : 'ignore'],
    env: {
      ...process.env,
      PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`,
      JAX_PLATFORMS: 'cpu',
      JAX_COMPILATION_CACHE_DIR: join(tmpdir(), 'skyrl-compiled'),
      HF_HUB_OFFLINE: '1',
    },
  },
);

let isEnding = false;
function end(code) {
  if (isEnding) return;
  isEnding = true;
  try {
    process.kill(-server.pid, 'SIGTERM');
  } catch {
    // it has ended by itself
  }
  setTimeout(() => {
    try {
      process.kill(-server.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
    if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
    process.exit(code);
  }, 3000);
}
server.on('exit', (code) => end(code ?? 1));
process.stdin.on('end', () => end(0)).resume();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(0));

const url = `http://127.0.0.1:${port}`;
for (let waited = 0; waited < 300 && !isEnding; waited += 1) {
  const isReady = await fetch(`${url}/api/v1/healthz`)
    .then((answer) => answer.ok)
    .catch(() => false);
  if (isReady) {
    console.log(JSON.stringify({ url, model, group: server.pid }));
    break;
  }
  await sleep(1000);
}

/** A port that nobody listens on. */
function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: found } = probe.address();
      probe.close(() => done(found));
    });
  });
}
