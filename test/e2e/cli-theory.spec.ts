import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-theory-'));
afterAll(() => removeFolder(folder));
const small = ['--set', 'steps=10', '--set', 'runs=10'];

describe('espalier theory', () => {
  it('prints what is computed beside what is simulated', async () => {
    const { code, stdout } = await callCli(['theory', 'echo-trap', ...small], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('errors apart: standard errors');
    expect(stdout).not.toContain('limit: ');
    expect(stdout).toMatch(/2 kept, divided, as fast +trapped runs +0\.\d{4} +0\.\d{4} +± 0\.\d{4}/);
  });

  it('gives curves as JSON and as a picture', async () => {
    const words = [
      'theory',
      'echo-trap',
      ...small,
      '--quantity',
      'trapped',
      '--svg',
      'trapped.svg',
      '--json',
    ];
    const { stdout } = await callCli(words, { cwd: folder });
    const { settings, curves } = JSON.parse(stdout) as {
      settings: Record<string, number>;
      curves: { quantity: string; values: number[] }[];
    };
    expect(settings).toMatchObject({ steps: 10, groups: 8 });
    expect(
      curves.filter(({ quantity }) => quantity === 'trapped').map(({ values }) => values.length),
    ).toEqual([11, 11, 11, 11]);
    expect(readFileSync(join(folder, 'trapped.svg'), 'utf8')).toContain('echo-trap: trapped, computed');
  });

  it.each([
    [['echo-trap', '--set', 'luck=1'], 'echo-trap has no setting "luck"; it has groups, telling'],
    [['echo-trap', '--set', 'steps=1.5'], 'expected a whole number from 1 to 1000'],
    [['echo-trap', '--quantity', 'x', '--svg', 'x.svg', ...small], 'echo-trap has reading, success'],
    [['echo-trap', '--quantity', 'trapped', ...small], 'name a file with --svg, or leave it out'],
    [
      ['echo-trap', '--svg', 'x.png', ...small],
      'theory --svg x.png: the picture is an SVG; name a file that',
    ],
    [['--set', 'steps=3'], 'settings and pictures belong to one problem'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await callCli(['theory', ...words], { cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
