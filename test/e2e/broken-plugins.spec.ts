/** @file One broken plugin in a workspace: what does not need it works, what does says why, the list has it. */
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';

const installed = fileURLToPath(new URL('../../plugins', import.meta.url));
let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'espalier-broken-'));
  for (const kind of readdirSync(installed)) {
    mkdirSync(join(cwd, 'plugins', kind), { recursive: true });
    for (const name of readdirSync(join(installed, kind)))
      symlinkSync(join(installed, kind, name), join(cwd, 'plugins', kind, name), 'dir');
  }
  const maze = join(cwd, 'plugins/environments/maze');
  mkdirSync(maze);
  const manifest = { name: 'maze-of-somebody', version: '0.3.0', type: 'module', exports: './main.js' };
  writeFileSync(join(maze, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(maze, 'main.js'), 'throw new Error("no way in");');
  mkdirSync(join(cwd, 'plugins/rewards/forgotten/src'), { recursive: true });
  const lines = [
    'environment: { use: bandit }',
    'algorithm: { use: grpo }',
    'rewards: [{ use: environment-return }]',
  ];
  writeFileSync(join(cwd, 'run.yaml'), lines.join('\n'));
});
afterAll(() => removeFolder(cwd));

const espalier = (...words: readonly string[]) => callCli(words, { cwd });

describe('a workspace with a broken plugin', () => {
  it.each([
    ['env', ['env', 'show', 'bandit', '--seeds', '7']],
    ['plan', ['plan', 'run.yaml', '--json']],
  ])('runs %s, which does not need it, and names it with the reason', async (_name, words) => {
    const { code, stdout, stderr } = await espalier(...words);
    expect([code, stdout.length > 0]).toEqual([0, true]);
    expect(stderr).toMatch(/note: plugin package "maze-of-somebody" is broken and left out: .*: no way in/);
    expect(stderr).toMatch(/note: plugin package "forgotten" .*package\.json is missing; write one/);
  });

  it.each([
    ['env show', ['env', 'show', 'maze', '--seeds', '7']],
    ['plan', ['plan', 'run.yaml', '--set', 'environment.use=maze']],
  ])('refuses %s of the broken one with its own error', async (_name, words) => {
    const { code, stdout, stderr } = await espalier(...words);
    expect([code === 0, stdout]).toEqual([false, '']);
    expect(stderr).toMatch(/plugin\.unreadable/);
    expect(stderr).toMatch(/main\.js throws on import: no way in; import it alone to see where/);
  });

  it('refuses a run that wants the folder without package.json', async () => {
    const { code, stderr } = await espalier('plan', 'run.yaml', '--set', 'rewards=[{use: forgotten}]');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/reward "?forgotten"? cannot be used: .*package\.json is missing/);
  });

  it('is listed with what is broken, and where everything comes from', async () => {
    const told = await espalier('plugins');
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toMatch(/broken\n {2}maze-of-somebody .*no way in.*\n {2}forgotten/);
    const { stdout } = await espalier('plugins', '--json');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const find = (id: string) => rows.find((row) => row['id'] === id);
    expect(find('bandit')).toMatchObject({
      kind: 'environment',
      health: 'ok',
      package: '@espalier/environment-bandit',
      origin: 'folder',
      isolation: 'none',
      folder: join(cwd, 'plugins/environments/bandit'),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown,
    });
    expect(find('maze')).toMatchObject({
      kind: 'environment',
      health: 'broken',
      package: 'maze-of-somebody',
      version: '0.3.0',
      folder: join(cwd, 'plugins/environments/maze'),
      origin: 'folder',
      message: expect.stringContaining('no way in') as unknown,
    });
    expect(find('forgotten')).toMatchObject({ kind: 'reward', health: 'broken', package: 'forgotten' });
  });
});
