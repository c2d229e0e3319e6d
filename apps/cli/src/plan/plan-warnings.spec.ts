import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSpecSchema } from '@espalier/contracts';
import { resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { describe, expect, it } from 'vitest';
import { listModelWarnings, listPlanWarnings } from './plan-warnings.js';

const machine = { cores: 4 };
const calm = runSpecSchema.shape.optimizer.parse({});

function warningsOf(changed: object, hasCritic = false): string[] {
  const device = { provider: 'cpu' as const, precision: 'float32' as const, sampling: 'float32' as const };
  const spec = { device, optimizer: calm, criticOptimizer: calm, ...changed };
  return listPlanWarnings({ spec, derived: { optimizerSteps: 20 } }, hasCritic, machine);
}

const rate = (learningRate: number) => ({ ...calm, learningRate });
const warmUp = (warmupSteps: number) => ({ ...calm, schedule: { ...calm.schedule, warmupSteps } });

describe('listPlanWarnings', () => {
  it('has nothing to say at the limits', () => {
    const device = { provider: 'cpu' as const, precision: 'float32' as const, threads: 4 };
    expect(warningsOf({ device, optimizer: warmUp(20) })).toEqual([]);
    expect(warningsOf({ optimizer: rate(0.005) })).toEqual([]);
  });

  it('warns of more threads than cores', () => {
    expect(
      warningsOf({ device: { provider: 'cpu', precision: 'float32', sampling: 'float32', threads: 5 } }),
    ).toEqual([expect.stringMatching(/^device\.threads: 5 threads share 4 available cores/)]);
  });

  it('warns of a warm-up that outlasts the run', () => {
    expect(warningsOf({ optimizer: warmUp(21) })).toEqual([
      expect.stringMatching(/^optimizer\.schedule\.warmupSteps: 21 steps of warm-up, but the run has 20/),
    ]);
  });

  it('warns of a learning rate that destroys the model, of the critic only where there is one', () => {
    expect(warningsOf({ optimizer: rate(0.05) })).toEqual([
      expect.stringMatching(/^optimizer\.learningRate: 0\.05 is above 0\.005/),
    ]);
    expect(warningsOf({ criticOptimizer: rate(2) })).toEqual([]);
    expect(warningsOf({ criticOptimizer: rate(2) }, true)).toEqual([
      expect.stringMatching(/^criticOptimizer\.learningRate: 2 /),
    ]);
  });
});

it('warns of no learning rate that a shipped configuration has', () => {
  const folder = join(import.meta.dirname, '../../../../config');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  const rates = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/learningRate[:=] *([\d.e-]+)/g)].map(([, text]) =>
      Number(text),
    ),
  );
  expect(rates.length).toBeGreaterThan(20);
  expect(rates.flatMap((one) => warningsOf({ optimizer: rate(one) }))).toEqual([]);
});

const root = join(import.meta.dirname, '../../../..');
const registry = await discoverPlugins({ root });

describe('listModelWarnings', () => {
  it.each([
    [
      { use: 'frozen-lake', size: 8 },
      /the model sapling was taught all of it: set model: \{ use: sapling \}/,
    ],
    [{ use: 'rubik', scramble: 1 }, /the model sapling was taught more of it: set model: \{ use: sapling \}/],
    [{ use: 'agent-program' }, /nothing can be imitated in agent-program, so choose a model that follows/],
    [{ use: 'search-qa' }, /a warm start on search-qa may help/],
  ])('says what helps a model that was not taught %j', (environment, remedy) => {
    const { spec } = resolveRunSpec({ environment, algorithm: { use: 'grpo' } }, registry);
    const warnings = listModelWarnings(spec, registry, root);
    expect(warnings.length).toBeGreaterThan(0);
    for (const warning of warnings) expect(warning).toMatch(remedy);
  });

  it('has nothing to say of what was taught', () => {
    const values = { environment: { use: 'bandit' }, algorithm: { use: 'grpo' } };
    expect(listModelWarnings(resolveRunSpec(values, registry).spec, registry, root)).toEqual([]);
  });
});
