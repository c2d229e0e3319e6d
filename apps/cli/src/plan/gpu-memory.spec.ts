import { resolveRunSpec } from '@espalier/config';
import { parseModelConfig } from '@espalier/model';
import { discoverPlugins } from '@espalier/plugin-host';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findGpuBytes } from './gpu-memory.js';
import { createRunGraphs } from './run-graphs.js';

const GiB = 2 ** 30;
const registry = await discoverPlugins({ root: join(import.meta.dirname, '../../../..') });

it('is that of the first GPU, asked for on cuda only', async () => {
  const bytesOf = (answer: readonly { readonly bytes: number }[]) =>
    findGpuBytes({ provider: 'cuda' }, async () => ({ answer }));
  expect(await bytesOf([{ bytes: 4 * GiB }, { bytes: 80 * GiB }])).toBe(4 * GiB);
  expect(await bytesOf([])).toBeUndefined();
  const failed = async () => ({
    code: 'runtime.driver_unavailable' as const,
    finding: 'its libraries ended the process',
  });
  expect(await findGpuBytes({ provider: 'cuda' }, failed)).toBeUndefined();
  const unasked = () => Promise.reject(new Error('asked'));
  expect(await findGpuBytes({ provider: 'cpu' }, unasked)).toBeUndefined();
});

it('decides whether layers are recomputed, in place of the memory of the machine', () => {
  // 96 M parameters of which all are trained: 2.3 GB, and 0.9 GB of activations for 2,048 tokens
  const config = parseModelConfig({
    model_type: 'llama',
    vocab_size: 1024,
    hidden_size: 768,
    intermediate_size: 2304,
    num_hidden_layers: 12,
    num_attention_heads: 12,
    max_position_embeddings: 1024,
  });
  const written = (memoryMb: number) => ({
    environment: { use: 'bandit' },
    algorithm: { use: 'grpo' },
    update: { microBatchTokens: 2048 },
    device: { provider: 'cuda', memoryMb },
  });
  const recomputes = (memoryMb: number, gpuBytes: number | undefined) =>
    createRunGraphs(resolveRunSpec(written(memoryMb), registry).spec, config, { registry, gpuBytes })
      .recomputes;
  expect(recomputes(4096, undefined)).toBe(true);
  expect(recomputes(65_536, undefined)).toBe(false);
  expect(recomputes(4096, 64 * GiB)).toBe(false);
  expect(recomputes(65_536, 4 * GiB)).toBe(true);
});
