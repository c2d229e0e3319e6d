// npm run chaos: builds what changed, then kills training processes at random moments (options: --help).
import { join } from 'node:path';
import { install, root, run } from './steps.mjs';

if (install() !== 0 || run(join(root, 'node_modules', '.bin', 'tsc'), ['-b']) !== 0) process.exit(1);
process.exit(run(process.execPath, ['apps/chaos/dist/main.js', ...process.argv.slice(2)]));
