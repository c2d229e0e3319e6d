import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSession } from './session.js';
import { buildBlock } from './testing/block-graph.js';

async function hashRuns(threads: number): Promise<string[]> {
  const { graph, feeds } = buildBlock(30);
  const session = await createSession(graph, { threads });
  const hashes: string[] = [];
  for (let run = 0; run < 5; run += 1) {
    const hash = createHash('sha256');
    for (const [name, { values }] of Object.entries(await session.run(feeds))) {
      expect(Array.from(values as Float32Array).every(Number.isFinite), name).toBe(true);
      hash.update(name).update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
    hashes.push(hash.digest('hex'));
  }
  await session.dispose();
  return hashes;
}

describe('a training step', () => {
  it('gives the same bits in every run, on one, two and three threads', async () => {
    const hashes = [...(await hashRuns(1)), ...(await hashRuns(2)), ...(await hashRuns(3))];
    expect(new Set(hashes).size).toBe(1);
  });
});
