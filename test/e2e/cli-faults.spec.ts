/** @file Runs whose disk is full, read-only or gone, and folders two processes want: real processes, real limits. */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashFile } from '@espalier/files';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { afterCheckpoint, lastingRows } from '../support/lasting.js';
import { isLong } from '../support/long.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
let folder = '';
let expected: ReturnType<typeof lastingOf>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-faults-'));
  writeTinyModel(join(folder, 'random'));
  const yaml = [
    'environment: { use: bandit }',
    'algorithm: { use: ppo }',
    'model: { path: ./random }',
    'steps: 4',
    'rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 8 }',
    'validation: { every: 0, episodes: 2 }',
    'checkpoint: { every: 1, keep: 9 }',
    'device: { threads: 1 }',
  ];
  writeFileSync(join(folder, 'run.yaml'), `${yaml.join('\n')}\n`);
  const { code, stderr } = await callCli(words('whole'), { cwd: folder });
  expect([code, stderr]).toEqual([0, '']);
  expected = lastingOf('whole');
}, 120_000);
afterAll(() => removeFolder(folder));

const words = (out: string, ...more: string[]) => ['train', 'run.yaml', '--out', out, ...more];

/** Weights, moments and rows at the end of a run, without what the clock says. */
function lastingOf(out: string) {
  const newest = join(folder, out, 'checkpoints/step-000004');
  const files = ['policy/model', 'policy/optimizer', 'critic/model', 'critic/optimizer'];
  return {
    weights: files.map((name) => hashFile(join(newest, `${name}.safetensors`))),
    rows: lastingRows(join(folder, out)),
  };
}

/** @param run in a process of its own where that must have closed all files */
async function expectToGoOn(out: string, run: typeof callCli = callCli): Promise<void> {
  const { code, stderr } = await run(words(out, '--resume'), { cwd: folder });
  expect([code, stderr]).toEqual([0, '']);
  expect(lastingOf(out)).toEqual(expected);
}

const mount = (...args: string[]) => spawnSync('mount', args).status === 0;
const canMount = (() => {
  const probe = mkdtempSync(join(tmpdir(), 'espalier-mount-'));
  const isMounted = process.getuid?.() === 0 && mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe);
  if (isMounted) spawnSync('umount', [probe]);
  rmSync(probe, { recursive: true, force: true });
  return isMounted;
})();

