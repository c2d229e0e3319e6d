import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runPeer } from './run-peer.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-run-peer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints how many words it got, and whether the first two set the type of weights. */
const python = join(folder, 'python');
writeFileSync(
  python,
  `#!/usr/bin/env node
const words = process.argv.slice(2);
const sets = words[0] === '-c' && words[1].includes('set_default_dtype(torch.bfloat16)');
console.log(JSON.stringify({ what: 'told', words: words.length, sets: Number(sets), last: Number(words.at(-1)) }));
`,
);
chmodSync(python, 0o755);

describe('runPeer', () => {
  const program = { file: 'peer.py', args: [3, 7], packages: [] };

  it('starts a program as it is, or with weights of another type', () => {
    const found = { python, folder, versions: {} };
    expect(runPeer(found, program)).toMatchObject([{ numbers: { words: 3, sets: 0, last: 7 } }]);
    expect(runPeer(found, { ...program, weights: 'bfloat16' })).toMatchObject([
      { numbers: { words: 5, sets: 1, last: 7 } },
    ]);
  });
});
