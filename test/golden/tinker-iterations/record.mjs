/**
 * Writes frames.jsonl.gz, what two iterations of each run send over the Tinker API (capture.mjs):
 *
 *     npm run build && OMP_NUM_THREADS=1 node test/golden/tinker-iterations/record.mjs
 *
 * Record again only when what is sent changes on purpose.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { captureRemote, runs } from './capture.mjs';

const lines = [];
for (const run of Object.keys(runs))
  for (const frame of await captureRemote(run)) lines.push(JSON.stringify({ run, ...frame }));
const file = new URL('frames.jsonl.gz', import.meta.url);
writeFileSync(file, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
