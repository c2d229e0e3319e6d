/** @file SmolLM2-135M-Instruct: from opening its folder to the first token, and decoding next to transformers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import { createStream } from '@espalier/random';
import { type BenchItem, type BenchOptions, buildRow, median, peakMemoryGb, type Skipped } from '../row.js';
import { root } from './command.js';
import { findMissingPackages, openPythonPeer } from './python-peer.js';

const program = join(root, 'tools', 'bench', 'src', 'items', 'decode_transformers.py');
const allowedSeconds = 3;
const sequences = 16;
const promptTokens = 128;

/** Why nothing can be measured; undefined when the model is there. */
export const findMissingModel = ({ smollm2 = '' }: BenchOptions): Skipped | undefined =>
  existsSync(join(smollm2, 'config.json'))
    ? undefined
    : { skipped: `no model at "${smollm2}"; npm run fetch:smollm2 -- --out models/smollm2` };

/** Row `smollm2/first-token`: seconds from opening the folder, tokenizer included, to the first greedy token. */
export const firstToken: BenchItem = async (options) => {
  const missing = findMissingModel(options);
  if (missing !== undefined) return missing;
  const { smollm2: folder = '', threads } = options;
  const begin = performance.now();
  const tokenizer = loadTokenizer(folder);
  const engine = await createEmbeddedEngine({ folder, threads });
  await engine.policy.sample({
    sequence: 'first',
    tokens: tokenizer.encode('The capital of France is'),
    params: { temperature: 0, topP: 1, topK: 0, maxTokens: 1, stopTokens: [], stopSequences: [] },
    seed: 0,
  });
  const seconds = (performance.now() - begin) / 1000;
  const memory = peakMemoryGb();
  await engine.dispose();
  const allowed = { name: 'allowed, s', value: allowedSeconds };
  return [buildRow('smollm2/first-token', seconds, 's', allowed, `peak memory ${memory.toFixed(2)} GB`)];
};

/** Row `smollm2/decode/16`: tokens per second, and those of `generate` of transformers, in turn. */
export const decodeSmollm2: BenchItem = async (options) => {
  const missing = findMissingModel(options) ?? findMissingPackages(options, ['torch', 'transformers']);
  if (missing !== undefined) return missing;
  const { smollm2: folder = '', threads, short } = options;
  const newTokens = short ? 4 : 32;
  const [turns, rounds] = short ? [1, 1] : [2, 2];
  const ours = await openOurs(folder, newTokens, threads);
  const peer = await openPythonPeer(options, program, [folder, sequences, promptTokens, newTokens, threads]);
  const rates: { readonly ours: number; readonly peer: number }[] = [];
  for (let turn = 0; turn < turns; turn += 1)
    rates.push({ ours: await ours.measure(rounds), peer: await peer.ask<number>(rounds) });
  await ours.close();
  peer.close();
  const baseline = { name: 'transformers generate, tokens/s', value: median(rates.map((rate) => rate.peer)) };
  const notes = `prompt ${promptTokens} prefilled within the time, ${newTokens} new tokens each; torch ${peer.versions.torch}, transformers ${peer.versions.transformers}`;
  return [
    buildRow(
      `smollm2/decode/${sequences}`,
      median(rates.map((rate) => rate.ours)),
      'tokens/s',
      baseline,
      notes,
    ),
  ];
};

async function openOurs(folder: string, maxTokens: number, threads: number) {
  const engine = await createEmbeddedEngine({ folder, threads });
  const stream = createStream(3);
  const params = { temperature: 1, topP: 1, topK: 0, maxTokens, stopTokens: [], stopSequences: [] };
  let round = 0;
  const generate = async (): Promise<number> => {
    round += 1;
    const requests = Array.from({ length: sequences }, (_, row) => ({
      sequence: `${round}/${row}`,
      tokens: Int32Array.from({ length: promptTokens }, () => stream.int(engine.description.vocabularySize)),
      params,
      seed: round * 1000 + row,
    }));
    const begin = performance.now();
    await Promise.all(requests.map((request) => engine.policy.sample(request)));
    const seconds = (performance.now() - begin) / 1000;
    engine.policy.release(requests.map(({ sequence }) => sequence));
    return seconds;
  };
  await generate();
  return {
    async measure(rounds: number): Promise<number> {
      const seconds: number[] = [];
      for (let i = 0; i < rounds; i += 1) seconds.push(await generate());
      return (sequences * maxTokens) / median(seconds);
    },
    close: () => engine.dispose(),
  };
}
