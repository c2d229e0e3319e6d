// npm run results: builds what changed, then trains the matrix (options: node apps/results/dist/main.js --help).
import { join } from 'node:path';
import { install, root, run } from './steps.mjs';

if (install() !== 0 || run(join(root, 'node_modules', '.bin', 'tsc'), ['-b']) !== 0) process.exit(1);
// Ctrl-C belongs to the runs, which save before they end.
process.on('SIGINT', () => undefined);
process.exit(run(process.execPath, ['apps/results/dist/main.js', ...process.argv.slice(2)]));
