import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const taskset = '/usr/bin/taskset';

/** In a process of its own, which may run on one processor only. */
const program = `
import { readdirSync } from 'node:fs';
import { Graph, matmul } from '@espalier/graph';
import { createSession } from '@espalier/runtime';
const graph = new Graph();
graph.output('y', matmul(graph.input('x', 'float32', [2, 2]), graph.input('w', 'float32', [2, 2])));
const count = () => readdirSync('/proc/self/task').length;
const before = count();
const session = await createSession(graph, JSON.parse(process.argv[1]));
console.log(count() - before);
await session.dispose();
`;

function startedBy(options: object): number {
  const args = ['-c', '0', process.execPath, '--input-type=module', '-e', program, JSON.stringify(options)];
  return Number(
    execFileSync(taskset, args, {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, OMP_NUM_THREADS: '' },
      encoding: 'utf8',
    }),
  );
}

// more than the engine pads for would change bits, besides waiting for each other
it.skipIf(!existsSync(taskset))('no more threads are started than processors may be used', () => {
  const [alone, unset, two] = [{ threads: 1 }, {}, { threads: 2 }].map(startedBy);
  expect(two).toBe((alone ?? 0) + 1);
  expect(unset).toBe(alone);
});
