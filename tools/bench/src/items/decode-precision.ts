/**
 * @file Sampling in int8, or in bf16 beside training in bf16, next to float32, round by round in turn, in tokens per second
 * of processor time: a machine that is busy slows both. In bf16 also by the clock, to set beside other programs. Prompts and
 * lengths are those of the decode items. Codes and layouts of the present weights exist before a round, as they do after
 * the first turn of an iteration.
 */
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights } from '@espalier/model';
import { createStream } from '@espalier/random';
import { probeDriver } from '@espalier/runtime';
import { type BenchItem, type BenchRow, buildRow, median } from '../row.js';
import { configOf, shapeOf } from './shapes.js';

const promptTokens = 128;

type Shape = '5m' | '135m';

export const decodeInt8 = (shape: Shape, sequences: number): BenchItem =>
  decodeBeside('int8', shape, sequences, 'float32');

export const decodeBf16 =
  (shape: Shape, sequences: number): BenchItem =>
  async (options) => {
    const { isAvailable, precisions, finding } = await probeDriver('openvino');
    if (!isAvailable || !precisions.includes('bf16')) return { skipped: finding };
    return decodeBeside('bf16', shape, sequences, 'bf16')(options);
  };

/** Beside training in a precision. */
const decodeBeside =
  (sampled: 'int8' | 'bf16', shape: Shape, sequences: number, precision: 'float32' | 'bf16'): BenchItem =>
  async ({ short, threads }) => {
    const newTokens = short ? 4 : { '5m': 128, '135m': 32 }[shape];
    const config = configOf(shapeOf(`decode${shape}`, short), 4096);
    const weights = initializeWeights(config, 1);
    const kinds = ['float32', sampled] as const;
    const engines = await Promise.all(
      kinds.map((sampling) => createEmbeddedEngine({ config, weights, threads, precision, sampling })),
    );
    const spent = kinds.map(() => ({ processor: [] as number[], clock: [] as number[] }));
    const [warm, timed] = short ? [0, 1] : [1, 5];
    for (let round = 0; round < warm + timed; round += 1) {
      const stream = createStream(round);
      const requests = Array.from({ length: sequences }, (_, row) => ({
        sequence: `${round}/${row}`,
        tokens: Int32Array.from({ length: promptTokens }, () => stream.int(config.shape.vocabularySize)),
        params: {
          temperature: 1,
          topP: 1,
          topK: 0,
          maxTokens: newTokens,
          stopTokens: [],
          stopSequences: [],
        },
        seed: round * 1000 + row,
      }));
      for (const [kind, { policy }] of engines.entries()) {
        const [start, begin] = [performance.now(), process.cpuUsage()];
        await Promise.all(requests.map((request) => policy.sample(request)));
        const { user, system } = process.cpuUsage(begin);
        if (round >= warm) {
          spent[kind]?.processor.push((user + system) / 1e6);
          spent[kind]?.clock.push((performance.now() - start) / 1000);
        }
        policy.release(requests.map(({ sequence }) => sequence));
      }
    }
    for (const engine of engines) await engine.dispose();
    const rate = (seconds: readonly number[]): number => (sequences * newTokens) / median(seconds);
    const rowOf = (name: string, by: 'processor' | 'clock', unit: string, time: string): BenchRow => {
      const [plain = NaN, ours = NaN] = spent.map((own) => rate(own[by]));
      const notes = `prompt ${promptTokens} prefilled within the time, ${newTokens} new tokens each; ${time}`;
      return buildRow(name, ours, unit, { name: `float32 sampling, ${unit}`, value: plain }, notes);
    };
    const name = `decode-${sampled}/${shape}/${sequences}`;
    const rows = [rowOf(name, 'processor', 'tokens/CPU-s', 'processor time')];
    if (sampled === 'bf16') rows.push(rowOf(`${name}/clock`, 'clock', 'tokens/s', 'by the clock'));
    return rows;
  };
