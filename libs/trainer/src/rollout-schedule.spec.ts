import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, RunEvent } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { beforeEach, describe, expect, it } from 'vitest';
import { tinyEngine, type TinyTraining, trainTiny } from './testing/tiny-run.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-schedule-'));
});
const silent = { every: 0, atStart: false, atEnd: false };
const train = ({ spec, ...training }: TinyTraining = {}) =>
  trainTiny(root, { ...training, spec: { validation: silent, ...spec } });

const isTimed = ([name]: [string, unknown]) => !isRepeatable(name);
const rows = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'metrics'
      ? [
          {
            step: event.step,
            values: Object.fromEntries(Object.entries(event.values).filter((one) => !isTimed(one))),
          },
        ]
      : [],
  );
const iterations = (events: readonly RunEvent[]) =>
  rows(events).flatMap(({ values }) => ('update/trajectories' in values ? [values] : []));
const trajectories = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'trajectory' && event.trajectory.split === 'train' ? [event.trajectory] : [],
  );
const played = (events: readonly RunEvent[]) =>
  trajectories(events).map(({ id, tokens }) => `${id} ${tokens.join()}`);

/** Asserts that a run which ended in between and resumed is the run that never did. */
async function expectSameAfter(
  spec: Record<string, unknown>,
  ending: Partial<Parameters<typeof tinyEngine>[0]> & { readonly signal?: AbortSignal },
) {
  const { signal, ...options } = ending;
  const straight = await train({ folder: 'straight', spec });
  const first = await train({
    folder: 'halves',
    spec,
    engine: tinyEngine(options),
    ...(signal === undefined ? {} : { signal }),
  });
  const second = await train({ folder: 'halves', spec, resume: true });
  expect(second.engine.weight()).toBe(straight.engine.weight());
  const saved = second.events.find((event) => event.kind === 'run-started')?.step ?? 0;
  const kept = first.events.filter((event) => !('step' in event) || event.step <= saved);
  expect(rows([...kept, ...second.events])).toEqual(rows(straight.events));
  expect(played([...kept, ...second.events])).toEqual(played(straight.events));
  return { straight, first, second };
}

describe('replay', () => {
  const spec = {
    steps: 6,
    update: { replay: { groups: 2, capacity: 8, maxAge: 2 } },
    checkpoint: { every: 2 },
  };
  const keyOf = (tokens: Int32Array, logprobs: Float32Array) => `${tokens.join()} ${logprobs.join()}`;

  it('learns from earlier groups again, with the log-probabilities at sampling and no older than its bound', async () => {
    const batches: Datum[][] = [];
    const engine = tinyEngine({ onLearn: (_, batch) => void batches.push([...batch]) });
    const { events } = await train({ spec, engine });
    const values = iterations(events);
    expect(values.map((row) => row['replay/groups'])).toEqual([0, 2, 2, 2, 2, 2]);
    expect(values.map((row) => row['update/trajectories'])).toEqual([12, 20, 20, 20, 20, 20]);
    expect(values[1]?.['replay/share']).toBe(8 / 20);
    expect(values.map((row) => row['replay/held_groups'])).toEqual([3, 6, 8, 8, 8, 8]);
    // eight groups reach back further than two steps: from the fourth update on the oldest are refused
    expect(values.map((row) => row['replay/expired'])).toEqual([0, 0, 0, 2, 2, 2]);
    expect(Math.max(...values.map((row) => row['replay/age_max'] ?? 0))).toBe(2);
    expect(Math.max(...values.map((row) => row['rollout/policy_lag_max'] as number))).toBe(2);
    // the toy's log-probabilities tell which of its weights sampled a trajectory
    const known = new Map(trajectories(events).map((one) => [keyOf(one.tokens, one.logprobs), one.step]));
    const ages = batches.map((batch, index) =>
      batch.map(({ tokens, positions, columns }) => {
        const logprobs = new Float32Array(tokens.length);
        positions.forEach((t, n) => (logprobs[t] = columns['oldLogprobs']?.[n] ?? Number.NaN));
        return index + 1 - (known.get(keyOf(tokens, logprobs)) ?? Number.NaN);
      }),
    );
    expect(new Set(ages.flat())).toEqual(new Set([0, 1, 2]));
    // each update has its own trajectories, and eight or fewer of earlier ones
    for (const own of ages) expect(own.filter((age) => age === 0)).toHaveLength(12);
  });

  it('goes on after a stop as if it had not stopped', async () => {
    const controller = new AbortController();
    await expectSameAfter(spec, {
      onLearn: (call) => void (call === 3 && controller.abort()),
      signal: controller.signal,
    });
  });

  it('refuses a checkpoint whose groups are something else', async () => {
    const { isLearnedGroup } = await import('./replay.js');
    const { parseReplay, encodeReplay } = await import('./batch-files.js');
    const { events } = await train({ spec: { steps: 1 } });
    const group = { trajectories: trajectories(events).slice(0, 2), weight: 0.5, policySteps: 3 };
    expect(parseReplay(encodeReplay([group, group]))).toEqual([group, group]);
    expect(isLearnedGroup({ ...group, policySteps: 0.5 })).toBe(false);
    expect(parseReplay('{"weight":1}\n')).toBeUndefined();
    expect(parseReplay('{"weight"')).toBeUndefined();
  });
});

