import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { describe, expect, it } from 'vitest';
import { chooseEntries, loadMatrix, type Matrix } from '../../tools/results/src/matrix.js';
import { renderCollapse } from '../../tools/results/src/report/collapse.js';
import { renderReadme } from '../../tools/results/src/report/readme.js';
import { loadCompared, loadReported } from '../../tools/results/src/report/save-reports.js';
import { commandOf, createJob } from '../../tools/results/src/run/job.js';
import { root } from '../architecture/source-files.js';

const matrix = loadMatrix(join(root, 'config/results.yaml'));
const onEngines = loadMatrix(join(root, 'config/engines.yaml'));
const algorithms = loadMatrix(join(root, 'config/algorithms.yaml'));
const onGpu = loadMatrix(join(root, 'config/gpu.yaml'));
const precision = loadMatrix(join(root, 'config/precision.yaml'));

/** States of entries whose episodes have nine or ten turns, or that measure ten environments. */
const fewer: Readonly<Record<string, number>> = {
  'household-grpo': 256,
  'webshop-grpo': 256,
  'mixed-transfer-grpo': 192,
};

describe('config/results.yaml', () => {
  it('names configurations and changes that resolve', async () => {
    const registry = await discoverPlugins({ root, configFile: join(root, 'config/plugins.yaml') });
    for (const entry of matrix.entries) {
      const input = applyOverrides(
        loadConfig(join(root, entry.config)),
        createJob('runs/results', entry, 2).overrides,
      );
      const { spec } = resolveRunSpec(input, registry);
      // a language model answers slowly and some episodes are long: fewer states, and an interval that says so
      const episodes = entry.model?.startsWith('smollm2') === true ? 128 : (fewer[entry.name] ?? 512);
      expect([entry.name, spec.seed, spec.validation.episodes]).toEqual([entry.name, 2, episodes]);
    }
  });

  it('selects entries by name or prefix, in the requested order', () => {
    const both = { entries: ['bandit-starpo-s', 'bandit-starpo'].map((name) => ({ name })) } as Matrix;
    const names = (...only: string[]): string[] => chooseEntries(matrix, only).map(({ name }) => name);
    expect(names('sokoban-grpo', 'bandit')).toEqual(['sokoban-grpo', 'bandit-grpo', 'bandit-starpo-s']);
    // bandit-starpo-s is listed first
    expect(chooseEntries(both, ['bandit-starpo'])).toEqual([{ name: 'bandit-starpo' }]);
    expect(names()).toHaveLength(matrix.entries.length);
    expect(() => names('sokobann')).toThrow(/no such entry; entries are .*sokoban-ppo/);
  });
});

describe('config/gpu.yaml', () => {
  it('names configurations that resolve, and all of it runs on a GPU', async () => {
    const registry = await discoverPlugins({ root, configFile: join(root, 'config/plugins.yaml') });
    for (const entry of onGpu.entries) {
      const { overrides } = createJob('runs/results-gpu', entry, 1);
      const input = applyOverrides(loadConfig(join(root, entry.config)), overrides);
      const { spec } = resolveRunSpec(input, registry);
      expect([entry.name, spec.device.provider]).toEqual([entry.name, 'cuda']);
    }
    const starts = onGpu.models.flatMap((model) => ('warmStart' in model ? [model.set] : []));
    expect(starts).toHaveLength(2);
    for (const set of starts) expect(set).toContain('device.provider=cuda');
  });
});

