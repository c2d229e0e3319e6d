import { add, broadcastTo, dimProduct, concat, gather, Graph, reshape, dim, dimSum } from '@espalier/graph';
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
  it('computes shapes of several named sizes from the inputs', async () => {
    const session = await load((graph) => {
      const past = graph.input('past', 'float32', ['B', 'P', 2]);
      const joined = concat([past, graph.input('x', 'float32', ['B', 'T', 2])], 1);
      graph.output('y', reshape(joined, [2, dimSum(dim('P'), dim('T')), dim('B')]));
    });
    const results = await session.run({ past: float([1, 2, 3, 4], [1, 2, 2]), x: float([5, 6], [1, 1, 2]) });
    expect(results['y']?.shape).toEqual([2, 3, 1]);
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
      // an index that is computed is not known before the run
      graph.output('y', gather(x, add(graph.input('at', 'int64', [1]), 6), 0));
    });
    const at: RuntimeTensor = { dtype: 'int64', shape: [1], values: BigInt64Array.of(1n) };
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
});

describe('createSession', () => {
  it('says what a missing provider needs', async () => {
    const graph = new Graph();
    addOne(graph);
    vi.stubEnv('ESPALIER_CACHE', '/nowhere');
    await expect(createSession(graph, { provider: 'cuda' })).rejects.toMatchObject({
      code: 'runtime.driver_unavailable',
      message: expect.stringMatching(
        process.platform === 'linux' && process.arch === 'x64' ? /; run espalier setup cuda$/ : /only/,
      ),
    });
    vi.unstubAllEnvs();
  });
});
