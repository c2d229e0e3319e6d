import { check, evaluate, OPERATORS } from '@espalier/graph';
import { createSession, type RuntimeTensor } from '@espalier/runtime';
import { finiteDifference, toBeCloseToTensor } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { type CaseFeed, sampleCases } from './sample-cases.js';

expect.extend({ toBeCloseToTensor });

const cases = sampleCases();

function toRuntime({ dtype, shape, values }: CaseFeed): RuntimeTensor {
  switch (dtype) {
    case 'int64':
      return { dtype, shape, values: BigInt64Array.from(values, (v) => BigInt(v)) };
    case 'int32':
      return { dtype, shape, values: Int32Array.from(values) };
    case 'bool':
    case 'uint8':
      return { dtype, shape, values: Uint8Array.from(values) };
    case 'float64':
      return { dtype, shape, values };
    default:
      return { dtype: 'float32', shape, values: Float32Array.from(values) };
  }
}

describe('operators', () => {
  it('each have samples, or are aliases of their operand', () => {
    const untested = OPERATORS.filter((op) => op.samples.length === 0 && op.transparent !== true);
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  describe.each(cases)('$title', ({ graph, feeds, differentiated }) => {
    it('is a valid graph', () => {
      expect(() => check(graph)).not.toThrow();
    });

    it('equals reference evaluation in ONNX Runtime', async () => {
      const session = await createSession(graph, { threads: 1 });
      const actual = await session.run(
        Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, toRuntime(feed)])),
      );
      await session.dispose();
      const expected = evaluate(graph, feeds);
      for (const [name, tensor] of Object.entries(expected)) {
        expect(actual[name]?.shape, name).toEqual(tensor.shape);
        // float32 with a few dozen roundings.
        expect(Array.from(actual[name]?.values ?? [], Number)).toBeCloseToTensor(tensor.values, {
          relative: 1e-5,
          absolute: 1e-6,
        });
      }
    });

    if (differentiated.length === 0) return;

    it('has the gradient of finite differences', () => {
      const outputs = evaluate(graph, feeds);
      for (const name of differentiated) {
        const compute = (): number => evaluate(graph, feeds)['loss']?.values[0] as number;
        const expected = finiteDifference(compute, feeds[name]?.values as Float64Array);
        // Central differences with step 1e-5 in float64 are good to about 1e-9.
        expect(outputs[`gradient_${name}`]?.values).toBeCloseToTensor(expected, {
          relative: 1e-7,
          absolute: 1e-8,
        });
      }
    });
  });
});