describe.runIf(process.platform === 'linux')('espalier train without room', () => {
  it('stops at a limit on the size of files, says what is safe, leaves no half checkpoint, and goes on', async () => {
    // a file larger than this (in blocks of 512 bytes) is refused, as on a full disk
    const shell = `trap '' XFSZ; ulimit -f 200; exec "$0" "$@"`;
    const child = spawnSync('sh', ['-c', shell, process.execPath, main, ...words('limited')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(child.stderr).toMatch(
      /error trainer\.write_failed: save checkpoint ".*step-000001": EFBIG.*free disk space.*no checkpoint was written/,
    );
    expect(child.status).toBe(75);
    expect(readdirSync(join(folder, 'limited/checkpoints'))).toEqual([]);
    expect(existsSync(join(folder, 'limited/run.lock'))).toBe(false);
    await expectToGoOn('limited');
  }, 120_000);

  it.runIf(canMount)(
    'stops on a full disk, names the last good checkpoint, and goes on when there is room',
    async () => {
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      // room for all at the start, until something else takes it
      const megabytes = 8 + Math.ceil((5 * sizeOf(join(folder, 'whole/checkpoints/step-000001'))) / 2 ** 20);
      expect(mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk)).toBe(true);
      const fill = afterCheckpoint(1, () => {
        const { bavail, bsize } = statfsSync(disk);
        // what is left has room for lines, not for a checkpoint
        spawnSync('fallocate', ['-l', String(bavail * bsize - 256 * 1024), join(disk, 'other')]);
      });
      try {
        const { code, stdout } = await runCli(words('disk/run', '--json'), { cwd: folder, onOutput: fill });
        expect(stdout).toMatch(
          /"trainer\.write_failed".*ENOSPC.*the last good checkpoint is .*step-00000[1-3]/,
        );
        expect(code).toBe(75);
        expect(mount('-o', 'remount,size=64m', disk)).toBe(true);
        await expectToGoOn('disk/run', runCli);
      } finally {
        spawnSync('umount', [disk]);
      }
    },
    120_000,
  );

  // the short form has the full disk
  if (isLong)
    it.runIf(canMount)(
      'stops on a disk that became read-only, and goes on when it can be written again',
      async () => {
        const disk = join(folder, 'frozen');
        mkdirSync(disk);
        expect(mount('-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk)).toBe(true);
        try {
          // a remount is refused while files are open for writing; a bind mount over the folder is not
          const target = join(disk, 'run/checkpoints');
          const onOutput = afterCheckpoint(1, () => {
            mount('--bind', target, target);
            mount('-o', 'remount,ro,bind', target);
          });
          const { code, stderr } = await runCli(words('frozen/run', '--json'), { cwd: folder, onOutput });
          expect([code, stderr]).toEqual([75, '']);
          const stopped = await runCli(words('frozen/run', '--resume'), { cwd: folder });
          expect(stopped.stderr).toMatch(
            /error trainer\.write_failed: .*EROFS.*last good checkpoint is ".*step-00000[1-3]"/,
          );
          expect(stopped.code).toBe(75);
          spawnSync('umount', [target]);
          await expectToGoOn('frozen/run', runCli);
        } finally {
          spawnSync('umount', [join(disk, 'run/checkpoints')]);
          spawnSync('umount', [disk]);
        }
      },
      120_000,
    );
});

describe.runIf(process.platform === 'linux')('espalier train without permission', () => {
  it('refuses a folder it may not write, and changes nothing in it', () => {
    cpSync(join(folder, 'whole'), join(folder, 'sealed'), { recursive: true });
    spawnSync('chmod', ['-R', 'a-w', join(folder, 'sealed')]);
    // permission does not bind root; without this one power it does, and root still reads a clone that others cannot
    const drop = ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override'];
    const asOther = process.getuid?.() === 0 ? drop : [];
    const [command = '', ...rest] = [...asOther, process.execPath, main, ...words('sealed', '--resume')];
    const { status, stderr } = spawnSync(command, rest, { cwd: folder, encoding: 'utf8' });
    expect(stderr).toMatch(/error cli\.unusable_folder: write to sealed: no permission to write/);
    expect(status).toBe(3);
    expect(readdirSync(join(folder, 'sealed')).sort()).toEqual(readdirSync(join(folder, 'whole')).sort());
    spawnSync('chmod', ['-R', 'u+w', join(folder, 'sealed')]);
  }, 60_000);
});

describe('espalier train whose folder goes away', () => {
  it('stops, does not raise it again, and goes on when it is back', async () => {
    const onOutput = afterCheckpoint(2, () => renameSync(join(folder, 'moved'), join(folder, 'elsewhere')));
    const { code, stdout } = await runCli(words('moved', '--json'), { cwd: folder, onOutput });
    expect(stdout).toMatch(/trainer\.write_failed.*was moved, removed or taken over.*restore it to resume/);
    expect(code).toBe(75);
    expect(existsSync(join(folder, 'moved'))).toBe(false);
    renameSync(join(folder, 'elsewhere'), join(folder, 'moved'));
    await expectToGoOn('moved');
  }, 120_000);

  it('stops when it was deleted', async () => {
    // taken away in one go: a run that writes on while its files vanish one by one would fill the folder again
    const onOutput = afterCheckpoint(2, () => {
      renameSync(join(folder, 'deleted'), join(folder, 'trash'));
      rmSync(join(folder, 'trash'), { recursive: true, maxRetries: 50, retryDelay: 10 });
    });
    const { code, stdout } = await runCli(words('deleted', '--json'), { cwd: folder, onOutput });
    expect(stdout).toMatch(/trainer\.write_failed.*is gone with its folder/);
    expect(code).toBe(75);
    expect(existsSync(join(folder, 'deleted'))).toBe(false);
  }, 120_000);
});

describe.runIf(process.platform !== 'win32')('two processes that want one run folder', () => {
  it('refuses the second with the id of the first, which goes on unharmed', async () => {
    const first = spawn(process.execPath, [main, ...words('shared', '--json')], { cwd: folder });
    try {
      await new Promise<void>((resolve) => {
        let text = '';
        first.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.includes('run-started')) resolve();
        });
      });
      first.kill('SIGSTOP'); // it must not end before the second has looked
      const second = await callCli(words('shared', '--resume'), { cwd: folder });
      expect(second.stderr).toMatch(
        new RegExp(`error trainer\\.run_locked: .*held by process ${first.pid} on`),
      );
      expect(second.code).toBe(75);
      const ended = new Promise<number | null>((resolve) => first.on('close', resolve));
      first.kill('SIGCONT');
      expect(await ended).toBe(0);
    } finally {
      first.kill('SIGKILL');
    }
    expect(lastingOf('shared')).toEqual(expected);
  }, 120_000);

  it('takes the folder over from a process that was killed', async () => {
    const onOutput = afterCheckpoint(2, (kill) => kill('SIGKILL'));
    const { code } = await runCli(words('killed', '--json'), { cwd: folder, onOutput });
    expect(code).toBe(null);
    expect(existsSync(join(folder, 'killed/run.lock'))).toBe(true);
    await expectToGoOn('killed');
  }, 120_000);
});

const sizeOf = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length, 0);
