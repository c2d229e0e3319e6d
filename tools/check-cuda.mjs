/**
 * npm run check:cuda [-- OPTIONS]: fetches the real wheels by `espalier setup cuda` into a cache of this command's own (1.1 GB
 * of downloads, 1.9 GB of disk for a moment), checks what lies there, and what `doctor` says of it. OPTIONS go to the set-up:
 * --wheel, --system or --cuda-libraries. On a machine without an NVIDIA driver everything must load up to the driver.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, root } from './steps.mjs';

const cache = mkdtempSync(join(tmpdir(), 'espalier-cuda-'));
const failures = [];
try {
  if (install() !== 0 || build() !== 0) throw new Error('npm could not install or build the project');
  const begin = performance.now();
  const installed = espalier('setup', 'cuda', '--json', ...process.argv.slice(2)).at(-1);
  console.log(`set up in ${((performance.now() - begin) / 1000).toFixed(0)} s: ${installed.finding}`);
  const { pinnedLibraries, findLibrary } = await import('@espalier/runtime');
  process.env['ESPALIER_CACHE'] = cache;
  const { folder, paths } = findLibrary('cuda');
  for (const path of paths) expect(existsSync(path), `${path} is there`);
  const files = new Set(readdirSync(folder));
  for (const { members } of pinnedLibraries.cuda.wheels)
    for (const member of members) expect(files.has(member.split('/').at(-1)), `${member} is unpacked`);
  expect(
    /^.*: CUDA 13\.\d, cuDNN 9\.\d+\.\d+, (everything loads up to the driver|its libraries load);/.test(
      installed.finding,
    ),
    `the libraries load: ${installed.finding}`,
  );
  const hasDriver = installed.driver !== 'absent';
  expect(
    hasDriver || installed.finding.includes('no NVIDIA driver on this machine'),
    'it says that no driver is there',
  );
  expect(espalier('setup', 'cuda', '--json').length === 1, 'a second set-up fetches nothing');
  const checks = espalier('doctor', '--json');
  const stateOf = (wanted) => checks.find(({ name }) => name === wanted)?.state;
  expect(stateOf('cuda files') === 'ok', 'doctor finds the files');
  expect(stateOf('cuda driver') === (hasDriver ? 'ok' : 'absent'), 'doctor says whether there is a driver');
  const left = readdirSync(join(cache, 'libraries'));
  expect(left.length === 1, `nothing else stays: ${left.join(', ')}`);
} catch (error) {
  failures.push(error.message);
} finally {
  rmSync(cache, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(failures.length === 0 ? 'all right' : `${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function expect(isSo, finding) {
  if (!isSo) failures.push(`not so: ${finding}`);
}

/** Runs the command and returns the objects that it printed. */
function espalier(...args) {
  const env = { ...process.env, ESPALIER_CACHE: cache };
  const options = { cwd: cache, env, encoding: 'utf8', maxBuffer: 1 << 26 };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'apps/cli/dist/main.js'), ...args],
    options,
  );
  if (status !== 0)
    throw new Error(`espalier ${args.join(' ')} ended with ${status}: ${`${stdout}${stderr}`.trim()}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
