/** @file Several critics in a run: each with a start, mini-batches and old values of its own, saved and resumed with the rest. */
import ppo from '@espalier/algorithm-ppo';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CriticModel, Datum, LossSpec, RunEvent } from '@espalier/contracts';
import type { AlgorithmDefinition, CreditTrajectory } from '@espalier/plugin-kit';
import { createMemorySink } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrainer } from './create-trainer.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-critics-'))));
afterAll(() => rmSync(root, { recursive: true }));

const ofPpo = (options: object = {}) => ({ use: 'ppo', ...ppo.params.parse(options) });
const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };

/** Trains with PPO; notes what each critic learns from, and what credit is assigned to. */
async function train(folder: string, change: Record<string, unknown>, resume = false) {
  const plain = tinyEngine();
  const learned: (readonly Datum[])[][] = [];
  const credited: (readonly CreditTrajectory[])[] = [];
  const openCritic = async (headSeed?: number): Promise<CriticModel> => {
    const critic = await plain.openCritic(headSeed);
    const batches: (readonly Datum[])[] = [];
    learned.push(batches);
    return {
      ...critic,
      forwardBackward: (batch: readonly Datum[], loss: LossSpec) => {
        batches.push(batch);
        return critic.forwardBackward(batch, loss);
      },
    };
  };
  const noting = {
    ...ppo,
    advantages: (trajectories: readonly CreditTrajectory[], params: never) => {
      credited.push(trajectories);
      return ppo.advantages(trajectories, params);
    },
  } as unknown as AlgorithmDefinition<unknown>;
  const spec = tinySpec({
    algorithm: ofPpo({ critics: 2 }),
    criticOptimizer: { learningRate: 0.25 },
    steps: 2,
    validation: { every: 0, atStart: false, atEnd: false },
    checkpoint: { every: 1, keep: 9 },
    ...change,
  });
  const sink = createMemorySink();
  const trainer = await createTrainer(spec, {
    registry: {
      get: (kind, id) => (kind === 'algorithm' ? (noting as never) : tinyRegistry.get(kind, id)),
    },
    sink,
    folder: join(root, folder),
    engine: { ...plain, openCritic },
    tokenizer: tinyTokenizer,
    resume,
  });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  const weights = learned.map((_, index) => plain.criticWeight(index));
  return { learned, credited, events: sink.events, weights, weight: plain.weight() };
}

const columnOf = (batch: readonly Datum[] = [], name: string): number[] =>
  batch.flatMap(({ columns }) => [...(columns[name] ?? [])]);
const rowsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'metrics' && event.values['critic/objective'] !== undefined ? [event.values] : [],
  );
const savedAt = (folder: string, step: number, part: string): string =>
  join(root, folder, `checkpoints/step-00000${step}`, part);

describe('several critics', () => {
  it('learn the same returns from all trajectories, in orders and from old values of their own', async () => {
    const { learned, weights, events } = await train('apart', { update: { miniBatches: 2 } });
    const [first = [], second = []] = learned;
    expect([first.length, second.length]).toEqual([4, 4]);
    const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
    const returns = (batches: readonly (readonly Datum[])[]) =>
      batches.slice(0, 2).map((batch) => columnOf(batch, 'returns'));
    expect(sorted(returns(second).flat())).toEqual(sorted(returns(first).flat()));
    expect(second[0]).not.toEqual(first[0]);
    // the toy says its weight everywhere
    const said = learned.map(([batch]) => [...new Set(columnOf(batch, 'oldValues'))]);
    expect(said[0]).toEqual([0.5]);
    expect(said[1]).toHaveLength(1);
    expect(said[1]).not.toEqual([0.5]);
    expect(Object.keys(second[0]?.[0]?.columns ?? {}).sort()).toEqual(['oldValues', 'returns']);
    expect(weights[1]).not.toBe(weights[0]);
    expect(rowsOf(events).map((row) => row['update/critic_steps'])).toEqual([2, 4]);
    expect(rowsOf(events).map((row) => row['update/critics'])).toEqual([2, 2]);
  });

  it('give credit the values of each, and the run what was made of them', async () => {
    const { credited, learned, events } = await train('credit', { steps: 1 });
    const [{ values, criticValues = [], lossMask }] = credited[0] as [CreditTrajectory];
    const [a, b] = learned.map(([batch]) => columnOf(batch, 'oldValues')[0]) as [number, number];
    const at = lossMask.indexOf(1);
    expect([values?.[at], ...criticValues.map((one) => one[at])]).toEqual([a, a, b]);
    const [row] = rowsOf(events);
    expect(row?.['critic/ensemble_std']).toBeCloseTo(Math.abs(a - b) / 2, 6);
    // a constant explains nothing, and does no harm
    expect(row?.['critic/explained_variance']).toBeCloseTo(0, 6);
  });

  it('are as they were where one is asked for: the same weights, and no further folder', async () => {
    const unsaid = await train('unsaid', { algorithm: ofPpo() });
    const one = await train('one', { algorithm: ofPpo({ critics: 1 }) });
    const two = await train('two', {});
    expect([one.weight, ...one.weights]).toEqual([unsaid.weight, ...unsaid.weights]);
    expect(rowsOf(one.events)[1]).not.toHaveProperty(['critic/ensemble_std']);
    expect(countGiven(one)).toBe(0);
    expect(countGiven(two)).toBe(2);
    expect(['unsaid', 'one', 'two'].map((name) => existsSync(savedAt(name, 2, 'critic-2')))).toEqual([
      false,
      false,
      true,
    ]);
    // the first learns as it would alone: whole returns do not depend on what critics say
    expect(two.weights[0]).toBe(one.weights[0]);
  });

  it('resume bit for bit', async () => {
    const straight = await train('straight', { steps: 4 });
    await train('halves', { steps: 2 });
    const second = await train('halves', { steps: 4 }, true);
    expect([second.weight, ...second.weights]).toEqual([straight.weight, ...straight.weights]);
    for (const part of ['critic', 'critic-2'])
      for (const file of ['model.safetensors', 'optimizer.json'])
        expect(readFileSync(savedAt('halves', 4, `${part}/${file}`), 'utf8')).toBe(
          readFileSync(savedAt('straight', 4, `${part}/${file}`), 'utf8'),
        );
  });

  it('are those that the algorithm of a tag asked for; all learn from every tag that has one', async () => {
    const { credited: calls, learned } = await train('tags', {
      environment: undefined,
      environments: {
        near: { ...own, groups: 2, algorithm: ofPpo({ critics: 3 }) },
        far: { ...own, groups: 1, algorithm: ofPpo() },
      },
      mixing: { compare: 'per-tag' },
      steps: 1,
    });
    const byTag = calls.map(([first]) => [first?.tag, first?.criticValues?.length ?? 0]);
    expect(byTag).toEqual([
      ['near', 3],
      ['far', 0],
    ]);
    expect(learned).toHaveLength(3);
    // two losses per step, of eight and four trajectories
    for (const batches of learned)
      expect(batches.map((batch) => batch.length).sort((a, b) => a - b)).toEqual([4, 8]);
  });
});

/** How many critics credit was given the values of. */
const countGiven = ({ credited: [first] }: Awaited<ReturnType<typeof train>>): number =>
  first?.[0]?.criticValues?.length ?? 0;
