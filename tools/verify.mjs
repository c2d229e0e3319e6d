// npm run verify: install, build, types, generated files, all tests, lint, format.
// Leaves .cache/verify/tests.json (the test runner's report), which .ci/run counts.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { install, root, runSteps, tsc } from './steps.mjs';

const cache = join(root, '.cache', 'verify');
rmSync(cache, { recursive: true, force: true });
mkdirSync(cache, { recursive: true });
const bin = (name) => join(root, 'node_modules', '.bin', name);

// specs that share processes take what is built
process.env.ESPALIER_TESTS = 'built';

// The compiler shares two cores with the linter: several checkers would each check what they share, and its memory,
// managed by Go, is collected less often.
const compile = [process.execPath, tsc];
const once = ['--checkers', '1'];
process.env.GOGC ??= '400';

const begin = Date.now();
const failed = await runSteps([
  { name: 'install', task: install },
  // lint and format read the sources alone, and take the processor time that the tests leave
  [
    [
      { name: 'build', command: [...compile, '-b', ...once] },
      { name: 'page', command: [process.execPath, 'tools/build-dashboard.mjs'] },
      { name: 'types of tests', command: [...compile, '-p', 'tsconfig.spec.json', ...once] },
      { name: 'types of the page', command: [...compile, '-p', 'apps/dashboard', ...once] },
      { name: 'generated files', command: [process.execPath, 'tools/generate.mjs', '--check'] },
      {
        name: 'tests',
        command: [
          bin('vitest'),
          'run',
          '--reporter=default',
          '--reporter=json',
          `--outputFile.json=${join(cache, 'tests.json')}`,
        ],
        isShown: true,
      },
    ],
    [
      { name: 'lint', command: [bin('eslint'), '.', '--max-warnings', '0'], isLow: true },
      { name: 'format', command: [bin('oxfmt'), '--check'], isLow: true },
    ],
  ],
]);
const minutes = ((Date.now() - begin) / 60000).toFixed(1);
if (failed.length > 0) {
  console.error(`\nverify: failed in ${minutes} min: ${failed.join(', ')}`);
  process.exit(1);
}
console.log(`\nverify: all good in ${minutes} min`);
