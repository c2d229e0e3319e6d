import { runSpecSchema } from '@espalier/contracts';
import { parseModelConfig } from '@espalier/model';
import { describe, expect, it } from 'vitest';
import { requireCheckpointSpace } from './checkpoint-space.js';
import { countWeights } from './held-weights.js';

const spec = runSpecSchema.parse({
  environment: { use: 'bandit' },
  algorithm: { use: 'grpo' },
  steps: 50,
  checkpoint: { every: 10, keep: 2 },
});
const gib = 2 ** 30;

describe('the checkpoints of a run', () => {
  it('have weights and two moments in float32, twice with a critic', () => {
    const config = parseModelConfig({
      model_type: 'llama',
      vocab_size: 100,
      hidden_size: 8,
      num_hidden_layers: 1,
      num_attention_heads: 2,
      intermediate_size: 16,
      max_position_embeddings: 16,
      tie_word_embeddings: true,
    });
    const parameters = 100 * 8 + 4 * 8 * 8 + 3 * 8 * 16 + 3 * 8;
    const bytesOf = (critics: number) =>
      countWeights({ lora: undefined }, config, { critics, reference: false }).checkpointBytes;
    expect(bytesOf(0)).toBe(3 * 4 * parameters);
    expect(bytesOf(1)).toBe(6 * 4 * parameters);
    expect(bytesOf(3)).toBe(12 * 4 * parameters);
  });

  it('are refused where the disk has no room for them (trainer.disk_full), with what to change', () => {
    const place = { folder: 'runs/a', freeBytes: 23 * gib, saved: 0 };
    expect(() => requireCheckpointSpace(spec, 6 * gib, place)).toThrow(
      'start run in "runs/a": its checkpoints need about 24.0 GiB (4 of 6.0 GiB), the disk has 23.0 GiB free; lower checkpoint.keep, free space, or choose a folder on another disk with --out',
    );
    expect(() => requireCheckpointSpace(spec, 6 * gib, { ...place, freeBytes: 24 * gib })).not.toThrow();
    expect(() => requireCheckpointSpace(spec, 6 * gib, { ...place, saved: 1 })).not.toThrow();
  });
});
