/** @file Adapters against PEFT: what PEFT saves merges to its log-probabilities, what Espalier saves is loaded by PEFT. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedEngine } from '@espalier/engine';
import {
  convertAdapter,
  hashBase,
  loadAdapter,
  type LoraLayer,
  mergeAdapter,
  saveAdapter,
} from '@espalier/model/adapters';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Golden {
  readonly base: string;
  readonly tokens: number[];
  readonly logprobs: number[];
}

const adapters = goldenFolder('adapters');
const script = join(adapters, 'make_adapters.py');
/** A Python with PEFT, which `npm run check:peers -- --only peft` names. */
const python = process.env['PEFT_PYTHON'] ?? '';
const hasPeft = existsSync(python);

const names = readdirSync(adapters, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe.each(names)('the adapter %s', (name) => {
  const adapter = join(adapters, name);
  const golden = JSON.parse(readFileSync(join(adapter, 'golden.json'), 'utf8')) as Golden;
  const base = join(goldenFolder('families'), golden.base);
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'lora-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  async function scoreMerged(from: string): Promise<number[]> {
    const merged = join(folder, 'merged');
    await mergeAdapter(base, from, merged, { dtype: 'float32' });
    const engine = await createEmbeddedEngine({ folder: merged, threads: 1 });
    try {
      const positions = Int32Array.from({ length: golden.tokens.length - 1 }, (_, t) => t + 1);
      const [scores] = await engine.policy.score([{ tokens: Int32Array.from(golden.tokens), positions }]);
      return [...(scores?.logprobs ?? [])];
    } finally {
      await engine.dispose();
    }
  }

  function scoreByPeft(from: string): number[] {
    const { status, stdout, stderr } = spawnSync(python, [script, base, from], {
      input: JSON.stringify(golden),
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout) as number[];
  }

  it('merges to the log-probabilities that PEFT gives', async () => {
    expectClose(await scoreMerged(adapter), golden.logprobs, 1e-5);
  });

  it.skipIf(!hasPeft)('is loaded by PEFT as Espalier saves it', { timeout: 120_000 }, async () => {
    const loaded = loadAdapter(adapter);
    const saved = join(folder, 'saved');
    saveAdapter(saved, { ...loaded, base: { sha256: hashBase(base) }, dtype: 'float32' });
    expectClose(scoreByPeft(saved), golden.logprobs, 1e-6);
    // another adapter than any that PEFT made
    const scaled = join(folder, 'scaled');
    const halve = ({ a, b }: LoraLayer): LoraLayer => ({ a, b: { ...b, data: b.data.map((x) => x / 2) } });
    const layers = new Map([...loaded.layers].map(([layer, its]) => [layer, halve(its)]));
    const config = { ...loaded.config, alpha: 3, rankStabilized: true };
    saveAdapter(scaled, { config, layers, base: {}, dtype: 'float32' });
    expectClose(scoreByPeft(scaled), await scoreMerged(scaled), 1e-5);
    const half = join(folder, 'half');
    await convertAdapter(adapter, half, { dtype: 'float16' });
    expectClose(scoreByPeft(half), golden.logprobs, 0.02);
  });
});

function expectClose(found: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(found).toHaveLength(expected.length);
  const differences = found.map((value, i) => Math.abs(value - expected[i]!));
  expect(Math.max(...differences)).toBeLessThan(tolerance);
}
