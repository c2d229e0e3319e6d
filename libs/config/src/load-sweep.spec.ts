import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSweep, namesIn } from './load-sweep.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-load-sweep-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (): string => join(folder, 'My sweep.yaml');
function load(text: string, set: readonly string[] = []) {
  writeFileSync(file(), text);
  return loadSweep(file(), set);
}

describe('a sweep', () => {
  it('is the product of its axes, in their order, each later change after the earlier', () => {
    const { name, variants, spec } = load(
      [
        'title: T',
        'config: run.yaml',
        'set: { steps: 4, update.epochs: 9 }',
        'grid:',
        '  update.epochs: [1, 2]',
        '  optimizer.learningRate: [1.0e-4, 0.5]',
        'variants: { plain: {}, other: { config: sub/other.yaml, set: { steps: 5 } } }',
      ].join('\n'),
      ['seed-like=1'],
    );
    const at = (path: string): string => relative('', join(folder, path));
    expect([name, spec.seeds, variants.length]).toEqual(['my-sweep', [1], 8]);
    expect(variants.map((one) => one.name).slice(0, 3)).toEqual([
      'epochs-1-learning-rate-0p0001-plain',
      'epochs-1-learning-rate-0p0001-other',
      'epochs-1-learning-rate-0p5-plain',
    ]);
    expect(variants[7]).toEqual({
      name: 'epochs-2-learning-rate-0p5-other',
      points: ['epochs-2', 'learning-rate-0p5', 'other'],
      config: at('sub/other.yaml'),
      overrides: [
        'steps=4',
        'update.epochs=9',
        'update.epochs=2',
        'optimizer.learningRate=0.5',
        'steps=5',
        'seed-like=1',
      ],
    });
    expect(variants[0]?.config).toBe(at('run.yaml'));
  });

  it('finds a configuration by its whole path, too', () => {
    const config = join(folder, 'run.yaml');
    expect(load(`{ title: T, config: ${config} }`).variants[0]?.config).toBe(config);
  });

  it('without axes is one variant', () => {
    expect(load('{ title: T, config: run.yaml, seeds: [3, 5] }').variants).toMatchObject([
      { name: 'base', points: [], overrides: [] },
    ]);
  });

  it('writes plugins and negative numbers into names', () => {
    const { variants } = load(
      '{ title: T, config: a.yaml, grid: { algorithm: [{ use: grpo }], x.y: [-1] } }',
    );
    expect(variants[0]?.name).toBe('algorithm-grpo-y-minus1');
  });

  it.each([
    ['titel: T', /unknown key titel; did you mean title\?/],
    ['{ title: T, config: a.yaml, seeds: [] }', /seeds is \[\]; expected at least 1/],
    ['{ title: T, config: a.yaml, seeds: [1, 1] }', /seeds is \[1,1\]; expected each seed once/],
    ['{ title: T, config: a.yaml, seeds: [-1] }', /seeds\.0 is -1; expected at least 0/],
    ['{ title: T, variants: { a: {} } }', /config is missing, and variant "a" names no configuration/],
    ['{ title: T, config: a.yaml, set: { seed: 3 } }', /set changes seed, which the sweep gives each run/],
    ['{ title: T, config: a.yaml, grid: { x: [] } }', /grid\.x/],
    ['{ title: T, config: a.yaml, grid: { x: [1, 1] } }', /makes two variants named "x-1"/],
    ['{ title: T, config: a.yaml, variants: { A: {} } }', /variants/],
    ['{ title: T, config: a.yaml, budget: 3 days }', /budget/],
    [
      '{ title: T, config: a.yaml, variants: { keep: {} }, groups: [[kept]] }',
      /groups\.0 names "kept".*did you mean "keep"\?/,
    ],
    [
      '{ title: T, config: a.yaml, claims: [{ of: F, claim: C, rules: [{ kind: change, runs: b, metric: m, from: start, expect: lower }] }] }',
      /claims\.0\.rules\.0 names "b", which is no variant; variants are base/,
    ],
    [
      '{ title: T, config: a.yaml, claims: [{ of: F, claim: C, rules: [{ kind: better }] }] }',
      /claims\.0\.rules\.0/,
    ],
  ])('refuses %s', (text, message) => {
    expect(() => load(text)).toThrow(message);
  });

  it('refuses a grid that nobody means to start', () => {
    const axis = JSON.stringify(Array.from({ length: 40 }, (_, index) => index));
    expect(() => load(`{ title: T, config: a.yaml, grid: { a: ${axis}, b: ${axis} } }`)).toThrow(
      /makes 1600 variants; at most 1000/,
    );
  });
});

describe('the recipes', () => {
  const recipes = fileURLToPath(new URL('../../../config/recipes/', import.meta.url));
  const sweeps = readdirSync(recipes).map((name) => loadSweep(join(recipes, name)));

  it('cover every figure and table of the paper that reports an experiment', () => {
    const named = sweeps.flatMap(({ spec }) => spec.claims.map((claim) => claim.of));
    // a recipe may also be of another source
    const covered = new Set(named.filter((of) => /^(Figure|Table) /.test(of)));
    const figures = [5, 6, 7, 8, 9, 10, 11].map((number) => `Figure ${number}`);
    expect([...covered].sort()).toEqual([...figures, 'Table 2', 'Table 3', 'Table 4'].sort());
  });

  it('each say where they differ from the paper, and have rules over several seeds', () => {
    for (const { spec } of sweeps) {
      expect(spec.deviations.length).toBeGreaterThan(0);
      expect(spec.seeds.length).toBeGreaterThan(1);
      for (const { rules } of spec.claims) expect(rules.flatMap(namesIn).length).toBeGreaterThan(0);
    }
  });
});
