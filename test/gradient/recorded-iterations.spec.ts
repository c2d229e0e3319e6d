/**
 * @file Whole recorded iterations, recomputed in PyTorch from the trajectory files (test/golden/iterations) and replayed
 * here by our engine: selection, credit, losses, gradients, clipping and AdamW, for GRPO, PPO and StarPO-S.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import grpo from '@espalier/algorithm-grpo';
import ppo from '@espalier/algorithm-ppo';
import starpoS from '@espalier/algorithm-starpo-s';
import type { CriticModel, PolicyEngine, RunSpec, ScoringModel } from '@espalier/contracts';
import { loadSafetensors } from '@espalier/model';
import type { AlgorithmDefinition } from '@espalier/plugin-kit';
import { readTrajectories, type StoredTrajectory } from '@espalier/recorder';
import { goldenFolder } from '@espalier/testing';
import { openEngine } from '@espalier/trainer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateCredit } from '../../libs/trainer/src/credit.js';
import { paramsOf } from '../../libs/trainer/src/bind-plugins.js';
import { plannedSteps } from '../../libs/trainer/src/schedule.js';
import { type Learner, updateModels } from '../../libs/trainer/src/update.js';

type Numbers = Readonly<Record<string, number>>;
type Credit = Readonly<Record<string, readonly number[]>>;

interface Iteration {
  readonly metrics: Numbers;
  /** per trajectory: advantages and, with a critic, returns of its tokens in the loss */
  readonly credit: Readonly<Record<string, Credit>>;
}

const folder = goldenFolder('iterations');
const golden = JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8')) as {
  readonly runs: Readonly<Record<string, readonly Iteration[]>>;
};
const algorithms = { grpo, ppo, 'starpo-s': starpoS } as unknown as Readonly<
  Record<string, AlgorithmDefinition<unknown>>
>;
const scratch = mkdtempSync(join(tmpdir(), 'espalier-iterations-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Relative to float64. Ours are sums of float32 numbers; seen: up to 3e-6. */
const tolerance = 1e-5;
/** Of a whole update in three iterations: AdamW divides by roots, which magnifies the rounding of small gradients. */
const updateTolerance = 1e-3;

/** Means of numbers of both signs cancel: what is left of them is no measure of their rounding. */
const cancelling = /\/(objective|approx_kl|explained_variance|advantage_mean|kl_reference)$/;

/** Names what differs by more than the tolerance. */
function listDifferences(actual: Numbers, expected: Numbers): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const scale = Math.max(Math.abs(value), cancelling.test(name) ? 0.1 : 1e-3);
    const found = actual[name] ?? NaN;
    return Math.abs(found - value) / scale < tolerance ? [] : [`${name} is ${found}, expected ${value}`];
  });
}

/** ‖ours − theirs‖ / ‖theirs − start‖ over all weights. */
function updateError(ours: string, theirs: string): number {
  const [actual, expected, start] = [ours, theirs, join(folder, 'model', 'model.safetensors')].map(
    (path) => loadSafetensors(path).tensors,
  );
  let apart = 0;
  let moved = 0;
  for (const [name, { data }] of expected ?? []) {
    const own = actual?.get(name)?.data;
    const before = start?.get(name)?.data;
    for (let i = 0; i < data.length; i += 1) {
      apart += (Number(own?.[i] ?? NaN) - Number(data[i])) ** 2;
      moved += (Number(data[i]) - Number(before?.[i] ?? 0)) ** 2;
    }
  }
  return Math.sqrt(apart / moved);
}

interface Replayed extends Iteration {
  readonly kept: readonly number[];
  readonly recordedAsKept: readonly number[];
}

interface Models {
  readonly engine: PolicyEngine;
  readonly critic: CriticModel | undefined;
  readonly reference: ScoringModel | undefined;
}

