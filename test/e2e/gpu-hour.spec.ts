import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../tools/gpu-hour/all.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-gpu-hour-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the figures of a GPU', () => {
  it('are tables from one command, tried on the stand-in; what cannot run says why', async () => {
    const out = join(folder, 'figures.md');
    const absent = join(folder, 'no-python');
    const words = ['--device', 'stand-in', '--tiny', '--steps', '1', '--parts', 'train', '--python', absent];
    await promisify(execFile)(process.execPath, [script, ...words, '--out', out]);
    const [, own = '', libtorch = '', pytorch = '', run = ''] = readFileSync(out, 'utf8').split(/^## /m);
    expect(own).toMatch(/^Espalier\n\n\| device \| part \| model \|.*tokensPerSecond \|/);
    expect(own).toMatch(/^\| stand-in \| train \| tiny-llama \| float32 \| .* \| \d+ \|$/m);
    for (const section of [libtorch, pytorch]) expect(section).toMatch(/Incomplete: .*no-python/);
    expect(run).toMatch(/^\| train \| 1 \| [\d.]+ \| [\d.]+ \| [\d.]+ \| \d+ \|$/m);
  }, 240_000);
});
