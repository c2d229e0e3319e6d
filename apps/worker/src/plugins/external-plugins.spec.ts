import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openExternalPlugins } from './external-plugins.js';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-plugins-'));
  writePlugin('plugins/environments/coin', 'coin-toss', '1.0.0');
  writePlugin('plugins/algorithms/grpo', '@espalier/algorithm-grpo', '0.1.0');
  writePlugin('node_modules/@lab/box', '@lab/box', '3.0.0');
  mkdirSync(join(root, 'config'));
  writeFileSync(join(root, 'config/plugins.yaml'), 'packages: ["@lab/box"]\n');
});
afterAll(() => rmSync(root, { recursive: true }));

function writePlugin(place: string, name: string, version: string): void {
  mkdirSync(join(root, place), { recursive: true });
  writeFileSync(join(root, place, 'package.json'), JSON.stringify({ name, version }));
  writeFileSync(join(root, place, 'index.js'), `export default ${JSON.stringify(version)};\n`);
}

describe('external plugins of a worker', () => {
  it('are folders and packages with their hashes', () => {
    expect(openExternalPlugins(root).list()).toEqual([
      expect.objectContaining({ kind: 'environment', id: 'coin', version: '1.0.0', isExternal: true }),
      expect.objectContaining({ kind: 'package', id: '@lab/box', version: '3.0.0', isExternal: true }),
    ]);
  });

  it('are hashed again after a change, and a job that started with others is rejected', () => {
    const plugins = openExternalPlugins(root);
    const before = plugins.list();
    expect(plugins.list()[0]).toBe(before[0]);
    const assignment = { runId: 'run-1', plugins: [...before] };
    plugins.validate(assignment);
    writeFileSync(join(root, 'plugins/environments/coin/index.js'), 'export default "2.0.0";\n');
    expect(plugins.list()[0]?.sha256).not.toBe(before[0]?.sha256);
    expect(() => plugins.validate(assignment)).toThrow(
      expect.objectContaining({
        code: 'worker.plugins_differ',
        message: expect.stringMatching(
          /^resume run run-1: this worker has environment coin 1\.0\.0 .*started with 1\.0\.0.*--accept-plugins/,
        ),
      }),
    );
    rmSync(join(root, 'plugins/environments/coin'), { recursive: true });
    expect(() => plugins.validate(assignment)).toThrow(/has no environment coin, the run started with/);
    plugins.validate({ runId: 'run-2' });
  });
});
