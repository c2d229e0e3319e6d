/** @file Greedy baselines in a run: played for each group, compared with, recorded, counted, never learned from. */
import remax from '@espalier/algorithm-remax';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, RunEvent, SampleRequest } from '@espalier/contracts';
import { createMemorySink } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrainer } from './create-trainer.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-greedy-'))));
afterAll(() => rmSync(root, { recursive: true }));

const usual = {
  algorithm: { use: 'remax', ...remax.params.parse({}) },
  steps: 3,
  validation: { every: 0, atStart: false, atEnd: false },
  checkpoint: { every: 1, keep: 9 },
};
const rollout = { promptsPerStep: 3, groupSize: 4, prompt: { thinking: 'none' } };

interface Given {
  readonly folder: string;
  readonly spec?: Record<string, unknown>;
  readonly resume?: boolean;
  /** asks to stop after this step */
  readonly stopAfter?: number;
  /** throws instead of sampling; told how many greedy samples were asked for before */
  readonly fails?: (greedy: number, request: SampleRequest) => boolean;
}

async function train({ folder, spec = {}, resume = false, stopAfter, fails = () => false }: Given) {
  const stop = new AbortController();
  const batches: (readonly Datum[])[] = [];
  const sampled: SampleRequest[] = [];
  let greedy = 0;
  const plain = tinyEngine({ onLearn: (_, batch) => void batches.push(batch) });
  const noting = <Sampler extends Pick<typeof plain.policy, 'sample'>>(of: Sampler): Sampler =>
    Object.assign(Object.create(of) as Sampler, {
      sample: (request: SampleRequest) => {
        sampled.push(request);
        const before = greedy;
        greedy += Number(isGreedyRequest(request));
        if (fails(before, request)) return Promise.reject(new Error('no word'));
        return of.sample(request);
      },
    });
  const engine = {
    ...plain,
    policy: { ...plain.policy, sample: noting(plain.policy).sample },
    openSampler: async () => noting(await plain.openSampler()),
  };
  const memory = createMemorySink();
  const sink: typeof memory = {
    ...memory,
    emit: (event) => {
      memory.emit(event);
      if (event.kind === 'metrics' && event.step === stopAfter) stop.abort();
    },
  };
  const trainer = await createTrainer(tinySpec({ ...usual, ...spec }), {
    registry: {
      get: (kind, id) => (id === 'remax' ? (remax as never) : tinyRegistry.get(kind, id)),
    },
    sink,
    folder: join(root, folder),
    engine,
    tokenizer: tinyTokenizer,
    resume,
  });
  try {
    await trainer.run(stop.signal);
    return { events: memory.events, batches, sampled, weight: plain.weight() };
  } catch (error) {
    return { events: memory.events, batches, sampled, weight: plain.weight(), error: error as Error };
  } finally {
    await trainer.dispose();
  }
}

const isGreedyRequest = ({ params }: SampleRequest): boolean => params.temperature === 0;

type Stored = Extract<RunEvent, { kind: 'trajectory' }>;
const storedOf = (events: readonly RunEvent[]): Stored[] =>
  events.flatMap((event) => (event.kind === 'trajectory' ? [event] : []));
const isGreedy = ({ update }: Stored): boolean => update?.outcome === 'greedy-baseline';
const rowsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'metrics' && 'update/trajectories' in event.values ? [event.values] : [],
  );
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const tokensOf = ({ trajectory: { turns } }: Stored): number =>
  turns.reduce((sum, { sampled: { start, end } }) => sum + end - start, 0);
const groupKey = ({ step, trajectory: { environmentTag = '', group } }: Stored): string =>
  `${step}/${environmentTag}/${group}`;

/** Asserts that each trained trajectory has the advantage over the greedy one of its group, at every loss token. */
function expectCompared(events: readonly RunEvent[]): number {
  const greedy = new Map(
    storedOf(events)
      .filter(isGreedy)
      .map((one) => [groupKey(one), one]),
  );
  const trained = storedOf(events).filter(({ update }) => update?.outcome === 'trained');
  for (const one of trained) {
    const total = greedy.get(groupKey(one))?.trajectory.score.total ?? NaN;
    const { advantages = new Float32Array() } = one.update?.tokens ?? {};
    expect(advantages.length).toBeGreaterThan(0);
    expect(new Set(advantages)).toEqual(new Set([Math.fround(one.trajectory.score.total - total)]));
  }
  return trained.length;
}

