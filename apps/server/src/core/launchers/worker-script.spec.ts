import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, startOf } from '@espalier/files';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launcherOptions } from '../../config/launcher-options.js';
import { createLauncher } from './create-launcher.js';
import type { Launcher } from './launcher.js';
import { batchScript } from './worker-script.js';

const name = 'here-00000001';
const ref = { name, handle: name };
let folder = '';
let launcher: Launcher;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-script-'));
  const [options] = launcherOptions.parse([{ name: 'here', driver: 'local', folder }]);
  launcher = createLauncher(options as never, folder);
});
afterEach(async () => {
  await launcher.stop(ref, true);
  await waitFor('it is over', async () => (await phase()) !== 'running');
  removeFolder(folder);
});
const phase = async () => (await launcher.observe([ref])).get(name)?.phase;
const said = (): string => {
  const file = join(folder, 'said');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** Starts a program in the place of a worker, which has said `ready` when this resolves. */
async function start(code: string): Promise<void> {
  const script = join(folder, 'worker.mjs');
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs';
const say = (word) => appendFileSync(process.env.SAID, word + '\\n');
${code}
say('ready');
setInterval(() => undefined, 1000);`,
  );
  const environment = { SAID: join(folder, 'said') };
  await launcher.start({ name, environment, command: [process.execPath, script] });
  await waitFor('it is ready', () => said().includes('ready'));
}

describe('a worker of a shell launcher', () => {
  it('is told to stop once, though a server that was restarted stops it again', async () => {
    await start(`process.on('SIGTERM', () => say('told')); `);
    await launcher.stop(ref);
    await waitFor('it is told', () => said().includes('told'));
    // longer than a worker takes signals for one request
    await wait(600);
    await launcher.stop(ref);
    await wait(300);
    expect(said()).toBe('ready\ntold\n');
    expect(await phase()).toBe('running');
  });

  /** Leads a process group of its own, as a training does. */
  const training = `import { spawn } from 'node:child_process';
const env = { ...process.env, ESPALIER_ATTEMPT: process.env.ESPALIER__WORKER__DATA + '/attempts/a/exit' };
delete env.ESPALIER__WORKER__DATA;
const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
say(process.pid + ' ' + child.pid);`;
  const pids = (): number[] => /^(\d+) (\d+)$/m.exec(said())?.slice(1).map(Number) ?? [];
  const isRunning = (pid = 0): boolean => isAlive({ pid, started: startOf(pid) });

  it.each([
    ['fails', `process.on('SIGUSR2', () => process.exit(1));`, () => process.kill(pids()[0] ?? 0, 'SIGUSR2')],
    [
      'leaves it, as it was told',
      `process.on('SIGUSR2', () => process.exit(0));`,
      () => process.kill(pids()[0] ?? 0, 'SIGUSR2'),
    ],
    ['is killed', '', () => process.kill(pids()[0] ?? 0, 'SIGKILL')],
    ['is killed with its supervisor', '', () => [...pids().slice(0, 1), supervisor()].forEach(kill)],
    ['loses its supervisor', '', () => kill(supervisor())],
    ['is stopped by force', `process.on('SIGTERM', () => undefined);`, () => launcher.stop(ref, true)],
  ])('has no training left once it is over, where it %s', async (_how, code, end) => {
    await start(`${training}\n${code}`);
    const [worker, child] = pids();
    expect([worker, child].map(isRunning)).toEqual([true, true]);
    const other = spawn('sleep', ['60'], {
      env: { ESPALIER_ATTEMPT: join(folder, 'else/attempts/a/exit') },
    });
    await end();
    await waitFor('it is over', async () => (await phase()) === 'ended');
    expect([worker, child, other.pid].map(isRunning)).toEqual([false, false, true]);
    other.kill('SIGKILL');
  });
  const supervisor = (): number => Number.parseInt(readFileSync(join(folder, name, 'pid'), 'utf8'), 10);
  const kill = (pid: number): boolean => process.kill(pid, 'SIGKILL');
});

/** Runs the script of a job of Slurm, which starts a shell in the place of a worker. */
function runJob(words: string, place: string, path = process.env['PATH']) {
  const order = { name, environment: {}, command: ['sh', '-c', words] };
  const input = batchScript('', place, order);
  return spawnSync('sh', ['-s'], { input, cwd: folder, encoding: 'utf8', env: { PATH: path } });
}

describe('a worker of Slurm', () => {
  it('has no training left once its job is over', async () => {
    const variable = 'ESPALIER_ATTEMPT="$ESPALIER__WORKER__DATA/attempts/a/exit"';
    const leave = `${variable} setsid sleep 60 > /dev/null 2>&1 & echo $!; exit 1`;
    const { status, stdout } = runJob(leave, '.');
    expect([status, existsSync(join(folder, name))]).toEqual([1, true]);
    const pid = Number(stdout);
    expect(isAlive({ pid, started: startOf(pid) })).toBe(false);
  });

  it('has a folder in /tmp that is that of its user, and none of another user', () => {
    // a user with an id of its own
    const id = basename(folder);
    const place = `/tmp/espalier-workers-${id}`;
    writeFileSync(join(folder, 'id'), `#!/bin/sh\necho ${id}`, { mode: 0o755 });
    const run = () => runJob('echo "$ESPALIER__WORKER__DATA"', '', `${folder}:${process.env['PATH']}`);
    try {
      expect(run()).toMatchObject({ status: 0, stdout: `${place}/${name}\n` });
      expect([statSync(place).mode & 0o777, readdirSync(place)]).toEqual([0o700, []]);
      rmSync(place, { recursive: true });
      if (process.getuid?.() === 0) {
        mkdirSync(place);
        chownSync(place, 65_534, 65_534);
      } else symlinkSync('/', place);
      expect(run()).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining(`${place} belongs to another user; set the folder`) as string,
      });
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('removes folders that were made on its node more than a week ago, unless a process uses them', () => {
    const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
    const make = (each: string, node: string, age: number): string => {
      const path = join(folder, each);
      mkdirSync(path);
      writeFileSync(join(path, 'node'), node);
      utimesSync(join(path, 'node'), days(age), days(age));
      return path;
    };
    make('old', hostname(), 9);
    make('recent', hostname(), 6);
    make('elsewhere', 'n2', 9);
    const env = { PATH: process.env['PATH'], ESPALIER__WORKER__DATA: make('used', hostname(), 9) };
    mkdirSync(join(folder, 'other'));
    const worker = spawn('sleep', ['60'], { env });
    expect(runJob('exit 0', folder)).toMatchObject({ status: 0, stderr: '' });
    worker.kill('SIGKILL');
    expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'other', 'recent', 'used']);
  });
});
