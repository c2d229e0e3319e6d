// npm run fuzz: builds what changed, then throws mutated input at the readers (options: --help).
import { join } from 'node:path';
import { install, root, run } from './steps.mjs';

if (install() !== 0 || run(join(root, 'node_modules', '.bin', 'tsc'), ['-b']) !== 0) process.exit(1);
process.exit(run(process.execPath, ['apps/fuzz/dist/main.js', ...process.argv.slice(2)]));