describe('greedy baselines', () => {
  it('are played once for each group, from its state, by the same policy, at temperature 0', async () => {
    const { events, sampled } = await train({ folder: 'plays', spec: { rollout } });
    const all = storedOf(events);
    expect(all.filter(isGreedy)).toHaveLength(9);
    for (const one of all.filter(isGreedy)) {
      const group = all.filter((other) => groupKey(other) === groupKey(one) && !isGreedy(other));
      expect(group).toHaveLength(4);
      const [first] = group.map(({ trajectory }) => trajectory);
      const { trajectory } = one;
      expect([trajectory.index, one.kept, trajectory.seeds.state]).toEqual([4, false, first?.seeds.state]);
      expect(trajectory.turns[0]?.stateKey).toBe(first?.turns[0]?.stateKey);
      expect(trajectory.turns[0]?.policyVersion).toBe(first?.turns[0]?.policyVersion);
      expect(group.map((other) => other.trajectory.seeds.noise)).not.toContain(trajectory.seeds.noise);
      // the toy guesses Left where nothing is left to chance
      expect(trajectory.turns.map(({ answer }) => answer)).toEqual(trajectory.turns.map(() => 'Left'));
    }
    const turns = all.filter(isGreedy).reduce((sum, { trajectory }) => sum + trajectory.turns.length, 0);
    expect(sampled.filter(({ params }) => params.temperature === 0)).toHaveLength(turns);
    expect(new Set(sampled.map(({ params }) => params.temperature))).toEqual(new Set([0, 1]));
  });

  it('have the noise of all where a group shares it', async () => {
    const { events } = await train({
      folder: 'noise',
      spec: { steps: 1, rollout: { ...rollout, noiseSeed: 'per-group' } },
    });
    const noises = storedOf(events).map((one) => `${groupKey(one)} ${one.trajectory.seeds.noise}`);
    expect(new Set(noises).size).toBe(3);
  });

  it('count in tokens, steps and episodes, and in no mean', async () => {
    const { events, batches } = await train({ folder: 'counts', spec: { rollout } });
    const rows = rowsOf(events);
    expect(rows).toHaveLength(3);
    rows.forEach((row, index) => {
      const all = storedOf(events).filter(({ step }) => step === index + 1);
      const [greedy, others] = [all.filter(isGreedy), all.filter((one) => !isGreedy(one))];
      const totals = (of: readonly Stored[]) => of.map(({ trajectory }) => trajectory.score.total);
      const successes = (of: readonly Stored[]) =>
        mean(of.map(({ trajectory }) => Number(trajectory.success)));
      expect(row['rollout/reward_mean']).toBeCloseTo(mean(totals(others)), 12);
      expect(row['rollout/success_rate']).toBe(successes(others));
      expect(row['rollout/greedy_reward_mean']).toBeCloseTo(mean(totals(greedy)), 12);
      expect(row['rollout/greedy_success_rate']).toBe(successes(greedy));
      const sum = all.reduce((tokens, one) => tokens + tokensOf(one), 0);
      expect([row['rollout/sampled_tokens'], row['flow/tokens']]).toEqual([sum, sum]);
      expect([row['flow/trajectories'], row['flow/trajectories/greedy_baseline']]).toEqual([15, 3]);
      expect([row['update/trajectories'], row['total/episodes']]).toEqual([12, 15 * (index + 1)]);
      const played = storedOf(events).filter(({ step }) => step <= index + 1);
      expect(row['total/sampled_tokens']).toBe(played.reduce((tokens, one) => tokens + tokensOf(one), 0));
      const actions = (of: readonly Stored[]) =>
        of.flatMap(({ trajectory }) => trajectory.turns.flatMap((turn) => turn.actions)).length;
      expect(row['total/environment_steps']).toBe(actions(played));
      expect(row['rollout/environment_steps']).toBe(actions(all));
    });
    expect(batches.map(({ length }) => length)).toEqual([12, 12, 12]);
  });

  it.each([1, 2, 5])('are what groups of %i are compared with, and never learned from', async (groupSize) => {
    const spec = { rollout: { ...rollout, groupSize }, seed: groupSize, update: { epochs: 2 } };
    const { events, batches } = await train({ folder: `groups-${groupSize}`, spec });
    expect(expectCompared(events)).toBe(3 * 3 * groupSize);
    expect(batches.map(({ length }) => length)).toEqual(Array.from({ length: 6 }, () => 3 * groupSize));
    const learned = storedOf(events)
      .filter(isGreedy)
      .map(({ update }) => update);
    expect(learned).toHaveLength(9);
    expect(learned.every((update) => update?.tokens === undefined && update?.share === undefined)).toBe(true);
  });

  it('are behind the most that an adaptive group may have', async () => {
    const adaptive = { first: 2, most: 6, enough: 1 };
    const { events } = await train({ folder: 'adaptive', spec: { rollout: { ...rollout, adaptive } } });
    expect(
      storedOf(events)
        .filter(isGreedy)
        .map(({ trajectory }) => trajectory.index),
    ).toEqual(new Array<number>(9).fill(6));
    expect(expectCompared(events)).toBe(storedOf(events).filter((one) => !isGreedy(one)).length);
  });

  it('are played for the groups of a tag whose algorithm asks for them', async () => {
    const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
    const { events } = await train({
      folder: 'tags',
      spec: {
        environment: undefined,
        algorithm: { use: 'tiny' },
        environments: {
          near: { ...own, groups: 2 },
          far: { ...own, groups: 1, algorithm: { use: 'remax', ...remax.params.parse({}) } },
        },
        mixing: { compare: 'per-tag' },
      },
    });
    const greedy = storedOf(events).filter(isGreedy);
    expect(greedy.map(({ trajectory }) => trajectory.environmentTag)).toEqual(['far', 'far', 'far']);
    const [row] = rowsOf(events);
    expect(row?.['tag/far/rollout/greedy_reward_mean']).toBe(greedy[0]?.trajectory.score.total);
    expect(row).not.toHaveProperty('tag/near/rollout/greedy_reward_mean');
  });
});

