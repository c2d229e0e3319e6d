// npm run hostile: builds what changed, then sends all cases of test/hostile and random changes of them to a server on
// each database; --minutes N of random cases (default 10, for each database; 0: none) and --seed N (default: another one
// each time). `npm run verify` sends some of the cases.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, install, root, run } from './steps.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(minutes >= 0) || !Number.isSafeInteger(seed)) {
  console.error('hostile: --minutes is a number of 0 or more, --seed a whole number');
  process.exit(2);
}
if (install() !== 0 || build() !== 0) process.exit(1);
process.env['HOSTILE_MINUTES'] = String(minutes);
process.env['HOSTILE_SEED'] = String(seed);
process.exit(run(join(root, 'node_modules', '.bin', 'vitest'), ['run', 'test/hostile']));
