/** `npm run cli -- …`: the command line, once it is built. */
import { existsSync } from 'node:fs';

const main = new URL('../apps/cli/dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  console.error('espalier is not built yet; run `npm run quickstart`, or `npm ci && npm run build`, first');
  process.exit(1);
}