describe('a greedy episode that fails', () => {
  const spec = { steps: 1, rollout: { ...rollout, maxFailedShare: 0.9 } };

  it('is played once more', async () => {
    const { events } = await train({
      folder: 'once',
      spec,
      fails: (greedy, request) => isGreedyRequest(request) && greedy === 0,
    });
    const all = storedOf(events);
    expect(all.filter(({ update }) => update?.outcome === 'failed')).toHaveLength(1);
    expect(all.filter(isGreedy)).toHaveLength(3);
    expect(expectCompared(events)).toBe(12);
  });

  const ofGroup = ({ sequence }: SampleRequest): boolean => sequence.startsWith('train/1/1/');
  const fails = (_: number, request: SampleRequest): boolean => isGreedyRequest(request) && ofGroup(request);

  it('twice leaves its group out, with the reason', async () => {
    const { events, batches } = await train({ folder: 'twice', spec, fails });
    const dropped = storedOf(events).filter(({ update }) => update?.outcome === 'dropped');
    expect(dropped.map((one) => [groupKey(one), one.dropped?.reason])).toEqual(
      new Array(4).fill(['1//1', 'no-greedy-baseline']),
    );
    const failed = storedOf(events).filter(({ update }) => update?.outcome === 'failed');
    expect(failed.map(({ trajectory }) => [trajectory.id, trajectory.error])).toEqual(
      new Array(2).fill(['train/1/1/4', expect.stringContaining('no word')]),
    );
    expect(expectCompared(events)).toBe(8);
    expect(batches.map(({ length }) => length)).toEqual([8]);
    const [row] = rowsOf(events);
    expect(row?.['select/dropped/no_greedy_baseline']).toBe(1);
    expect(row?.['rollout/failed_share']).toBe(2 / 16);
  });

  it('twice lets another group take the place, where dropped ones are replaced', async () => {
    const resampled = { ...spec, rollout: { ...spec.rollout, resample: 1 } };
    const { events } = await train({ folder: 'replaced', spec: resampled, fails });
    expect(expectCompared(events)).toBe(12);
    expect(rowsOf(events)[0]?.['select/resampled_groups']).toBe(1);
  });

  it('counts in the share of failures that stops the run', async () => {
    const few = { ...spec, rollout: { ...rollout, maxFailedShare: 0.2 } };
    const { error, events } = await train({ folder: 'stops', spec: few, fails: () => true });
    expect(error?.message).toMatch(/rollouts failed .* above the share 0.2; first: .*no word/);
    expect(rowsOf(events)).toEqual([]);
  });

  it('is recorded with its error where all others of its group failed', async () => {
    const { events } = await train({
      folder: 'alone',
      spec,
      fails: (_, request) => !isGreedyRequest(request) && ofGroup(request),
    });
    const failed = storedOf(events).filter(({ update }) => update?.outcome === 'failed');
    const own = failed.filter(({ trajectory }) => trajectory.index === 4);
    expect([failed.length, own.length]).toEqual([9, 1]); // four samples failed twice
    expect(own[0]?.trajectory.error).toContain('all sampled trajectories of its group failed');
    expect(storedOf(events).filter(isGreedy)).toHaveLength(2);
    expect(expectCompared(events)).toBe(8);
  });
});

