// What the commands of the workspace share: running a program, installing the locked packages, steps with their times.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Runs one command with its output shown; returns its exit code. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

/** The compiler: TypeScript 7. The package `typescript` stays at 6 for the linter, which needs its programming interface. */
export const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');

/** Compiles what changed, and builds the page; returns the exit code. */
export const build = () =>
  run(process.execPath, [tsc, '-b']) || run(process.execPath, ['tools/build-dashboard.mjs']);

/** Installs the locked packages unless exactly these are installed already. */
export function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const mark = join(root, 'node_modules', '.espalier-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return 0;
  const code = run(npm, ['ci', '--no-audit', '--no-fund'], { shell: process.platform === 'win32' });
  if (code === 0) writeFileSync(mark, lock);
  return code;
}

/** Runs steps in order, lists of steps side by side; continues after a failed check, not after `install` or `build`. */
export async function runSteps(steps) {
  const failed = [];
  for (const step of steps) {
    if (Array.isArray(step)) {
      failed.push(...(await Promise.all(step.map(runList))).flat());
    } else {
      const begin = Date.now();
      console.log(`\n── ${step.name}`);
      const code = step.task();
      tellEnd(step.name, code, begin);
      if (code !== 0) failed.push(step.name);
    }
    if (failed.some((name) => needed.includes(name))) break;
  }
  return failed;
}

/** Steps without which no other makes sense. */
const needed = ['install', 'build', 'page'];

/**
 * Runs the steps of one list in order. What a step prints is shown when it ends, that of one with `isShown` at once; one
 * with `isLow` gives way to all others. Returns the failed names.
 */
async function runList(steps) {
  const failed = [];
  for (const { name, command, isShown = false, isLow = false } of steps) {
    const begin = Date.now();
    if (isShown) console.log(`\n── ${name}`);
    const { code, output } = await runAside(command, isShown, isLow);
    if (!isShown) console.log(`\n── ${name}`);
    process.stdout.write(output);
    tellEnd(name, code, begin);
    if (code !== 0) failed.push(name);
    if (code !== 0 && needed.includes(name)) break;
  }
  return failed;
}

function runAside([program, ...args], isShown, isLow) {
  return new Promise((resolve, reject) => {
    const stdio = isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { cwd: root, stdio });
    if (isLow && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const parts = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => parts.push(part));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(parts) }));
  });
}

function tellEnd(name, code, begin) {
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  console.log(`── ${name}: ${code === 0 ? 'ok' : `failed (exit ${code})`} in ${seconds} s`);
}
