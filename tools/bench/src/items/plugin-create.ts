/** @file From `npm create @espalier/plugin` to passing tests, without a network: the kit from tarballs, the rest from npm's cache. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { type BenchItem, buildRow } from '../row.js';
import { root } from './command.js';

const kit = join(root, '.cache', 'packages');
const createPlugin = join(root, 'libs', 'create-plugin', 'dist', 'main.js');
/** Seconds from the first word to passing tests. */
const allowed = 60;

/** Row `plugin/create`: the wall clock, as a person waits for it. */
export const pluginCreate: BenchItem = ({ short }) => {
  if (!existsSync(kit))
    return Promise.resolve({ skipped: 'there are no tarballs of the kit; make them: npm run pack' });
  // fills the cache of npm; what a registry takes is not measured
  const first = makePlugin('--prefer-offline');
  const parts = short ? first : makePlugin('--offline');
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  const said = parts.map((part) => `${part.name} ${part.seconds.toFixed(1)} s`).join(', ');
  const load = `load ${loadavg()[0]?.toFixed(1)}`;
  return Promise.resolve([
    buildRow('plugin/create', seconds, 's', { name: 'allowed, s', value: allowed }, `${said}; ${load}`),
  ]);
};

interface Part {
  readonly name: string;
  readonly seconds: number;
}

/** Creates an environment in a new folder, installs what it needs and runs its tests. */
function makePlugin(network: '--offline' | '--prefer-offline'): readonly Part[] {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-plugin-'));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const inside = join(folder, 'maze');
  try {
    return [
      timed('create', folder, process.execPath, [
        createPlugin,
        'environment',
        'maze',
        '--out',
        inside,
        '--kit',
        kit,
      ]),
      timed('install', inside, npm, ['install', network, '--no-audit', '--no-fund']),
      timed('test', inside, npm, ['test']),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(name: string, cwd: string, program: string, words: readonly string[]): Part {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    // a test runner that is told it runs in a test behaves in another way
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined },
  });
  if (status !== 0)
    throw new AppError(
      'bench.item_failed',
      `bench: ${name} of a new plugin ended with ${status}: ${`${stderr}${stdout}`.trim().slice(-1000)}`,
    );
  return { name, seconds: (performance.now() - begin) / 1000 };
}
