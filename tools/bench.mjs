// npm run bench: builds what changed, then measures (options: node apps/bench/dist/main.js --help).
import { join } from 'node:path';
import { install, root, run } from './steps.mjs';

if (install() !== 0 || run(join(root, 'node_modules', '.bin', 'tsc'), ['-b']) !== 0) process.exit(1);
process.exit(run(process.execPath, ['apps/bench/dist/main.js', ...process.argv.slice(2)]));
