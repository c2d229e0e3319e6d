/**
 * @file Two hosts for workers: network namespaces with a cable each to this machine where that may be done (root,
 * `ip netns`), with host names of their own; else two plain processes. Each has a stand-in `nvidia-smi` if it wants.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

export interface Host {
  readonly name: string;
  /** where this host reaches this machine */
  readonly gateway: string;
  /** false where namespaces are not allowed */
  readonly isApart: boolean;
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

/** Removes hosts of killed test runs, whose addresses would conflict. */
function removeLeftOver(): void {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  for (const [space, pid] of (stdout ?? '').matchAll(/^espalier-(\d+)-\d+/gm))
    if (!existsSync(`/proc/${pid}`)) remove(space);
  const links = spawnSync('ip', ['-br', 'link'], { encoding: 'utf8' }).stdout ?? '';
  for (const [, cable = '', pid] of links.matchAll(/^(esp(\d+)n\d+)@/gm))
    if (!existsSync(`/proc/${pid}`)) spawnSync('ip', ['link', 'del', cable]);
}

/** Creates a host; `number` (1 to 200) must be unique. */
export function createHost(number: number): Host {
  removeLeftOver();
  const name = `host-${number}`;
  const space = `espalier-${process.pid}-${number}`;
  const cable = `esp${process.pid % 100_000}n${number}`;
  const gateway = `10.213.${number}.1`;
  try {
    ip('netns', 'add', space);
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    ip('addr', 'add', `${gateway}/24`, 'dev', cable);
    ip('link', 'set', cable, 'up');
    ip('-n', space, 'addr', 'add', `10.213.${number}.2/24`, 'dev', 'eth0');
    ip('-n', space, 'link', 'set', 'eth0', 'up');
    ip('-n', space, 'link', 'set', 'lo', 'up');
  } catch {
    remove(space);
    return {
      name,
      gateway: '127.0.0.1',
      isApart: false,
      startWorker: (words, env) => start([], words, env),
      close: () => undefined,
    };
  }
  const inside = [
    'ip',
    'netns',
    'exec',
    space,
    'unshare',
    '--uts',
    'sh',
    '-c',
    'hostname "$0" && exec "$@"',
    name,
  ];
  return {
    name,
    gateway,
    isApart: true,
    startWorker: (words, env) => start(inside, words, env),
    close: () => remove(space),
  };
}

/** The cable goes with it. */
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
