/**
 * @file Sampling with a key/value cache: equal prompts of 128 random tokens, then a fixed count of new tokens drawn at
 * temperature 1 without stops; no end of text cuts a reply short. What `generate` of Transformers does on such a batch.
 */
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights } from '@espalier/model';
import { createStream } from '@espalier/random';
import { type BenchItem, buildRow, median, peakMemoryGb } from '../row.js';
import { matmulRate } from './matmul.js';
import { configOf, shapeOf } from './shapes.js';

const promptTokens = 128;

/** 5 M parameters, 128 new tokens. */
export const decode5m = (sequences: number): BenchItem =>
  measure(`decode/5m/${sequences}`, 'decode5m', sequences, 128);

/** The shape of a 135 M model with 3 key/value heads, 32 new tokens. */
export const decode135m = (sequences: number): BenchItem =>
  measure(`decode/135m/${sequences}`, 'decode135m', sequences, 32);

function measure(
  name: string,
  shape: 'decode5m' | 'decode135m',
  sequences: number,
  fullNewTokens: number,
): BenchItem {
  return async (options) => {
    const newTokens = options.short ? 4 : fullNewTokens;
    const config = configOf(shapeOf(shape, options.short), 4096);
    const engine = await createEmbeddedEngine({
      config,
      weights: initializeWeights(config, 1),
      threads: options.threads,
    });
    const stream = createStream(3);
    const params = {
      temperature: 1,
      topP: 1,
      topK: 0,
      maxTokens: newTokens,
      stopTokens: [],
      stopSequences: [],
    };
    const seconds: number[] = [];
    const [warm, timed] = options.short ? [0, 1] : [1, 3];
    for (let round = 0; round < warm + timed; round += 1) {
      const requests = Array.from({ length: sequences }, (_, row) => ({
        sequence: `${round}/${row}`,
        tokens: Int32Array.from({ length: promptTokens }, () => stream.int(config.shape.vocabularySize)),
        params,
        seed: round * 1000 + row,
      }));
      const begin = performance.now();
      await Promise.all(requests.map((request) => engine.policy.sample(request)));
      if (round >= warm) seconds.push((performance.now() - begin) / 1000);
      engine.policy.release(requests.map(({ sequence }) => sequence));
    }
    const memory = peakMemoryGb();
    await engine.dispose();
    const rate = (sequences * newTokens) / median(seconds);
    const baseline = { name: 'MatMul 2048³, GFLOP/s', value: await matmulRate(options) };
    const notes = `prompt ${promptTokens} prefilled within the time, ${newTokens} new tokens each, peak memory ${memory.toFixed(2)} GB`;
    return [buildRow(name, rate, 'tokens/s', baseline, notes)];
  };
}
