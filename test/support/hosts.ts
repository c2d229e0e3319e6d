/**
 * @file Two hosts for workers: network namespaces where those may be made (root, `ip netns`), with host names of their
 * own; else two plain processes. Each has a stand-in `nvidia-smi` if it wants. No cable leads into them: a new address
 * on this machine would make browsers of other tests drop their connections (`net::ERR_NETWORK_CHANGED`).
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

export interface Host {
  readonly name: string;
  /** false where namespaces are not allowed */
  readonly isApart: boolean;
  /** Lets it reach a port of this machine; returns the URL that does. */
  reach(port: number): Promise<string>;
  /** Starts `espalier worker` on it and waits until it is connected. */
  startWorker(words: readonly string[], env: Readonly<Record<string, string>>): Promise<ChildProcess>;
  close(): void;
}

/** The report of one GPU of an eight-GPU machine, by column; `#` is its index. */
const oneGpu = {
  index: '#',
  uuid: 'GPU-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f#',
  name: 'NVIDIA H200',
  'memory.total': '143771',
  'memory.free': '143153',
  'utilization.gpu': '0',
  'power.draw': '76.#1',
  'temperature.gpu': '3#',
  'ecc.errors.uncorrected.volatile.total': '0',
  'ecc.errors.corrected.volatile.total': '0',
  'ecc.errors.uncorrected.aggregate.total': '0',
  'retired_pages.double_bit.count': '[N/A]',
  'retired_pages.pending': '[N/A]',
  'remapped_rows.uncorrectable': '0',
  'remapped_rows.pending': 'No',
  'remapped_rows.failure': 'No',
  gpu_recovery_action: 'None',
};

/** Prints the requested columns in order; rejects others as the real program does. */
const nvidiaSmi = `#!${process.execPath}
const known = ${JSON.stringify(oneGpu)};
const words = process.argv.slice(2);
const valueOf = (name) => words.find((word) => word.startsWith(name + '='))?.slice(name.length + 1);
const columns = (valueOf('--query-gpu') ?? '').split(',');
const wrong = columns.find((column) => !(column in known));
if (wrong !== undefined || valueOf('--format') !== 'csv,noheader,nounits') {
  console.log(wrong === undefined ? 'Invalid format' : 'Field "' + wrong + '" is not a valid field to query.');
  process.exit(2);
}
const tell = () => {
  for (let index = 0; index < 8; index += 1)
    console.log(columns.map((column) => known[column].replaceAll('#', String(index))).join(', '));
};
tell();
setInterval(tell, 500);
`;

/** Writes a fake `nvidia-smi` that reports eight GPUs; returns its folder for the PATH. */
export function writeNvidiaSmi(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'nvidia-smi');
  writeFileSync(program, nvidiaSmi);
  chmodSync(program, 0o755);
  return folder;
}

const ip = (...words: string[]): void => void execFileSync('ip', words, { stdio: 'pipe' });

/** Removes hosts of killed test runs. */
function removeLeftOver(): void {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  for (const [space, pid] of (stdout ?? '').matchAll(/^espalier-(\d+)-\d+/gm))
    if (!existsSync(`/proc/${pid}`)) remove(space);
}

/** Creates a host; `number` must be unique; `folder` is for what leads to this machine. */
export function createHost(number: number, folder: string): Host {
  removeLeftOver();
  const name = `host-${number}`;
  const space = `espalier-${process.pid}-${number}`;
  try {
    ip('netns', 'add', space);
    ip('-n', space, 'link', 'set', 'lo', 'up');
  } catch {
    remove(space);
    return {
      name,
      isApart: false,
      reach: (port) => Promise.resolve(`http://127.0.0.1:${port}`),
      startWorker: (words, env) => start([], words, env),
      close: () => undefined,
    };
  }
  const enter = ['ip', 'netns', 'exec', space];
  const inside = [...enter, 'unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', name];
  const closers: (() => void)[] = [() => remove(space)];
  const reached = new Set<number>();
  return {
    name,
    isApart: true,
    reach: async (port) => {
      if (!reached.has(port)) closers.unshift(await lead(enter, join(folder, `${name}-${port}.sock`), port));
      reached.add(port);
      return `http://127.0.0.1:${port}`;
    },
    startWorker: (words, env) => start(inside, words, env),
    close: () => {
      for (const close of closers.splice(0)) close();
    },
  };
}

/** In the namespace: passes connections to a port on to the Unix socket, which namespaces of networks do not part. */
const relay = `
const { connect, createServer } = require('node:net');
const [path, port] = process.argv.slice(1);
createServer((near) => {
  const far = connect(path);
  near.pipe(far).pipe(near);
  for (const [one, other] of [[near, far], [far, near]]) one.on('error', () => other.destroy());
}).listen(Number(port), '127.0.0.1', () => console.log('listening'));
`;

/** Leads from a port in a namespace, over a Unix socket, to the same port of this machine; returns what ends it. */
async function lead(enter: readonly string[], path: string, port: number): Promise<() => void> {
  const outer = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  }).listen(path);
  await once(outer, 'listening');
  const [program = '', ...words] = [...enter, process.execPath, '-e', relay, path, String(port)];
  const inner = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(inner.stdout, 'data');
  return () => {
    inner.kill('SIGKILL');
    outer.close();
  };
}

function remove(space: string): void {
  try {
    ip('netns', 'del', space);
  } catch {
    // it was never created
  }
}

async function start(
  inside: readonly string[],
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const [program = '', ...rest] = [...inside, process.execPath, main, 'worker', '--json', ...words];
  const child = spawn(program, rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the worker ended with ${String(code)}: ${said}`)));
    child.once('error', reject);
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('"server":')) resolve();
    });
  });
  return child;
}
