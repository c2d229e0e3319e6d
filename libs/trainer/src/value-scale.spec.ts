import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, RunEvent } from '@espalier/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { tinyEngine, type TinyTraining, trainTiny } from './testing/tiny-run.js';
import { parseTrainerState, startState } from './trainer-state.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-scale-'));
});

const normalized = { update: { valueNormalization: { use: 'running', memory: 0.5 } } };
const critic = { algorithm: { use: 'tiny', critic: true }, criticOptimizer: { learningRate: 0.25 } };
const train = (training: TinyTraining = {}) =>
  trainTiny(root, { ...training, spec: { ...critic, ...normalized, ...training.spec } });

const rows = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'metrics' && event.values['update/critic_steps'] !== undefined ? [event] : [],
  );
const stateOf = (folder: string, step: number) =>
  JSON.parse(readFileSync(join(folder, `checkpoints/step-00000${step}/state.json`), 'utf8')) as Record<
    string,
    unknown
  >;

/** The batches that the critic learned from. */
function watchCritic() {
  const engine = tinyEngine();
  const batches: (readonly Datum[])[] = [];
  const watched = {
    ...engine,
    openCritic: async () => {
      const model = await engine.openCritic();
      return {
        ...model,
        forwardBackward: (batch: readonly Datum[], loss: never) => {
          batches.push(batch);
          return model.forwardBackward(batch, loss);
        },
      };
    },
  };
  return { engine: watched, batches };
}

const columnOf = (batch: readonly Datum[], name: string): number[] =>
  batch.flatMap(({ columns }) => [...(columns[name] ?? [])]);

describe('value normalisation', () => {
  it('gives the critic targets of mean 0 and deviation 1, and values of the run in reward', async () => {
    const { engine, batches } = watchCritic();
    const { events } = await train({ engine, spec: { steps: 2 } });
    const [first, second] = batches.map((batch) => columnOf(batch, 'returns'));
    const mean = (values: readonly number[] = []) =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(first)).toBeCloseTo(0, 6);
    expect(mean(first?.map((value) => value * value))).toBeCloseTo(1, 6);
    // by then there are two iterations, of which the later counts twice
    const [one, two] = rows(events).map(({ values }) => values);
    expect(mean(second)).not.toBeCloseTo(0, 6);
    expect(one?.['critic/return_std']).toBeGreaterThan(0);
    expect(two?.['critic/return_mean']).not.toBe(one?.['critic/return_mean']);
    // the toy says the same everywhere, 0.5 at first: a clip is around what it said, whatever the scale is since
    expect(new Set(columnOf(batches[0] ?? [], 'oldValues'))).toEqual(new Set([0.5]));
    const said = new Set(columnOf(batches[1] ?? [], 'oldValues').map((value) => value.toFixed(5)));
    expect(said.size).toBe(1);
    expect(said).not.toEqual(new Set(['0.50000']));
  });

  it('makes the same of rewards that are a hundred times as large', async () => {
    const learned = async (weight: number) => {
      const spec = { rewards: [{ use: 'environment-return', weight }], steps: 1 };
      const { engine } = await train({ folder: `times-${weight}`, spec });
      return engine.criticWeight();
    };
    expect(await learned(100)).toBeCloseTo(await learned(1), 6);
  });

  it('is saved, and resumed bit for bit', async () => {
    const straight = await train({ folder: 'straight' });
    await train({ folder: 'halves', spec: { steps: 2 } });
    const second = await train({ folder: 'halves', resume: true });
    expect(second.engine.criticWeight()).toBe(straight.engine.criticWeight());
    expect(stateOf(second.folder, 4)['returns']).toEqual(stateOf(straight.folder, 4)['returns']);
    expect(stateOf(second.folder, 2)['returns']).toMatchObject({ weight: 0.75 });
    // the toy learns from what it is shown, so a start without the moments shows
    const without = await train({ folder: 'without', spec: { update: {} } });
    expect(without.engine.criticWeight()).not.toBe(straight.engine.criticWeight());
    expect(stateOf(without.folder, 4)).not.toHaveProperty('returns');
  });

  it('is refused to a fork that predicts other units', async () => {
    await train();
    const fork = train({ folder: 'fork', fork: 'run/checkpoints/step-000002', spec: { update: {} } });
    await expect(fork).rejects.toMatchObject({
      code: 'trainer.fork_mismatch',
      message: expect.stringContaining('its critic learned with update.valueNormalization.use running'),
    });
  });

  it.each([
    { weight: 0.5, mean: 1 },
    { weight: 0, mean: 0, square: 0 },
    { weight: 1, mean: 'a', square: 1 },
    3,
  ])('is corrupt in a checkpoint as %j', (returns) => {
    expect(parseTrainerState({ ...startState, returns })).toBeUndefined();
    expect(parseTrainerState({ ...startState, returns: { weight: 1, mean: 0, square: 2 } })).toBeDefined();
  });
});

describe('criticEpochs', () => {
  it.each([
    [{ criticEpochs: 3 }, 4, 12],
    [{ criticEpochs: 1, epochs: 2 }, 8, 4],
    [{ epochs: 2 }, 8, 8],
    [{ criticEpochs: 3, miniBatches: 2 }, 8, 24],
    [{ criticEpochs: 3, criticWarmup: 1 }, 3, 12],
    [{ criticEpochs: 2, criticMiniBatches: 3 }, 4, 24],
    [{ miniBatches: 3, criticMiniBatches: 1 }, 12, 4],
  ])('with %o makes %i steps of the policy and %i of the critic', async (update, policy, ofCritic) => {
    const schedule = { kind: 'linear', warmupSteps: 0, finalRatio: 0 };
    const { events } = await train({
      spec: { update, criticOptimizer: { learningRate: 1, schedule }, validation: { every: 0 } },
    });
    const last = rows(events).at(-1)?.values;
    expect(last).toMatchObject({ 'update/policy_steps': policy, 'update/critic_steps': ofCritic });
    // its schedule is as long as its steps
    expect(last?.['critic/learning_rate']).toBeCloseTo(1 / ofCritic, 12);
  });

  it('does not change what the policy is shown', async () => {
    const shown = async (criticEpochs: number) => {
      const seen: string[] = [];
      const engine = tinyEngine({ onLearn: (_, batch) => void seen.push(JSON.stringify(batch)) });
      await train({
        folder: `passes-${criticEpochs}`,
        engine,
        spec: { update: { criticEpochs, epochs: 2 } },
      });
      return seen;
    };
    expect(await shown(5)).toEqual(await shown(2));
  });
});