describe('a run with greedy baselines', () => {
  it.each([
    ['at once', {}],
    ['with replay', { update: { replay: { groups: 2, capacity: 6, maxAge: 3 } } }],
    ['one step ahead', { rollout: { ...rollout, ahead: 1 } }],
    [
      'in two environments one step ahead',
      {
        environment: undefined,
        environments: Object.fromEntries(
          ['near', 'far'].map((tag) => [
            tag,
            { environment: { use: 'guess' }, groups: 1, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 },
          ]),
        ),
        mixing: { compare: 'per-tag' },
        rollout: { ...rollout, promptsPerStep: 2, ahead: 1 },
      },
    ],
  ])('resumes bit for bit %s', async (name, change) => {
    const spec = { rollout, steps: 4, ...change };
    const folder = name.replaceAll(' ', '-');
    const straight = await train({ folder: `${folder}-straight`, spec });
    await train({ folder, spec, stopAfter: 2 });
    const second = await train({ folder, spec, resume: true });
    expect(second.weight).toBe(straight.weight);
    const told = (events: readonly RunEvent[]) =>
      storedOf(events)
        .filter(({ step }) => step > 2)
        .map((one) => [one.trajectory.id, one.update?.outcome, [...one.trajectory.tokens].join()]);
    expect(told(second.events)).toEqual(told(straight.events));
    expect(told(straight.events).some(([, outcome]) => outcome === 'greedy-baseline')).toBe(true);
    const state = (run: string) =>
      readFileSync(join(root, run, 'checkpoints/step-000004/state.json'), 'utf8').replaceAll(run, '');
    expect(JSON.parse(state(folder))).toEqual(JSON.parse(state(`${folder}-straight`)));
  });

  it('samples both by the same older policy where it samples ahead', async () => {
    const { events } = await train({
      folder: 'ahead',
      spec: { rollout: { ...rollout, ahead: 1 }, steps: 4 },
    });
    const versions = storedOf(events).map((one) => `${one.step} ${one.trajectory.turns[0]?.policyVersion}`);
    expect([...new Set(versions)]).toEqual(['1 0', '2 0', '3 1', '4 2']);
    expect(expectCompared(events)).toBe(48);
  });

  it('compares replayed groups with the total that was theirs', async () => {
    const replay = { groups: 2, capacity: 6, maxAge: 3 };
    const { events, batches } = await train({ folder: 'replayed', spec: { rollout, update: { replay } } });
    expect(batches.map(({ length }) => length)).toEqual([12, 20, 20]);
    const greedy = new Map(
      storedOf(events)
        .filter(isGreedy)
        .map((one) => [groupKey(one), one]),
    );
    const allowed = storedOf(events).map((one) =>
      Math.fround(one.trajectory.score.total - (greedy.get(groupKey(one))?.trajectory.score.total ?? NaN)),
    );
    const lines = readFileSync(join(root, 'replayed/checkpoints/step-000003/replay.jsonl'), 'utf8');
    const held = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { greedyTotal?: number });
    expect(held.map(({ greedyTotal }) => greedyTotal)).toEqual(
      [...greedy.values()].slice(-6).map(({ trajectory }) => trajectory.score.total),
    );
    for (const { columns } of batches.flat()) {
      expect(columns['advantages']?.length).toBeGreaterThan(0);
      for (const advantage of columns['advantages'] ?? []) expect(allowed).toContain(advantage);
    }
  });
});
