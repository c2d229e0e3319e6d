import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../tools/bench/dist/main.js', import.meta.url));
const recorded = fileURLToPath(new URL('../../tools/bench/src/peers/recorded/', import.meta.url));

/** Stands for a virtual environment's Python: tells versions, prints what was recorded, fails for one program. */
const interpreter = `#!/usr/bin/env node
const { readFileSync } = require('node:fs');
const words = process.argv.slice(2);
if (words[0] === '-c') {
  console.log(JSON.stringify(Object.fromEntries(words.slice(2).map((name) => [name, '1.0']))));
} else if (words[0].endsWith('hf_generate.py')) {
  console.error('Traceback\\nRuntimeError: out of luck');
  process.exit(1);
} else {
  console.log(readFileSync(${JSON.stringify(recorded)} + 'envs.txt', 'utf8'));
}
`;

function bench(...words: string[]): Promise<{ status: number | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stderr }));
  });
}

describe('bench --peers', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-bench-peers-'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'python'), interpreter);
    chmodSync(join(folder, 'bin', 'python'), 0o755);
    for (const name of ['envs.py', 'hf_generate.py']) writeFileSync(join(folder, name), '');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'writes ratios, tells a failed peer in its row and goes on with the others',
    { timeout: 120_000 },
    async () => {
      const file = join(folder, 'rows.json');
      const { status, stderr } = await bench(
        '--peers',
        folder,
        '--peer-programs',
        folder,
        '--short',
        '--json',
        file,
        '--only',
        'decode/5m/1,env',
      );
      expect(status, stderr).toBe(5);
      const rows = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>[];
      expect(rows.map(({ name }) => name)).toEqual([
        'decode/5m/1',
        'env/frozen-lake',
        'env/frozen-lake/wrapped',
        'env/sokoban',
      ]);
      expect(rows[0]).toMatchObject({
        value: expect.any(Number),
        baseline: { name: 'transformers generate, float32', value: null },
        ratio: null,
        error: expect.stringContaining('RuntimeError: out of luck'),
      });
      const lake = rows[1] as { value: number; ratio: number; baseline: { value: number } };
      expect(lake.baseline.value).toBe(201000);
      expect(lake.ratio / (lake.value / 200951)).toBeCloseTo(1, 2);
      expect(stderr).toMatch(/\[2\/4\] env\/frozen-lake: ours … .* steps\/s; Gymnasium/);
    },
  );

  it('refuses an absent environment with exit code 4 before anything is measured', async () => {
    const file = join(folder, 'none.json');
    const { status, stderr } = await bench(
      '--peers',
      join(folder, 'absent'),
      '--peer-programs',
      folder,
      '--short',
      '--json',
      file,
    );
    expect(status).toBe(4);
    expect(stderr).toMatch(/^bench --peers: no Python at/);
    expect(existsSync(file)).toBe(false);
  });

  it('refuses an absent program with exit code 4 and a peerless item with exit code 2', async () => {
    const absent = await bench('--peers', folder, '--peer-programs', folder, '--only', 'train-step');
    expect(absent.status).toBe(4);
    expect(absent.stderr).toMatch(/no program "torch_step.py"/);
    const peerless = await bench('--peers', folder, '--peer-programs', folder, '--only', 'iteration/other');
    expect(peerless.status).toBe(2);
  });

  it('refuses to run without the folder of the programs, with exit code 2', async () => {
    const { status, stderr } = await bench('--peers', folder, '--only', 'env');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: --peers needs the folder of the peer programs: --peer-programs <dir>$/m);
  });
});
