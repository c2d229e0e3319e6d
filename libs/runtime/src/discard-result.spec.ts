import { setImmediate as nextTurn } from 'node:timers/promises';
import { add, Graph } from '@espalier/graph';
import { expect, it } from 'vitest';
import { discardResult } from './discard-result.js';
import { MirroredArray } from './mirrored-array.js';
import { createTensor } from './runtime-tensor.js';
import { createSession } from './session.js';

const MEGABYTES = 2 ** 20;
const held = (): number => process.memoryUsage().arrayBuffers;

async function openLarge() {
  const graph = new Graph();
  graph.output('y', add(graph.input('x', 'float32', ['B']), 1));
  const session = await createSession(graph, { threads: 1 });
  return { session, x: createTensor('float32', [2 * MEGABYTES]) }; // 8 MB
}

it('frees a result, and every view of it', async () => {
  const { session, x } = await openLarge();
  const { y } = await session.run({ x });
  const view = (y!.values as Float32Array).subarray(1);
  const before = held();
  discardResult(y!);
  await nextTurn(); // the first time, the port closes then
  expect(before - held()).toBeGreaterThan(7 * MEGABYTES);
  expect([y!.values.length, view.length]).toEqual([0, 0]);
  await session.dispose();
});

it('leaves no copy of an output that is written in place', async () => {
  const { session, x } = await openLarge();
  const y = createTensor('float32', x.shape);
  await session.run({ x }, { y });
  const before = held();
  for (let run = 0; run < 6; run += 1) await session.run({ x }, { y });
  // six copies would be 48 MB, which V8 does not collect yet
  expect(held() - before).toBeLessThan(16 * MEGABYTES);
  expect(y.values[0]).toBe(1);
  await session.dispose();
});

it('leaves alone what is part of an array that may lie on a device', () => {
  const array = new MirroredArray(4);
  discardResult(array.tensor(0, [2]));
  expect(array.read()).toEqual(new Float32Array(4));
});
