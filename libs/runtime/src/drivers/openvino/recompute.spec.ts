import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isInstalled } from '../../libraries/find-library.js';
import { pinnedLibraries } from '../../libraries/pinned-libraries.js';

/** Peak of a process, in MB, that differentiates sixteen layers, each with eight results of 2 MB between input and output. */
const program = (isRecomputed: boolean): string => `
import { readFileSync } from 'node:fs';
import { checkpoint, Graph, gradient, matmul, mul, sum, tanh } from '@espalier/graph';
import { createSession } from '@espalier/runtime';
const graph = new Graph();
const w = graph.input('w', 'float32', [64, 64]);
const layer = ([x, w]) => {
  let y = matmul(x, w);
  for (let i = 0; i < 8; i += 1) y = tanh(mul(y, y));
  return y;
};
let y = graph.input('x', 'float32', ['N', 64]);
for (let i = 0; i < 16; i += 1) y = ${isRecomputed} ? checkpoint([y, w], layer) : layer([y, w]);
const loss = sum(y);
graph.output('loss', loss);
graph.output('gradient', gradient(loss, [w])[0]);
const session = await createSession(graph, { driver: 'openvino', threads: 1 });
const feed = (rows) => ({ dtype: 'float32', shape: [rows, 64], values: new Float32Array(rows * 64).fill(0.01) });
await session.run({ x: feed(8192), w: feed(64) });
console.log(Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1e3);
`;

it.skipIf(!isInstalled(pinnedLibraries.openvino))(
  'keeps no results of a layer that is computed again',
  () => {
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const [kept, recomputed] = [false, true].map((isRecomputed) =>
      Number(
        execFileSync(process.execPath, ['--input-type=module', '-e', program(isRecomputed)], {
          cwd,
          encoding: 'utf8',
        }),
      ),
    ) as [number, number];
    // sixteen times nine results of 2 MB, less what one layer needs
    expect(kept - recomputed).toBeGreaterThan(100);
  },
);