describe('config/precision.yaml', () => {
  const optionsOf: Record<string, readonly string[]> = {
    int8: ['device.sampling=int8'],
    bf16: ['device.precision=bf16'],
    'all-bf16': ['device.precision=bf16', 'device.sampling=bf16'],
  };

  it('trains as config/results.yaml does, but for the precision, and not always as long', () => {
    const stepsOf = (set: readonly string[] = []): number =>
      Number(set.find((option) => option.startsWith('steps='))?.slice('steps='.length) ?? Number.NaN);
    for (const { name, config, set, bar, seeds, compareWith } of precision.entries) {
      const own = set.filter((option) => option.startsWith('device.'));
      const [, twinName, kind = ''] = /^(.*?)-(int8|bf16|all-bf16)$/.exec(name) ?? [];
      const expected = optionsOf[kind];
      const twin = matrix.entries.find((entry) => entry.name === twinName);
      const isShorter = stepsOf(set) < stepsOf(twin?.set);
      const steps = isShorter ? `steps=${stepsOf(set)}` : undefined;
      expect({ name, config, set, bar, seeds }).toEqual({
        name,
        config: twin?.config,
        set: [
          ...(twin?.set ?? []).map((option) => (option.startsWith('steps=') ? (steps ?? option) : option)),
          ...(expected ?? []),
        ],
        // the bar is for the whole length
        bar: isShorter ? undefined : twin?.bar,
        seeds: twin?.seeds,
      });
      expect([own, compareWith]).toEqual([expected, twinName]);
    }
  });
});

describe('config/engines.yaml', () => {
  it('trains each pair with equal options, but for the engine', async () => {
    const registry = await discoverPlugins({ root, configFile: join(root, 'config/plugins.yaml') });
    const specOf = (name: string) => {
      const entry = onEngines.entries.find((one) => one.name === name);
      if (entry === undefined) throw new Error(`there is no entry ${name}`);
      const { overrides } = createJob('runs/results-engines', entry, 1);
      return resolveRunSpec(applyOverrides(loadConfig(join(root, entry.config)), overrides), registry).spec;
    };
    for (const { entries } of onEngines.pairs) {
      const [here, there] = entries.map(specOf);
      expect([here?.engine, there?.engine?.use]).toEqual([undefined, 'tinker']);
      expect({ ...there, engine: undefined }).toEqual({ ...here, engine: undefined });
    }
  });
});

describe('config/algorithms.yaml', () => {
  it('has every algorithm that ships, each with its own options in every environment', async () => {
    const registry = await discoverPlugins({ root, configFile: join(root, 'config/plugins.yaml') });
    const used = algorithms.entries.map((entry) => {
      const { overrides } = createJob('runs/results', entry, 1);
      const { spec } = resolveRunSpec(
        applyOverrides(loadConfig(join(root, entry.config)), overrides),
        registry,
      );
      const { learningRate } = spec.optimizer;
      expect([entry.name, learningRate, spec.update.miniBatches]).toEqual([entry.name, 1e-4, 4]);
      expect(`${spec.environment?.use}-${spec.algorithm.use}`).toBe(entry.name.replace('-echo', '-grpo'));
      return spec.algorithm.use;
    });
    const shipped = registry.list().flatMap(({ kind, id }) => (kind === 'algorithm' ? [id] : []));
    expect([...new Set(used)].sort()).toEqual(shipped.sort());
  });
});

describe.each([
  ['docs/results', matrix],
  ['docs/results-algorithms', algorithms],
  ['docs/results-gpu', onGpu],
  ['docs/results-engines', onEngines],
  ['docs/results-precision', precision],
] as const)('%s', (folder, matrix) => {
  const docs = join(root, folder);
  const reported = loadReported(docs, matrix);
  const page = (name: string): string => readFileSync(join(docs, name), 'utf8');

  it('has pages that match its data', () => {
    expect(page('README.md')).toBe(renderReadme(matrix, reported, loadCompared(matrix)));
    const collapse = renderCollapse(reported);
    if (collapse !== undefined) expect(page('collapse.md')).toBe(collapse);
  });

  it('has a chart of every entry, and the command that created it', () => {
    for (const { name, seeds } of reported) {
      const entry = matrix.entries.find((one) => one.name === name);
      expect(existsSync(join(docs, `${name}.svg`))).toBe(true);
      expect(seeds.map(({ command }) => command)).toEqual(
        seeds.map(({ seed }) =>
          entry === undefined ? '' : commandOf(createJob(folder.replace('docs', 'runs'), entry, seed)),
        ),
      );
    }
  });
});