/** Selection, credit and update of every recorded iteration, as the trainer does them; sampling is what was recorded. */
async function replay(name: string, spec: RunSpec, models: Models): Promise<Replayed[]> {
  const algorithm = algorithms[name] as AlgorithmDefinition<unknown>;
  const algorithmParams = algorithm.params.parse(paramsOf(spec.algorithm));
  const planned = plannedSteps(spec, models.critic !== undefined);
  const made = { policy: 0, critic: 0 };
  const valueLoss = algorithm.valueLoss?.(algorithmParams);
  const learnersOf = (step: number): { policy?: Learner; critics: readonly Learner[] } => {
    const isWarmup = models.critic !== undefined && step <= spec.update.criticWarmup;
    const policy = {
      model: models.engine.policy,
      loss: algorithm.policyLoss(algorithmParams),
      stepsBefore: made.policy,
      plannedSteps: planned.policy,
    };
    if (models.critic === undefined || valueLoss === undefined) return { policy, critics: [] };
    const critic = {
      model: models.critic,
      loss: valueLoss,
      stepsBefore: made.critic,
      plannedSteps: planned.critic,
    };
    return isWarmup ? { critics: [critic] } : { policy, critics: [critic] };
  };
  const iterations: Replayed[] = [];
  for (let step = 1; step <= spec.steps; step += 1) {
    const groups = groupsOf(readTrajectories(join(folder, name, 'trajectories'), { step }));
    const totals = groups.map((trajectories, group) => ({
      group,
      totals: trajectories.map((one) => one.score.total),
    }));
    const { kept } = algorithm.select(totals, algorithmParams);
    const chosen = kept.map((index) => groups[index] as StoredTrajectory[]);
    const { policy } = models.engine;
    const critics = models.critic === undefined ? [] : [models.critic];
    const parts = { ...models, critics, spec, policy, algorithm, algorithmParams };
    const credited = await estimateCredit(chosen, parts);
    const update = await updateModels(credited.examples, { spec, step, ...learnersOf(step) });
    made.policy += update.policySteps;
    made.critic += update.criticSteps;
    iterations.push({
      kept,
      recordedAsKept: groups.flatMap((own, index) => (own.every((one) => one.kept) ? [index] : [])),
      metrics: { ...credited.credit.metrics, ...update.metrics },
      credit: Object.fromEntries(
        credited.examples.map(({ trajectory, columns }) => [
          trajectory.id,
          Object.fromEntries(Object.entries(columns).map(([column, values]) => [column, [...values]])),
        ]),
      ),
    });
  }
  return iterations;
}

function groupsOf(trajectories: readonly StoredTrajectory[]): StoredTrajectory[][] {
  const groups = new Map<number, StoredTrajectory[]>();
  for (const one of trajectories) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return [...groups.values()];
}

describe.each(Object.entries(golden.runs))('recorded iterations of %s', (name, expected) => {
  let replayed: Replayed[] = [];
  let hasCritic = false;

  beforeAll(async () => {
    const recorded = JSON.parse(readFileSync(join(folder, name, 'spec.json'), 'utf8')) as RunSpec;
    const spec: RunSpec = {
      ...recorded,
      update: {
        ...recorded.update,
        observationLoss: { coefficient: 0 },
        samplerCorrection: { use: 'off' },
        topEntropyShare: 1,
      },
    };
    const engine = await openEngine(join(folder, 'model'), spec);
    const needs = algorithms[name]!.needs(algorithms[name]!.params.parse(paramsOf(spec.algorithm)));
    const reference = needs.reference ? await engine.openReference() : undefined;
    const critic = needs.critic ? await engine.openCritic() : undefined;
    hasCritic = critic !== undefined;
    replayed = await replay(name, spec, { engine, critic, reference });
    await engine.policy.save(join(scratch, name, 'policy'), { optimizer: false });
    await critic?.save(join(scratch, name, 'critic'), { optimizer: false });
    await critic?.dispose();
    await reference?.dispose();
    await engine.dispose();
  });

  it('keeps the groups that were kept', () => {
    expect(replayed.map(({ kept }) => kept)).toEqual(
      replayed.map(({ recordedAsKept }) => [...recordedAsKept]),
    );
  });

  it('gives the advantages and returns that PyTorch gives', () => {
    expected.forEach(({ credit }, step) => {
      expect(Object.keys(replayed[step]?.credit ?? {}).sort()).toEqual(Object.keys(credit).sort());
      for (const [id, columns] of Object.entries(credit)) {
        for (const [column, values] of Object.entries(columns)) {
          const ours = replayed[step]?.credit[id]?.[column];
          expect(ours).toHaveLength(values.length);
          const largest = Math.max(...values.map((value, i) => Math.abs((ours?.[i] ?? NaN) - value)));
          expect(largest, `${column} of ${id}`).toBeLessThan(tolerance);
        }
      }
    });
  });

  it('reports the losses, gradient norms, divergences and clip fractions that PyTorch finds', () => {
    expect(expected).toHaveLength(3);
    expected.forEach(({ metrics }, step) => {
      expect(Object.keys(metrics)).toContain(hasCritic ? 'critic/gradient_norm' : 'policy/gradient_norm');
      expect(listDifferences(replayed[step]?.metrics ?? {}, metrics), `iteration ${step + 1}`).toEqual([]);
    });
  });

  it('arrives at the weights that PyTorch arrives at', () => {
    for (const part of hasCritic ? ['policy', 'critic'] : ['policy']) {
      const error = updateError(
        join(scratch, name, part, 'model.safetensors'),
        join(folder, name, `after-${part}.safetensors`),
      );
      expect(error, part).toBeLessThan(updateTolerance);
    }
  });
});
