import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { isInstalled, libraryFolder } from '../../libraries/find-library.js';
import { pinnedLibraries } from '../../libraries/pinned-libraries.js';

const { openvino } = pinnedLibraries;
const isMissing = !isInstalled(openvino);
const caches: string[] = [];
let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'espalier-graphs-'));
  caches.push(cache);
  symlinkSync(dirname(libraryFolder(openvino)), join(cache, 'libraries'));
});
afterAll(() => {
  for (const folder of caches) rmSync(folder, { recursive: true, force: true });
});

/** In a process of its own, as the library is opened once. */
const program = `
import { add, Graph } from '@espalier/graph';
import { createSession, probeDriver } from '@espalier/runtime';
const graph = new Graph();
graph.output('y', add(graph.input('x', 'float32', [1]), 1));
const session = await createSession(graph, { driver: 'openvino', threads: 1 });
const { y } = await session.run({ x: { dtype: 'float32', shape: [1], values: Float32Array.of(2) } });
await session.dispose();
console.log(JSON.stringify({ y: y.values[0], finding: (await probeDriver('openvino')).finding }));
`;

function compute(): { readonly y: number; readonly finding: string } {
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { ...process.env, ESPALIER_CACHE: cache },
    encoding: 'utf8',
  });
  return JSON.parse(output) as ReturnType<typeof compute>;
}

describe.skipIf(isMissing && process.env['CI'] === undefined)(
  `compiled graphs${isMissing ? ' (OpenVINO is not set up)' : ''}`,
  () => {
    it('are kept, and made again where they are damaged', () => {
      expect(compute().y).toBe(3);
      const folder = join(cache, 'graphs', `openvino-${openvino.version}`);
      const [name, ...others] = readdirSync(folder);
      expect(others).toEqual([]);
      const file = join(folder, name!);
      const { size } = statSync(file);
      truncateSync(file, 100);
      expect(compute()).toEqual({ y: 3, finding: expect.not.stringContaining('not kept') });
      expect(statSync(file).size).toBe(size);
    });

    it('are not kept where the folder cannot be made, and the finding says so', () => {
      writeFileSync(join(cache, 'graphs'), 'a file');
      expect(compute()).toEqual({
        y: 3,
        finding: expect.stringMatching(/; compiled graphs are not kept: .*graphs.* cannot be written$/),
      });
    });
  },
);
