/** @file `espalier plugin dev`: a save is played, a broken one shown, and what a build writes starts no other. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-plugin-dev-')));
const folder = join(home, 'plugin');
const builds = join(home, 'builds.txt');
afterAll(() => removeFolder(home));

/** Saves a file as editors do, at once. */
function save(name: string, text: string): void {
  writeFileSync(join(home, name), text);
  renameSync(join(home, name), join(folder, name));
}

const source = (text: string): string => `
import { defineEnvironment } from '@espalier/plugin-kit';
export default defineEnvironment({
  id: 'draft', summary: 'A draft.', actions: ['Go'],
  create: () => ({ reset: () => '${text}', step: () => ({ observation: 'gone', reward: 1, done: true }) }),
});
`;

it('plays every save, shows a broken one, starts no build for what builds write, and ends on Ctrl-C', async () => {
  mkdirSync(folder);
  // it writes outside dist, something else each time, and counts itself outside the folder
  save(
    'build.mjs',
    `import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs';
copyFileSync('source.js', 'index.js');
writeFileSync('stamp.txt', String(process.hrtime.bigint()));
appendFileSync(${JSON.stringify(builds)}, 'build\\n');
`,
  );
  save('source.js', source('first'));
  const manifest = { name: 'espalier-draft', version: '0.1.0', type: 'module', exports: './index.js' };
  save('package.json', JSON.stringify({ ...manifest, scripts: { build: 'node build.mjs' } }));
  const counts: number[] = [];
  const countBuilds = (): number => readFileSync(builds, 'utf8').split('\n').length - 1;
  const steps: { isSeen: (out: string, errors: string) => boolean; then: () => void }[] = [
    {
      // the first build's files are new, so it runs once more
      isSeen: (out) => out.split('\nfirst\n').length > 2,
      then: () => save('source.js', source('second')),
    },
    { isSeen: (out) => out.includes('\nsecond\n'), then: () => save('source.js', 'export default 3;') },
    {
      isSeen: (_out, errors) => errors.includes('default export is a number'),
      then: () => save('source.js', source('third')),
    },
  ];
  let out = '';
  let errors = '';
  const advance = (kill: (signal: NodeJS.Signals) => void): void => {
    if (steps[0]?.isSeen(out, errors) === true) {
      counts.push(countBuilds());
      steps.shift()?.then();
    } else if (steps.length === 0 && out.includes('\nthird\n')) kill('SIGINT');
  };
  const { code, stdout, stderr } = await runCli(['plugin', 'dev', folder], {
    onOutput: (text, kill) => {
      out = text;
      advance(kill);
    },
    onError: (text, kill) => {
      errors = text;
      advance(kill);
    },
  });
  expect([code, counts, countBuilds()]).toEqual([0, [2, 3, 4], 5]);
  expect(stdout).toContain('actions: 1 Go');
  expect(stderr).toContain('save again once it is mended');
}, 120_000);
