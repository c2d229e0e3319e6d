/** @file A plugin of one's own, from `plugin new` to its first use. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { isLong } from '../support/long.js';
import { runCli } from '../support/run-cli.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-own-plugin-'));
});
afterAll(() => removeFolder(folder));

const espalier = (...words: string[]) => callCli(words, { cwd: folder });

/** Builds a new package with the packages of this repository, and leaves it without any. */
function build(own: string): void {
  const modules = join(own, 'node_modules');
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), modules, 'dir');
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'build'], { cwd: own, encoding: 'utf8' });
  unlinkSync(modules);
  expect(status, stdout + stderr).toBe(0);
}

describe('a plugin of one’s own', () => {
  it('is written, passes the suite where it lies, and is loaded by its path', async () => {
    const made = await espalier('plugin', 'new', 'environment', 'hunt');
    expect([made.code, made.stderr]).toEqual([0, '']);
    const own = join(folder, 'espalier-environment-hunt');
    build(own);
    const tested = await runCli(['plugin', 'test'], { cwd: own });
    expect(tested.code, tested.stdout + tested.stderr).toBe(0);
    expect(tested.stdout).toMatch(/Tests +\d\d passed/);

    mkdirSync(join(folder, 'workspace/config'), { recursive: true });
    writeFileSync(
      join(folder, 'workspace/config/plugins.yaml'),
      'packages: [../espalier-environment-hunt]\n',
    );
    const shown = await callCli(['env', 'show', 'hunt'], { cwd: join(folder, 'workspace') });
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    // an edit is there at the next command, without packing
    const file = join(own, 'dist/index.js');
    writeFileSync(file, readFileSync(file, 'utf8').replace('nothing tried', 'not one tried'));
    const edited = await callCli(['env', 'show', 'hunt'], { cwd: join(folder, 'workspace') });
    expect(edited.stdout).toContain('not one tried');
  }, 120_000);

  if (isLong)
    it('finds the kit when npm linked its folder', async () => {
      expect((await espalier('plugin', 'new', 'reward', 'terse')).code).toBe(0);
      build(join(folder, 'espalier-reward-terse'));
      const linked = join(folder, 'linked');
      mkdirSync(join(linked, 'node_modules'), { recursive: true });
      mkdirSync(join(linked, 'config'));
      symlinkSync(
        join(folder, 'espalier-reward-terse'),
        join(linked, 'node_modules/espalier-reward-terse'),
        'dir',
      );
      writeFileSync(join(linked, 'config/plugins.yaml'), 'packages: [espalier-reward-terse]\n');
      const { stdout } = await callCli(['plugins'], { cwd: linked });
      expect(stdout).toContain('terse');
      expect(stdout).not.toContain('broken');
    }, 60_000);

  it('is told when its path leads nowhere', async () => {
    mkdirSync(join(folder, 'lost/config'), { recursive: true });
    writeFileSync(join(folder, 'lost/config/plugins.yaml'), 'packages: [../absent]\n');
    const { stdout } = await callCli(['plugins'], { cwd: join(folder, 'lost') });
    expect(stdout).toContain('the folder does not exist; correct the path');
  });
});