describe('sampling ahead', () => {
  const spec = { steps: 5, rollout: base({ ahead: 1 }), checkpoint: { every: 2 } };

  it('learns from what the policy before the last update sampled, all of it and once', async () => {
    const { events } = await train({ spec });
    const versions = (all: typeof events) =>
      [1, 2, 3, 4, 5].map((step) => [
        ...new Set(
          trajectories(all).flatMap((one) =>
            one.step === step ? one.turns.map(({ policyVersion }) => policyVersion) : [],
          ),
        ),
      ]);
    expect(versions(events)).toEqual([[0], [0], [1], [2], [3]]); // no episode saw two policies
    expect(iterations(events).map((row) => row['rollout/policy_lag_max'])).toEqual([0, 1, 1, 1, 1]);
    const ids = trajectories(events).map(({ id }) => id);
    const expected = [1, 2, 3, 4, 5].flatMap((step) =>
      [0, 1, 2].flatMap((group) => [0, 1, 2, 3].map((index) => `train/${step}/${group}/${index}`)),
    );
    expect(ids).toEqual(expected);
    const here = await train({ folder: 'here', spec: { ...spec, rollout: base({ ahead: 0 }) } });
    expect(played(events).slice(0, 12)).toEqual(played(here.events).slice(0, 12));
    expect(versions(here.events)).toEqual([[0], [1], [2], [3], [4]]);
  });

  it('samples while the policy learns', async () => {
    const order: string[] = [];
    const engine = tinyEngine({
      onSample: async (call) => {
        if (call > 12) await new Promise((resolve) => setTimeout(resolve, 2));
        order.push('sample');
      },
      onLearn: () => void order.push('learn'),
    });
    const quick = { ...spec, steps: 2 };
    await train({ spec: quick, engine });
    const firstUpdate = order.indexOf('learn');
    expect(order.slice(firstUpdate, order.lastIndexOf('learn'))).toContain('sample');
  });

  it('depends on no timing, and favours no short episode', async () => {
    const straight = await train({ folder: 'straight', spec });
    let draw = 1;
    const slow = tinyEngine({
      // pauses that differ from call to call
      onSample: async () => {
        draw = (draw * 48271) % 2147483647;
        if (draw % 3 === 0) await new Promise((resolve) => setTimeout(resolve, draw % 5));
      },
    });
    const other = await train({ folder: 'slow', spec, engine: slow });
    expect(rows(other.events)).toEqual(rows(straight.events));
    expect(played(other.events)).toEqual(played(straight.events));
    const turns = (step: number) =>
      trajectories(other.events).flatMap((one) => (one.step === step ? [one.turns.length] : []));
    for (const step of [1, 2, 3, 4, 5]) expect(turns(step)).toHaveLength(12);
    expect(new Set(turns(3)).size).toBeGreaterThan(1);
  });

  it.each([1, 2, 4])('goes on after a stop in update %i as if it had not stopped', async (iteration) => {
    const controller = new AbortController();
    await expectSameAfter(spec, {
      onLearn: (call) => void (call === iteration && controller.abort()),
      signal: controller.signal,
    });
  });

  it('goes on from its checkpoint after a crash as if there had been none', async () => {
    const { first } = await expectSameAfter(spec, {
      onLearn: (call) => {
        if (call === 4) throw new Error('the machine is gone');
        return undefined;
      },
    });
    expect(first.error?.message).toContain('the machine is gone');
  });

  it('says what went wrong in a batch when it is that batch’s turn', async () => {
    const failing = { ...spec, environment: { use: 'guess', failing: true } };
    const { error } = await train({ spec: failing });
    expect(error?.message).toMatch(/rollouts failed/);
  });

  it('replays and samples ahead at once', async () => {
    const both = { ...spec, update: { replay: { groups: 1, capacity: 8, maxAge: 3 } } };
    const { straight } = await expectSameAfter(both, {
      onLearn: (call) => {
        if (call === 4) throw new Error('the machine is gone');
        return undefined;
      },
    });
    // sampled one step before its first update, so one older than without
    const lags = iterations(straight.events).map((row) => row['rollout/policy_lag_max']);
    expect(lags.slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(lags[4]).toBeLessThanOrEqual(3);
  });
});

describe('tasks', () => {
  const states = (events: readonly RunEvent[]) => [
    ...new Map(trajectories(events).map((one) => [`${one.step}/${one.group}`, one.seeds.state])).values(),
  ];

  it('are played in turn, each before any is played again', async () => {
    const spec = { steps: 4, rollout: base({ tasks: tasksOf({ count: 6 }) }) };
    const { events } = await train({ spec });
    const all = states(events);
    expect(all).toHaveLength(12);
    expect(new Set(all.slice(0, 6)).size).toBe(6);
    expect(new Set(all.slice(6))).toEqual(new Set(all.slice(0, 6)));
    expect(iterations(events).at(-1)).toMatchObject({ 'tasks/plays_min': 2, 'tasks/plays_max': 2 });
    expect(iterations(events).map((row) => row['tasks/untried'])).toEqual([3, 0, 0, 0]);
  });

  it.each(['thompson', 'pools'])(
    'chosen by %s go on after a stop as if there had been none',
    async (choose) => {
      const controller = new AbortController();
      const spec = { steps: 5, rollout: base({ tasks: tasksOf({ count: 7, choose }) }) };
      const { straight } = await expectSameAfter(spec, {
        onLearn: (call) => void (call === 3 && controller.abort()),
        signal: controller.signal,
      });
      for (const step of [1, 2, 3, 4, 5]) {
        const own = trajectories(straight.events).filter((one) => one.step === step);
        expect(new Set(own.map(({ seeds }) => seeds.state)).size).toBe(3);
      }
    },
  );

  it('are known when the next batch is sampled ahead', async () => {
    const spec = { steps: 4, rollout: base({ ahead: 1, tasks: tasksOf({ count: 6 }) }) };
    const { events } = await train({ spec });
    expect(new Set(states(events).slice(0, 6)).size).toBe(6);
  });
});

describe('adaptive group sizes', () => {
  it('sample the same total, and learn from groups of different sizes', async () => {
    const adaptive = { first: 2, most: 8, enough: 0 };
    const { events } = await train({ spec: { steps: 3, rollout: base({ adaptive }) } });
    const sizes = [1, 2, 3].map((step) =>
      [0, 1, 2].map(
        (group) => trajectories(events).filter((one) => one.step === step && one.group === group).length,
      ),
    );
    for (const own of sizes) expect(own.reduce((sum, size) => sum + size, 0)).toBe(12);
    expect(sizes.flat().some((size) => size !== 4)).toBe(true);
    const rowsOf = iterations(events);
    expect(rowsOf.map((row) => row['rollout/group_size_max'])).toEqual(sizes.map((own) => Math.max(...own)));
    expect(rowsOf.map((row) => row['rollout/saved_trajectories'])).toEqual([0, 0, 0]);
  });
});

it('a fork that continues has the held groups, the batch sampled ahead and the tasks of its parent', async () => {
  const spec = {
    steps: 5,
    rollout: base({ ahead: 1, tasks: tasksOf({ count: 7, choose: 'thompson' }) }),
    update: { replay: { groups: 2, capacity: 8, maxAge: 3 } },
    checkpoint: { every: 3, keep: 9 },
  };
  const parent = await train({ folder: 'parent', spec });
  const point = join('parent', 'checkpoints', 'step-000003');
  const twin = await train({ folder: 'twin', spec, fork: point });
  expect(twin.engine.weight()).toBe(parent.engine.weight());
  expect(played(twin.events)).toEqual(played(parent.events).slice(-24));
  const other = { ...spec, rollout: { ...spec.rollout, temperature: 0.5 } };
  const changed = await train({ folder: 'changed', spec: other, fork: point });
  // nothing that was sampled otherwise is learned from
  expect(iterations(changed.events)[0]).toMatchObject({ 'replay/groups': 0, 'rollout/policy_lag_max': 0 });
});

/** Rollout options of the tiny run with changes. */
function base(change: Record<string, unknown>) {
  return { promptsPerStep: 3, groupSize: 4, prompt: { thinking: 'none' }, ...change };
}

function tasksOf(change: Record<string, unknown>) {
  return { choose: 'in-turn', ...change };
}
