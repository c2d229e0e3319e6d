// npm run test:long: builds what changed, then runs the specs that have a long form in that form; `npm run verify` runs
// their short one. Files that are named run alone.
import { join } from 'node:path';
import { build, install, root, run } from './steps.mjs';

if (install() !== 0 || build() !== 0) process.exit(1);
process.env['TEST_LONG'] = '1';
const specs = [
  'test/conformance/installed-plugins',
  'test/packages/',
  'test/e2e/bench-short',
  'test/e2e/chaos-server-short',
  'test/e2e/takeover',
  'test/endpoint/many-sessions',
  'test/gradient/torch-algorithms',
  'test/tinker/',
];
const given = process.argv.slice(2);
const chosen = given.some((word) => !word.startsWith('-')) ? given : [...specs, ...given];
process.exit(run(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...chosen]));
