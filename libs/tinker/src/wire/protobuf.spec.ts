import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Datum } from '@espalier/contracts';
import { forwardData, linearData, namedData, summed, tracedData } from '../loss/wire-data.js';
import {
  decodePass,
  decodePassResult,
  decodeSample,
  encodePass,
  encodePassResult,
  encodeSample,
  type WirePass,
} from './protobuf.js';

interface Frame {
  readonly bytes: string;
  readonly loss_fn: string;
  readonly config: Readonly<Record<string, number | string>>;
  readonly forward_only: boolean;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
}

/** Recorded with the official SDK by record-frames.py. */
const golden = JSON.parse(
  readFileSync(new URL('../testing/golden-frames.json', import.meta.url), 'utf8'),
) as {
  readonly tokens: readonly number[];
  readonly requests: readonly Frame[];
  readonly output: string;
  readonly bf16: string;
  readonly sample: string;
};
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const about = { modelId: 'model_1', seqId: 7 };

/** What the embedded engine would train on: three loss tokens of a sequence, weights of the whole batch. */
const datum: Datum = {
  tokens: Int32Array.from(golden.tokens),
  positions: Int32Array.of(3, 4, 5),
  weights: Float32Array.of(0.5, 0.25, 0.25),
  columns: { oldLogprobs: Float32Array.of(-0.5, -1.25, -2), advantages: Float32Array.of(0.5, -1.5, 0.5) },
};
const columns = ['oldLogprobs', 'advantages'];
const bounds = { lowest: 0.75, highest: 1.25 };

/** A frame for each kind of request, in the order of the recording. */
const sent = [
  { ...namedData([datum], { name: 'cross_entropy' }, summed, []), forwardOnly: false },
  { data: forwardData([datum]), lossFn: 'cross_entropy', lossConfig: {}, forwardOnly: true },
  { ...namedData([datum], { name: 'importance_sampling' }, summed, columns), forwardOnly: false },
  { ...namedData([datum], { name: 'ppo', ...bounds }, summed, columns), forwardOnly: false },
  {
    data: tracedData([datum], { name: 'own', inputs: [], graph: { format: 1, nodes: [] } }, columns).data,
    lossFn: 'custom',
    lossConfig: { loss_id: 'session_1:loss:0' },
    forwardOnly: false,
  },
].map((pass) => ({ ...pass, ...about }) as WirePass);

describe('the binary form', () => {
  it.each(golden.requests.map((frame, i) => ({ frame, pass: sent[i] as WirePass })))(
    'reads and sends what the SDK sends: $frame.loss_fn, forward only $frame.forward_only',
    ({ frame, pass }) => {
      const read = decodePass(bytesOf(frame.bytes));
      expect(read).toMatchObject({ ...about, lossFn: frame.loss_fn, forwardOnly: frame.forward_only });
      expect(read.lossConfig).toEqual(frame.config);
      expect([...(read.data[0]?.tokens ?? [])]).toEqual(golden.tokens.slice(0, -1));
      const inputs = Object.entries(read.data[0]?.inputs ?? {}).map(([name, { data }]) => [name, [...data]]);
      expect(Object.fromEntries(inputs)).toEqual(frame.inputs);
      // our data of the same batch, mask, weights and advantages included, is the same message
      expect(decodePass(encodePass(pass))).toEqual(read);
      expect(Buffer.from(encodePass(pass)).length).toBe(bytesOf(frame.bytes).length);
    },
  );

  it('sends a linearised loss as cross-entropy whose weights are -dC/dlogprob', () => {
    const linear = {
      ...datum,
      logprobs: Float32Array.of(-1, -1, -1),
      gradient: Float32Array.of(-0.5, -0.25, -0.25),
    };
    const [frame] = golden.requests;
    expect(decodePass(encodePass({ ...linearData([linear], summed), ...about, forwardOnly: false }))).toEqual(
      decodePass(bytesOf(frame?.bytes ?? '')),
    );
  });

  it('reads results as the SDK writes them, and writes them alike', () => {
    const result = decodePassResult(bytesOf(golden.output));
    expect(result.outputs.map(({ logprobs }) => [...(logprobs ?? [])])).toEqual([[-1, -2, -3], [-0.5]]);
    expect(result.outputs.map((one) => [...(one['elementwise_loss'] ?? [])])).toEqual([[1, 0, 0], [0.5]]);
    expect(decodePassResult(encodePassResult(result))).toEqual(result);
    const [half] = decodePassResult(bytesOf(golden.bf16)).outputs;
    expect([...(half?.['logprobs'] ?? [])]).toEqual([-1.5, -0.25]);
  });

  it('reads samples as the SDK writes them, and writes them alike', () => {
    const sample = decodeSample(bytesOf(golden.sample));
    expect(sample.sequences).toEqual([
      {
        stop: 'length',
        tokens: Int32Array.of(4, 5, 6),
        logprobs: Float32Array.of(-1, -2, -0.5),
        entropies: undefined,
      },
    ]);
    expect([...(sample.promptLogprobs ?? [])]).toEqual([Number.NaN, -3]);
    expect(decodeSample(encodeSample(sample))).toEqual(sample);
  });

  it('refuses bytes that are no message, and lengths that do not fit', () => {
    expect(() => decodeSample(Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff))).toThrow(/another version/);
    expect(() => decodePassResult(Uint8Array.of(0x12, 0x02, 0x08))).toThrow(/another version/);
    const odd = Uint8Array.of(0x0a, 0x05, 0x12, 0x03, 1, 2, 3); // tokens of three bytes
    expect(() => decodeSample(odd)).toThrow(/another version/);
    // whatever bytes come, the error is a typed one
    for (let seed = 0; seed < 200; seed += 1) {
      const bytes = Uint8Array.from({ length: 24 }, (_, i) => (seed * 131 + i * i * 29 + seed * i) % 256);
      for (const decode of [decodePass, decodePassResult, decodeSample]) {
        try {
          decode(bytes);
        } catch (error) {
          expect((error as { readonly code?: string }).code).toMatch(/^engine\.(?:bad_answer|unsupported)$/);
        }
      }
    }
  });
});
