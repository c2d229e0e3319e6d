import { readFileSync } from 'node:fs';
import { parseConfig, resolveRunSpec } from '@espalier/config';
import { listLevels, listTrained, listValidated, rolloutAt } from '@espalier/contracts/mixing';
import { discoverPlugins, type PluginRegistry } from '@espalier/plugin-host';
import { beforeAll, describe, expect, it } from 'vitest';

const page = readFileSync('docs/use/curriculum.md', 'utf8');
const snippets = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
let registry: PluginRegistry;
beforeAll(async () => void (registry = await discoverPlugins({ root: '.' })), 60_000);

const resolve = (yaml: string) => resolveRunSpec(parseConfig(yaml, 'page.yaml'), registry);
const runOf = (name: string) => resolve(readFileSync(`config/runs/${name}.yaml`, 'utf8'));

describe('docs/use/curriculum.md', () => {
  it('shows a ladder, and all of it has an effect', () => {
    for (const { spec, inert } of [resolve(snippets[0] ?? ''), runOf('frozen-lake-curriculum')]) {
      expect(inert.filter(({ set }) => set)).toEqual([]);
      const [only] = listTrained(spec);
      const levels = only === undefined ? [] : listLevels(only);
      expect(levels.map((one) => one.spec.environment['size'])).toEqual([3, 4, 6]);
      expect(levels.map((one) => one.spec.rollout.maxTurns)).toEqual([5, 5, 8]);
      expect(listValidated(spec).map(({ tag }) => tag)).toEqual([undefined, 'level-1', 'level-2']);
    }
  });

  it('shows a horizon that grows over as many steps as it says', () => {
    const { spec, inert } = resolve(snippets[1] ?? '');
    expect(inert.filter(({ set }) => set)).toEqual([]);
    const turns = [1, 40, 41, 60].map((step) => rolloutAt(spec.rollout, step).maxTurns);
    expect(turns).toEqual([3, 9, 10, 10]);
    const staged = runOf('sokoban-horizon').spec;
    const steps = [1, 10, 11, 21, 31, 40];
    expect(steps.map((step) => rolloutAt(staged.rollout, step).maxTurns)).toEqual([2, 2, 3, 4, 5, 5]);
  });
});
