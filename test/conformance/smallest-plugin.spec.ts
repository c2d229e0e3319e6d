import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discoverPlugins } from '@espalier/plugin-host';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const workspace = join(root, 'test/fixtures/smallest-plugin');
const folder = join(workspace, 'plugins/environments/guess');
const registry = await discoverPlugins({ root: workspace });
const guess = registry.get('environment', 'guess');

testEnvironment(guess, { oracleSolves: 1 });
testEnvironment(guess, { params: { highest: 20 } });

describe('docs/writing-a-plugin.md', () => {
  const page = readFileSync(join(root, 'docs/writing-a-plugin.md'), 'utf8');

  it.each(['index.js', 'package.json'])('shows the %s that these tests load', (file) => {
    expect(page).toContain(readFileSync(join(folder, file), 'utf8'));
  });

  it('shows an environment of at most 60 lines', () => {
    expect(readFileSync(join(folder, 'index.js'), 'utf8').split('\n').length).toBeLessThanOrEqual(61);
  });

  it('describes an environment that can be won within its budget', async () => {
    const { maxActions } = guess.limits(guess.params.parse({}));
    for (let state = 0; state < 32; state++) {
      const instance = guess.create(guess.params.parse({}));
      await instance.reset({ state, luck: 0 });
      let done = false;
      for (let turn = 0; turn < maxActions && !done; turn++) {
        const { low, high } = instance.facts!() as { low: number; high: number };
        ({ done } = await instance.step(String(Math.floor((low + high) / 2))));
      }
      expect(done).toBe(true);
    }
  });
});
