import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/source-files.js';
import { callCli } from '../support/call-cli.js';

const archives = join(root, 'docs/paper/runs');
const folder = mkdtempSync(join(tmpdir(), 'espalier-paper-'));
const sweeps = join(folder, 'runs/sweeps');

/** Its first lines name the command and the minute in which it was made. */
const bodyOf = (page: string): string =>
  page.slice(page.indexOf('A verdict follows')).replaceAll(/`[^`]* (sweep config\/recipes)/g, '`$1');

describe('docs/paper.md', () => {
  beforeAll(() => {
    symlinkSync(join(root, 'config'), join(folder, 'config'));
    for (const archive of readdirSync(archives)) {
      const sweep = join(sweeps, basename(archive, '.tar.gz'));
      mkdirSync(sweep, { recursive: true });
      execFileSync('tar', ['-xzf', join(archives, archive), '-C', sweep]);
    }
  });
  afterAll(() => removeFolder(folder));

  it('is what its archived runs say, all of them whole and with the options of their recipe', async () => {
    const page = readFileSync(join(root, 'docs/paper.md'), 'utf8');
    const recipes = new Set(page.match(/config\/recipes\/[\w-]+\.yaml/g));
    const words = ['report', ...recipes, '--brief', '--out', 'paper.md', '--json'];
    const { code, stdout, stderr } = await callCli(words, { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(bodyOf(readFileSync(join(folder, 'paper.md'), 'utf8'))).toBe(bodyOf(page));
    for (const { name, runs, changed } of (JSON.parse(stdout) as { subjects: Subject[] }).subjects)
      expect([name, runs.length, changed]).toEqual([name, keptOf(name).length, []]);
  });
});

interface Subject {
  readonly name: string;
  readonly runs: readonly object[];
  readonly changed: readonly object[];
}

/** Names of the runs in the archive of a recipe. */
const keptOf = (recipe: string): string[] =>
  existsSync(join(sweeps, recipe))
    ? readdirSync(join(sweeps, recipe)).filter((name) => !name.endsWith('.json'))
    : [];
