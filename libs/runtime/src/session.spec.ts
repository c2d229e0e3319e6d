import {
  add,
  broadcastTo,
  concat,
  dimProduct,
  gather,
  Graph,
  matmul,
  mul,
  reshape,
  dim,
  dimSum,
} from '@espalier/graph';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RuntimeTensor } from './runtime-tensor.js';
import { createSession, type Session } from './session.js';

const float = (values: number[], shape = [values.length]): RuntimeTensor => ({
  dtype: 'float32',
  shape,
  values: Float32Array.from(values),
});

const open: Session[] = [];
async function load(build: (graph: Graph) => void): Promise<Session> {
  const graph = new Graph();
  build(graph);
  const session = await createSession(graph, { threads: 1 });
  open.push(session);
  return session;
}

const addOne = (graph: Graph): void => {
  graph.output('y', add(graph.input('x', 'float32', ['B']), 1));
};

afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.dispose()));
});

describe('Session', () => {
  it('reports names, dtypes and shapes of inputs and outputs', async () => {
    const session = await load(addOne);
    expect(session.inputs).toEqual([{ name: 'x', dtype: 'float32', shape: ['B'] }]);
    expect(session.outputs).toEqual([{ name: 'y', dtype: 'float32', shape: ['B'] }]);
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

  it('writes preallocated outputs in place, also over the input of an elementwise result', async () => {
    const session = await load((graph) => {
      const w = graph.input('w', 'float32', [3]);
      graph.output('updated', add(w, mul(graph.input('step', 'float32', [3]), -1)));
    });
    const w = float([1, 2, 3]);
    const results = await session.run({ w, step: float([0.5, 0.5, 1]) }, { updated: w });
    expect(results['updated']).toBe(w);
    expect(w.values).toEqual(Float32Array.of(0.5, 1.5, 2));
  });

  it('computes shapes of several named sizes from the inputs', async () => {
    const session = await load((graph) => {
      const past = graph.input('past', 'float32', ['B', 'P', 2]);
      const joined = concat([past, graph.input('x', 'float32', ['B', 'T', 2])], 1);
      graph.output('y', reshape(joined, [2, dimSum(dim('P'), dim('T')), dim('B')]));
    });
    const results = await session.run({ past: float([1, 2, 3, 4], [1, 2, 2]), x: float([5, 6], [1, 1, 2]) });
    expect(results['y']?.shape).toEqual([2, 3, 1]);
  });

  it('returns an output that is an input or a constant', async () => {
    const session = await load((graph) => {
      graph.output('same', graph.input('x', 'float32', [1]));
      graph.output('fixed', graph.constant([4]));
    });
    const results = await session.run({ x: float([3]) });
    expect([results['same']?.values[0], results['fixed']?.values[0]]).toEqual([3, 4]);
  });

  it('names the feed that is missing, unknown, or of the wrong shape or dtype', async () => {
    const session = await load((graph) => {
      graph.output('y', add(graph.input('a', 'float32', ['B']), graph.input('b', 'float32', ['B'])));
    });
    const a = float([1, 2]);
    await expect(session.run({ a })).rejects.toMatchObject({
      code: 'runtime.missing_feed',
      message: expect.stringContaining('"b"'),
    });
    await expect(session.run({ a, b: a, c: a })).rejects.toMatchObject({
      code: 'runtime.unknown_input',
      message: expect.stringContaining('no input "c"; expected one of a, b'),
    });
    await expect(session.run({ a, b: float([1]) })).rejects.toThrow(
      'input "b": got [1]; expected [B] where "a" fixes axis 0 to 2',
    );
    await expect(session.run({ a, b: float([1, 2], [2, 1]) })).rejects.toMatchObject({
      code: 'runtime.shape_mismatch',
    });
    await expect(session.run({ a, b: float([1, 2, 3], [2]) })).rejects.toThrow(
      '3 entries for [2]; expected 2',
    );
    const whole: RuntimeTensor = { dtype: 'int64', shape: [2], values: new BigInt64Array(2) };
    await expect(session.run({ a, b: whole })).rejects.toMatchObject({
      code: 'runtime.dtype_mismatch',
      message: expect.stringContaining(
        'input "b": got int64 in a BigInt64Array; expected float32 in a Float32Array',
      ),
    });
  });

  it('names what the runtime reports when a run fails', async () => {
    const session = await load((graph) => {
      const x = graph.input('x', 'float32', [2]);
      graph.output('y', gather(x, graph.input('at', 'int64', [1]), 0));
    });
    const at: RuntimeTensor = { dtype: 'int64', shape: [1], values: BigInt64Array.of(7n) };
    await expect(session.run({ x: float([1, 2]), at })).rejects.toMatchObject({
      code: 'runtime.run_failed',
      message: expect.stringMatching(/^run session: .*; the feeds match the inputs/s),
    });
  });

  it('names a failed allocation', async () => {
    const session = await load((graph) => {
      const size = dim('N');
      const x = reshape(graph.input('x', 'float32', [size]), [size, 1]);
      graph.output('y', broadcastTo(x, [size, dimProduct(...Array.from({ length: 23 }, () => size))]));
    });
    expect((await session.run({ x: float([1, 2]) }))['y']?.values).toHaveLength(2 ** 24);
    await expect(session.run({ x: float([1, 2, 3, 4]) })).rejects.toMatchObject({
      code: 'runtime.out_of_memory',
      message: expect.stringContaining('lower update.microBatchTokens'),
    });
  });

  it('rejects runs after dispose, which may be called twice', async () => {
    const session = await load(addOne);
    await session.dispose();
    await session.dispose();
    await expect(session.run({ x: float([1]) })).rejects.toMatchObject({ code: 'runtime.disposed' });
  });
});

describe('createSession', () => {
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
    const fixed = await createSession(build(), { threads: 1 }, new Map([['w', around.subarray(16)]]));
    const fed = await createSession(build(), { threads: 1 });
    open.push(fixed, fed);
    expect(fixed.inputs.map(({ name }) => name)).toEqual(['x']);
    const x: RuntimeTensor = { dtype: 'float32', shape: [48, 32], values };
    const w: RuntimeTensor = { dtype: 'float32', shape: [48, 32], values };
    expect((await fixed.run({ x }))['y']?.values).toEqual((await fed.run({ x, w }))['y']?.values);
  });

  it('rejects bytes that are not a model', async () => {
    await expect(createSession(Uint8Array.of(1, 2, 3))).rejects.toMatchObject({
      code: 'runtime.session_failed',
    });
  });

  it('says what a missing provider needs', async () => {
    const graph = new Graph();
    addOne(graph);
    // hides GPUs from CUDA, so that the test does not depend on the machine
    vi.stubEnv('CUDA_VISIBLE_DEVICES', '-1');
    await expect(createSession(graph, { provider: 'cuda' })).rejects.toMatchObject({
      code: 'runtime.provider_unavailable',
      message: expect.stringMatching(/^create session on "cuda": .*; it needs an NVIDIA GPU/),
    });
    vi.unstubAllEnvs();
  });
});
