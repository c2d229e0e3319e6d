import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { runPage } from './run-page.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-page-')));
afterAll(() => removeFolder(folder));

const slashes = '//';
const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;
const follow = (...blocks: readonly string[]): Promise<string> =>
  runPage('page.md', `# Page\n\n${blocks.join('\n')}`, {
    folder,
    env: process.env,
    instead: { 'echo one': 'echo one two', 'false\ntrue': 'echo both' },
  });

describe('runPage', () => {
  it('writes files and runs commands, each where the one before ended', async () => {
    const output = await follow(
      fence('sh', 'mkdir -p inner\ncd inner'),
      fence('yaml', '# notes.yaml\nanswer: 1'),
      fence('sh', 'cat notes.yaml\necho one'),
    );
    expect(output).toContain('answer: 1\none two\n');
    expect(readFileSync(join(folder, 'inner/notes.yaml'), 'utf8')).toBe('# notes.yaml\nanswer: 1\n');
  });

  it('types what is given in place of lines, of those of a workflow too, and of no part of a line', async () => {
    expect(await follow(fence('sh', 'false\ntrue\necho one more'))).toContain('both\none more\n');
    const steps = 'jobs: { test: { steps: [{ run: echo one }] } }';
    expect(await follow(fence('yaml', `# .github/workflows/a.yml\n${steps}`))).toBe('one two\n');
  });

  it('answers what asks for input, so that it ends', async () => {
    expect(await follow(fence('sh', 'read answer\necho "got $answer"'))).toContain('got q');
  });

  it('runs the steps of a workflow in the folder of its package', async () => {
    const steps = 'jobs: { test: { steps: [{ uses: a }, { run: pwd }] } }';
    expect(await follow(fence('yaml', `# own/.github/workflows/test.yml\n${steps}`))).toContain(
      join(folder, 'own'),
    );
  });

  it.each([
    ['a line fails', [fence('sh', 'echo first\nfalse\necho never')], /^page\.md:3: Command failed/],
    ['a block is no file and no command', [fence('ts', 'const a = 1;')], /^page\.md:3: a block is neither/],
    ['a block has no language', [fence('', 'output')], /^page\.md:3: a block is neither/],
    [
      'a source is never tested',
      [fence('ts', `${slashes} a.ts\n`), fence('sh', 'echo')],
      /never used: a\.ts$/,
    ],
    ['a file is never named', [fence('yaml', '# a.yaml\n'), fence('sh', 'echo b')], /never used: a\.yaml$/],
    ['a file lies elsewhere', [fence('yaml', '# ../a.yaml\n')], /lies outside of the folder/],
    [
      'a step of a workflow fails',
      [fence('yaml', '# .github/workflows/a.yml\njobs: { a: { steps: [{ run: exit 3 }] } }')],
      /^page\.md:3: Command failed/,
    ],
  ])('fails where %s', async (_, blocks, finding) => {
    await expect(follow(...blocks)).rejects.toThrow(finding);
  });
});
