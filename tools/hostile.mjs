// npm run hostile: builds what changed, then sends random changes of the cases of test/hostile to a server on each
// database; --minutes N (default 10, for each database) and --seed N (default: another one each time).
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install, root, run } from './steps.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('hostile: --minutes is a number above 0, --seed a whole number');
  process.exit(2);
}
if (install() !== 0 || run(join(root, 'node_modules', '.bin', 'tsc'), ['-b']) !== 0) process.exit(1);
process.env['HOSTILE_MINUTES'] = String(minutes);
process.env['HOSTILE_SEED'] = String(seed);
process.exit(run(join(root, 'node_modules', '.bin', 'vitest'), ['run', 'test/hostile']));
