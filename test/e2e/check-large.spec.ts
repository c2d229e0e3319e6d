/** @file `npm run check:large` in its short form: the same processes on a tiny model. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../tools/check-large.mjs', import.meta.url));
let folder = '';

function check(...words: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

interface Report {
  readonly failures: readonly string[];
  readonly rows: readonly { readonly process: string; readonly name: string; readonly peakBytes: number }[];
}

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'check-large-'))));
afterAll(() => removeFolder(folder));

describe('check:large', () => {
  it(
    'trains with LoRA and with all weights, and resumes with the same bits',
    { timeout: 120_000 },
    async () => {
      const json = join(folder, 'rows.json');
      const { code, output } = await check('--short', '--json', json);
      expect(output).toContain('lora: the resumed step gives the same weights and moments, bit for bit');
      expect(output).toContain('full: the resumed step gives the same weights and moments, bit for bit');
      expect(code).toBe(0);
      const { rows, failures } = JSON.parse(readFileSync(json, 'utf8')) as Report;
      expect(failures).toEqual([]);
      const phases = (name: string) => rows.filter((row) => row.process === name).map((row) => row.name);
      expect(phases('full')).toContain('save');
      expect(phases('full, resumed')).toEqual(['open', 'load', 'sample 2', 'gradients 2', 'optimizer 2']);
      for (const { peakBytes } of rows) expect(peakBytes).toBeGreaterThan(2e7);
    },
  );

  it('refuses a shape that it does not know', async () => {
    const { code, output } = await check('--shape', 'huge');
    expect(code).toBe(2);
    expect(output).toContain('qwen2.5-0.5b');
  });
});
