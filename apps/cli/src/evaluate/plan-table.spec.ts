import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyOverrides, parseConfig } from '@espalier/config';
import { listTrained } from '@espalier/contracts/mixing';
import { discoverPlugins } from '@espalier/plugin-host';
import { goldenFolder, removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Console } from '../console.js';
import { openParts } from './kept-parts.js';
import { columnsOf, planTable } from './plan-table.js';

const root = join(import.meta.dirname, '../../../..');
const seedling = join(root, 'plugins/models/seedling/model');
const registry = await discoverPlugins({ root });
const console = { note: () => undefined } as unknown as Console;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-plan-'));
  cpSync(seedling, join(folder, 'base'), { recursive: true });
  cpSync(goldenFolder('adapters/attention'), join(folder, 'adapter'), { recursive: true });
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json'])
    cpSync(join(seedling, file), join(folder, 'adapter', file));
});
afterAll(() => removeFolder(folder));

const planOf = async (model: string, base?: string, ...set: string[]) => {
  const input = applyOverrides(
    parseConfig('{ environment: { use: bandit }, algorithm: { use: grpo } }', 'bandit.yaml'),
    set,
  );
  const { plan } = await planTable({ models: [model], inputs: [input], base, registry, console });
  return plan;
};

/** A copy of a folder with one file rewritten. */
function changed(name: string, file: string, change: (bytes: Buffer) => Buffer | string): string {
  const copy = mkdtempSync(join(folder, `${name}-`));
  cpSync(join(folder, name), copy, { recursive: true });
  writeFileSync(join(copy, file), change(readFileSync(join(copy, file))));
  return copy;
}

const withLastByte = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
};

describe('planTable', () => {
  it('plans the same again, so that a kept evaluation goes on', async () => {
    const adapter = join(folder, 'adapter');
    const base = join(folder, 'base');
    expect(await planOf(adapter, base)).toEqual(await planOf(adapter, base));
    expect(await planOf(base)).toEqual(await planOf(base));
  });

  it('tells an adapter on another base, or with another scale, from the one that was measured', async () => {
    const adapter = join(folder, 'adapter');
    const base = join(folder, 'base');
    const before = await planOf(adapter, base);
    expect((await planOf(adapter, changed('base', 'model.safetensors', withLastByte)))['models']).not.toEqual(
      before['models'],
    );
    // the same folder, so that the name of the model is the same
    const config = join(adapter, 'adapter_config.json');
    const written = readFileSync(config, 'utf8');
    writeFileSync(config, written.replace('"lora_alpha": 7', '"lora_alpha": 14'));
    expect((await planOf(adapter, base))['models']).not.toEqual(before['models']);
    writeFileSync(config, written);
    expect(await planOf(adapter, base)).toEqual(before);
  });

  it('names columns of one environment by what differs, and knows which a run was trained in', async () => {
    const inputs = [64, 32].map((tokens) =>
      parseConfig(
        `{ environment: { use: bandit }, algorithm: { use: grpo }, rollout: { maxResponseTokens: ${tokens}, groupSize: ${tokens} } }`,
        'bandit.yaml',
      ),
    );
    const { columns } = await planTable({ models: [join(folder, 'base')], inputs, registry, console });
    const labels = columns.map(({ label }) => label);
    expect(labels).toEqual(['bandit (maxResponseTokens 64)', 'bandit (maxResponseTokens 32)']);
    const [place] = [...(columns[1]?.of.values() ?? [])];
    const trained = place === undefined ? [] : listTrained(place.spec);
    expect(columnsOf(trained, columns)).toEqual(labels.slice(1));
    // another budget does not make it an environment that the run never saw
    expect(columnsOf(trained, columns.slice(0, 1))).toEqual(labels.slice(0, 1));
  });

  it('tells another shape with the same weights', async () => {
    const base = join(folder, 'base');
    const before = await planOf(base);
    const config = join(base, 'config.json');
    const written = readFileSync(config, 'utf8');
    const json = JSON.parse(written) as object;
    writeFileSync(config, JSON.stringify({ ...json, rms_norm_eps: 0.5 }));
    expect((await planOf(base))['models']).not.toEqual(before['models']);
    writeFileSync(config, written);
  });

  it.each(['device.sampling=int8', 'device.precision=bf16', 'device.driver=native'])(
    'does not go on where %s computes other probabilities',
    async (option) => {
      const base = join(folder, 'base');
      const kept = join(mkdtempSync(join(folder, 'kept-')), 'kept.jsonl');
      openParts(kept, await planOf(base)).close();
      openParts(kept, await planOf(base, undefined, 'device.threads=1')).close();
      const other = await planOf(base, undefined, option);
      expect(() => openParts(kept, other)).toThrow('it was begun with other devices');
    },
  );
});
