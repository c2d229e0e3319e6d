// npm run bench | chaos | fuzz | results: builds what changed, then starts the tool of that name (options: --help).
import { build, install, run } from './steps.mjs';

const [name, ...words] = process.argv.slice(2);
if (install() !== 0 || build() !== 0) process.exit(1);
// Ctrl-C belongs to the tool, which saves before it ends.
process.on('SIGINT', () => undefined);
process.exit(run(process.execPath, [`tools/${name}/dist/main.js`, ...words]));
