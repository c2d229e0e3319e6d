import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const workspace = join(root, 'test/fixtures/smallest-plugin');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const registry = await discoverPlugins({ root: workspace });

testEnvironment(registry.get('environment', 'coin'));

describe('README.md', () => {
  it('shows the environment that these tests load, in at most 20 lines', () => {
    const source = readFileSync(join(workspace, 'plugins/environments/coin/index.js'), 'utf8');
    expect(readme).toContain(source);
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  });

  it('shows a run that resolves', async () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const { spec } = resolveRunSpec(parseConfig(yaml, 'README.md'), await discoverPlugins({ root }));
    expect(spec.environment?.use).toBe('frozen-lake');
    expect(spec.algorithm.use).toBe('grpo');
  });

  it('opens with the two commands', () => {
    const commands = [...readme.matchAll(/^npm run ([a-z]+)/gm)].map((match) => match[1]);
    expect(commands.slice(0, 2)).toEqual(['quickstart', 'verify']);
  });
});
