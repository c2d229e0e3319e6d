/** @file What every driver must do, whichever library it is made of. */
import { createHash } from 'node:crypto';
import { add, cast, evaluate, gather, Graph, matmul, mul } from '@espalier/graph';
import { afterEach, expect, it } from 'vitest';
import type { RuntimeTensor } from '../runtime-tensor.js';
import { createSession, type Session } from '../session.js';
import { buildBlock } from '../testing/block-graph.js';
import { describeDrivers } from '../testing/describe-drivers.js';
import type { SessionOptions } from './driver.js';
import { findDriver, precisionsOf } from './find-driver.js';

const float = (values: number[], shape = [values.length]): RuntimeTensor => ({
  dtype: 'float32',
  shape,
  values: Float32Array.from(values),
});

const open: Session[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.dispose()));
});

describeDrivers('a session', ({ driver, precisions }) => {
  async function load(build: (graph: Graph) => void, options: SessionOptions = {}): Promise<Session> {
    const graph = new Graph();
    build(graph);
    const session = await createSession(graph, { threads: 1, driver, ...options });
    open.push(session);
    return session;
  }
  const addOne = (graph: Graph): void => {
    graph.output('y', add(graph.input('x', 'float32', ['B']), 1));
  };

  it('reports names, dtypes and shapes of inputs and outputs', async () => {
    const session = await load(addOne);
    expect(session.inputs).toEqual([{ name: 'x', dtype: 'float32', shape: ['B'] }]);
    expect(session.outputs).toEqual([{ name: 'y', dtype: 'float32', shape: ['B'] }]);
  });

  it('equals the reference evaluation of a transformer block and all its gradients', async () => {
    const { graph, feeds } = buildBlock();
    const session = await createSession(graph, { threads: 1, driver });
    open.push(session);
    const actual = await session.run(feeds);
    const expected = evaluate(
      graph,
      Object.fromEntries(
        Object.entries(feeds).map(([name, { shape, values }]) => [
          name,
          { shape, values: Float64Array.from(values, Number) },
        ]),
      ),
    );
    expect(Object.keys(actual)).toEqual(Object.keys(expected));
    for (const [name, { shape, values }] of Object.entries(expected)) {
      expect(actual[name]?.shape, name).toEqual(shape);
      // float32, summed over 256 rows
      expect(relativeError(actual[name]?.values, values), name).toBeLessThan(2e-5);
    }
  });

  it('runs with one named size after another', async () => {
    const session = await load(addOne);
    expect((await session.run({ x: float([1, 2]) }))['y']?.values).toEqual(Float32Array.of(2, 3));
    expect((await session.run({ x: float([5]) }))['y']?.values).toEqual(Float32Array.of(6));
  });

  it('reads the current contents of a fed array in every run', async () => {
    const session = await load(addOne);
    const x = float([1]);
    await session.run({ x });
    x.values[0] = 10;
    expect((await session.run({ x }))['y']?.values[0]).toBe(11);
  });

  it('writes preallocated outputs in place, also over a feed, and the next run elsewhere', async () => {
    const session = await load((graph) => {
      const w = graph.input('w', 'float32', [3]);
      graph.output('updated', add(w, mul(graph.input('step', 'float32', [3]), -1)));
    });
    const flat = Float32Array.of(0, 1, 2, 3);
    // a view that does not begin where its memory does
    const w: RuntimeTensor = { dtype: 'float32', shape: [3], values: flat.subarray(1) };
    const step = float([0.5, 0.5, 1]);
    const results = await session.run({ w, step }, { updated: w });
    expect(results['updated']).toBe(w);
    expect(flat).toEqual(Float32Array.of(0, 0.5, 1.5, 2));
    const elsewhere = await session.run({ w, step });
    expect(elsewhere['updated']?.values).toEqual(Float32Array.of(0, 1, 1));
    expect(flat).toEqual(Float32Array.of(0, 0.5, 1.5, 2));
  });

  it('adds up in an array that is feed and output at once', async () => {
    const session = await load((graph) => {
      const product = matmul(graph.input('x', 'float32', ['B', 2]), graph.input('w', 'float32', [2, 2]));
      graph.output('sum', add(graph.input('before', 'float32', ['B', 2]), product));
    });
    const sum = float([0, 0, 0, 0], [2, 2]);
    const feeds = { x: float([1, 2, 3, 4], [2, 2]), w: float([1, 0, 0, 1], [2, 2]), before: sum };
    for (let run = 0; run < 3; run += 1) await session.run(feeds, { sum });
    expect(sum.values).toEqual(Float32Array.of(3, 6, 9, 12));
  });

  it('returns an output that is an input or a constant, and ignores an input that nothing needs', async () => {
    const session = await load((graph) => {
      graph.input('unused', 'float32', [2]);
      graph.output('same', graph.input('x', 'float32', [1]));
      graph.output('fixed', graph.constant([4]));
    });
    const results = await session.run({ x: float([3]), unused: float([1, 2]) });
    expect([results['same']?.values[0], results['fixed']?.values[0]]).toEqual([3, 4]);
  });

  it('takes constants from the memory of the caller, with the bits of inputs', async () => {
    const build = (): Graph => {
      const graph = new Graph();
      const x = graph.input('x', 'float32', ['M', 32]);
      graph.output('y', matmul(x, graph.input('w', 'float32', [48, 32]), { transposeB: true }));
      return graph;
    };
    const values = Float32Array.from({ length: 48 * 32 }, (_, i) => Math.sin(i));
    const around = new Float32Array(values.length + 16);
    around.set(values, 16);
    const options = { threads: 1, driver };
    const fixed = await createSession(build(), options, new Map([['w', around.subarray(16)]]));
    const fed = await createSession(build(), options);
    open.push(fixed, fed);
    expect(fixed.inputs.map(({ name }) => name)).toEqual(['x']);
    const x: RuntimeTensor = { dtype: 'float32', shape: [48, 32], values };
    const w: RuntimeTensor = { dtype: 'float32', shape: [48, 32], values };
    expect((await fixed.run({ x }))['y']?.values).toEqual((await fed.run({ x, w }))['y']?.values);
  });

  it('refuses wrong feeds with typed errors, and runs again afterwards', async () => {
    const session = await load((graph) => {
      graph.output('y', add(graph.input('a', 'float32', ['B']), graph.input('b', 'float32', ['B'])));
    });
    const a = float([1, 2]);
    const whole: RuntimeTensor = { dtype: 'int64', shape: [2], values: new BigInt64Array(2) };
    const codeOf = (feeds: Record<string, RuntimeTensor>, targets = {}): Promise<unknown> =>
      session.run(feeds, targets).then(
        () => 'none',
        ({ code }: { code: unknown }) => code,
      );
    expect(await codeOf({ a })).toBe('runtime.missing_feed');
    expect(await codeOf({ a, b: a, c: a })).toBe('runtime.unknown_input');
    expect(await codeOf({ a, b: float([1]) })).toBe('runtime.shape_mismatch');
    expect(await codeOf({ a, b: whole })).toBe('runtime.dtype_mismatch');
    expect(await codeOf({ a, b: a }, { y: float([1]) })).toBe('runtime.shape_mismatch');
    expect(await codeOf({ a, b: a }, { z: a })).toBe('runtime.unknown_input');
    expect((await session.run({ a, b: a }))['y']?.values).toEqual(Float32Array.of(2, 4));
  });

  it('refuses an index that does not exist, and runs again afterwards', async () => {
    const session = await load((graph) => {
      graph.output('y', gather(graph.input('x', 'float32', [3]), graph.input('ids', 'int64', ['N']), 0));
    });
    const x = float([1, 2, 3]);
    const ids = (...values: bigint[]): RuntimeTensor => ({
      dtype: 'int64',
      shape: [values.length],
      values: BigInt64Array.from(values),
    });
    for (const wrong of [3n, -4n, 2n ** 40n])
      await expect(session.run({ x, ids: ids(0n, wrong) })).rejects.toMatchObject({
        code: 'runtime.index_out_of_range',
        details: { input: 'ids', place: 1 },
      });
    expect((await session.run({ x, ids: ids(2n, 0n) }))['y']?.values).toEqual(Float32Array.of(3, 1));
  });

  it('computes runs that are started together one after the other', async () => {
    const session = await load(addOne);
    const results = await Promise.all([1, 2, 3].map((x) => session.run({ x: float([x]) })));
    expect(results.map(({ y }) => y?.values[0])).toEqual([2, 3, 4]);
  });

  const isBfloat16Read = driver !== 'onnxruntime-node';
  it(`${isBfloat16Read ? 'reads and writes' : 'refuses'} arrays of bfloat16`, async () => {
    const loading = load((graph) => {
      const x = cast(graph.input('x', 'bfloat16', ['N']), 'float32');
      graph.output('y', cast(mul(x, 1.0078125), 'bfloat16'));
    });
    if (!isBfloat16Read) return expect(loading).rejects.toMatchObject({ code: 'runtime.session_failed' });
    const session = await loading;
    // 1, -3 and 2^-8 times 1 + 2^-7; the second lies between two numbers, and ties go to even
    const x: RuntimeTensor = {
      dtype: 'bfloat16',
      shape: [3],
      values: Uint16Array.of(0x3f80, 0xc040, 0x3b80),
    };
    const y: RuntimeTensor = { dtype: 'bfloat16', shape: [3], values: new Uint16Array(3) };
    const bits = Uint16Array.of(0x3f81, 0xc042, 0x3b81);
    expect((await session.run({ x }))['y']).toEqual({ dtype: 'bfloat16', shape: [3], values: bits });
    await session.run({ x }, { y });
    expect(y.values).toEqual(bits);
  });

  it('rejects bytes that are not a model', async () => {
    const source = { bytes: Uint8Array.of(1, 2, 3), inputs: [], outputs: [], constants: {} };
    const library = await findDriver({ driver });
    await expect(library.open(source, { threads: 1 })).rejects.toMatchObject({
      code: 'runtime.session_failed',
      message: expect.stringMatching(/^create session: .* rejected the graph: .*; run check on it/),
    });
  });

  it('rejects runs after dispose, which may be called twice', async () => {
    const session = await load(addOne);
    await session.run({ x: float([1]) });
    await session.dispose();
    await session.dispose();
    await expect(session.run({ x: float([1]) })).rejects.toMatchObject({ code: 'runtime.disposed' });
  });

  // a precision that this processor lacks shows as skipped
  for (const precision of precisionsOf(driver, 'cpu')) {
    const itComputes = it.skipIf(!precisions.includes(precision));

    itComputes(
      `gives the same bits in every run and session, on one thread and on two, in ${precision}`,
      async () => {
        const { graph, feeds } = buildBlock();
        const hashes = new Set<string>();
        for (const threads of [1, 2, 1]) {
          const session = await createSession(graph, { driver, precision, threads });
          for (let run = 0; run < 2; run += 1) hashes.add(hashOf(await session.run(feeds)));
          await session.dispose();
        }
        expect(hashes.size).toBe(1);
      },
    );

    itComputes(`does not let rows depend on their neighbours, in ${precision}`, async () => {
      const session = await load(
        (graph) => {
          const w = graph.input('w', 'float32', [64, 48]);
          const x = gather(graph.input('table', 'float32', [300, 64]), graph.input('ids', 'int64', ['N']), 0);
          graph.output('y', matmul(x, w));
        },
        { precision },
      );
      const table = float(
        Array.from({ length: 300 * 64 }, (_, i) => Math.sin(i)),
        [300, 64],
      );
      const w = float(
        Array.from({ length: 64 * 48 }, (_, i) => Math.cos(i)),
        [64, 48],
      );
      const rowsOf = async (ids: number[]): Promise<Float32Array> => {
        const values = BigInt64Array.from(ids, BigInt);
        const { y } = await session.run({ table, w, ids: { dtype: 'int64', shape: [ids.length], values } });
        return y?.values as Float32Array;
      };
      const many = await rowsOf(Array.from({ length: 200 }, (_, i) => i));
      const few = await rowsOf(Array.from({ length: 64 }, (_, i) => i + 7));
      expect(few).toEqual(many.slice(7 * 48, 71 * 48));
    });
  }

  if (!precisionsOf(driver, 'cpu').includes('bf16')) return;

  it.skipIf(!precisions.includes('bf16'))('computes a block in bf16 within what bf16 rounds', async () => {
    const { graph, feeds } = buildBlock();
    const exact = await createSession(graph, { threads: 1, driver });
    const rounded = await createSession(graph, { threads: 1, driver, precision: 'bf16' });
    open.push(exact, rounded);
    const [one, other] = [await exact.run(feeds), await rounded.run(feeds)];
    const errors = Object.keys(one).map((name) =>
      relativeError(other[name]?.values, one[name]?.values ?? []),
    );
    expect(Math.max(...errors)).toBeLessThan(0.1);
    // it is bf16 indeed
    expect(Math.max(...errors)).toBeGreaterThan(1e-4);
  });
});

function hashOf(tensors: Readonly<Record<string, RuntimeTensor>>): string {
  const hash = createHash('sha256');
  for (const [name, { values }] of Object.entries(tensors))
    hash.update(name).update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return hash.digest('hex');
}

/** ‖a − b‖ / ‖b‖ */
function relativeError(a: ArrayLike<number | bigint> | undefined, b: ArrayLike<number | bigint>): number {
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < b.length; i += 1) {
    difference += (Number(a?.[i]) - Number(b[i])) ** 2;
    norm += Number(b[i]) ** 2;
  }
  return Math.sqrt(difference / norm);
}
