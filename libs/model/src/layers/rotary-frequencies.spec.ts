import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { parseModelConfig } from '../families/families.js';
import type { RotaryShape } from '../families/model-family.js';
import { rotaryFrequencies } from './rotary-frequencies.js';

interface Golden {
  readonly head_size: number;
  readonly config: object;
  readonly angles: number[];
  readonly amplitude: number;
}

const golden = JSON.parse(readFileSync(join(goldenFolder('families'), 'rotary.json'), 'utf8')) as Record<
  string,
  Golden
>;

describe('rotaryFrequencies', () => {
  it.each(Object.entries(golden))(
    'are those of transformers: %s',
    (_, { head_size, config, ...expected }) => {
      const { shape } = parseModelConfig({
        model_type: 'llama',
        vocab_size: 48,
        hidden_size: 16,
        num_hidden_layers: 1,
        num_attention_heads: 4,
        intermediate_size: 24,
        head_dim: head_size,
        ...config,
      });
      const { angles, amplitude } = rotaryFrequencies(shape.attention[0]?.rotary as RotaryShape, head_size);
      expect(amplitude).toBeCloseTo(expected.amplitude, 12);
      expect(angles.length).toBe(expected.angles.length);
      // a power of float32 may be rounded another way in its last bit
      angles.forEach((angle, i) =>
        expect(Math.abs(angle / (expected.angles[i] as number) - 1), `${i}`).toBeLessThan(4 * 2 ** -24),
      );
    },
  );
});
