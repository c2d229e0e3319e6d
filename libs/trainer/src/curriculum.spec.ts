import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent, RunSpec, Trajectory, TrajectoryGroup } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { rolloutAt } from '@espalier/contracts/mixing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advanceLevels, dealGroups, type LevelStates, startLevels } from './curriculum.js';
import { tinySpec, trainTiny } from './testing/tiny-run.js';
import { parseTrainerState, startState } from './trainer-state.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-curriculum-'))));
afterAll(() => rmSync(root, { recursive: true }));

const ladder = (change: object = {}) => ({
  levels: [{ environment: {} }, { environment: {}, maxTurns: 2 }, { environment: {}, maxTurns: 1 }],
  start: 1,
  window: 4,
  promoteAt: 0.7,
  demoteBelow: 0.3,
  replay: 0.25,
  ...change,
});

/** Groups of four at a level, each with some successes. */
const groupsAt = (level: number, ...successes: number[]): TrajectoryGroup[] =>
  successes.map((count, group) => ({
    group,
    environment: 'guess',
    stateSeed: group,
    trajectories: [0, 1, 2, 3].map((index) => ({ level, success: index < count }) as unknown as Trajectory),
  }));

describe('dealing the groups of a step', () => {
  it('plays all of them at the first level', () => {
    expect(dealGroups({ replay: 0.5 }, 1, 8, 3)).toEqual([{ level: 1, groups: 8 }]);
  });

  it('replays a share at each earlier level in turn', () => {
    expect(dealGroups({ replay: 0.25 }, 3, 8, 1)).toEqual([
      { level: 3, groups: 6 },
      { level: 1, groups: 1 },
      { level: 2, groups: 1 },
    ]);
    expect(dealGroups({ replay: 0 }, 3, 8, 1)).toEqual([{ level: 3, groups: 8 }]);
  });

  it('keeps the share over several steps where it is no whole number of groups', () => {
    const replayed = Array.from({ length: 20 }, (_, step) =>
      dealGroups({ replay: 0.15 }, 4, 3, step + 1)
        .slice(1)
        .flatMap(({ level, groups }) => Array<number>(groups).fill(level)),
    );
    expect(replayed.flat()).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
    expect(Math.max(...replayed.map(({ length }) => length))).toBe(1);
  });
});

describe('the level after a step', () => {
  const spec = tinySpec({ curriculum: ladder() });
  const from = (level: number, window: [number, number][] = []): LevelStates => ({
    '': { level, window, promotions: 0, demotions: 0 },
  });

  it('starts where the curriculum says, and is nothing without one', () => {
    expect(startLevels(tinySpec({ curriculum: ladder({ start: 2 }) }))?.['']).toMatchObject({ level: 2 });
    expect(startLevels(tinySpec())).toBeUndefined();
  });

  it('changes only when the window is full', () => {
    const { levels, changes } = advanceLevels(spec, from(1), groupsAt(1, 4, 4, 4));
    expect([levels['']?.level, levels['']?.window.length, changes]).toEqual([1, 3, []]);
  });

  it('goes up at the threshold itself, with an empty window', () => {
    const { levels, changes } = advanceLevels(
      tinySpec({ curriculum: ladder({ promoteAt: 0.75 }) }),
      from(1, [[2, 4]]),
      groupsAt(1, 3, 4, 3),
    );
    expect(levels['']).toEqual({ level: 2, window: [], promotions: 1, demotions: 0 });
    expect(changes).toEqual([{ from: 1, to: 2, levels: 3, successRate: 0.75, groups: 4 }]);
  });

  it('counts each group alike, however many trajectories it was given', () => {
    const window: [number, number][] = [[4, 4], [4, 4], [4, 4]]; // prettier-ignore
    const uncertain = [0, 0, 0, 0].flatMap(() => groupsAt(1, 2)[0]?.trajectories ?? []);
    const group = { group: 0, environment: 'guess', stateSeed: 0, trajectories: uncertain };
    // 3.5 of 4, where 20 of 28 trajectories pass
    const eager = tinySpec({ curriculum: ladder({ promoteAt: 0.8 }) });
    expect(advanceLevels(eager, from(1, window), [group]).changes).toMatchObject([
      { to: 2, successRate: 0.875 },
    ]);
  });

  it('goes down below the other threshold, and not at it', () => {
    const half = tinySpec({ curriculum: ladder({ demoteBelow: 0.25 }) });
    expect(advanceLevels(half, from(2), groupsAt(2, 1, 1, 1, 1)).levels['']?.level).toBe(2);
    const { levels } = advanceLevels(half, from(2), groupsAt(2, 1, 1, 1, 0));
    expect(levels['']).toEqual({ level: 1, window: [], promotions: 0, demotions: 1 });
  });

  it('looks at the newest groups of its own level only', () => {
    const played = [...groupsAt(2, 0, 0, 4, 4, 4, 4), ...groupsAt(1, 0, 0, 0)];
    expect(advanceLevels(spec, from(2), played).levels['']?.level).toBe(3);
  });

  it('stays on the ladder at both ends', () => {
    const top = advanceLevels(spec, from(3), groupsAt(3, 4, 4, 4, 4));
    expect([top.levels['']?.level, top.changes]).toEqual([3, []]);
    expect(top.levels['']?.window).toHaveLength(4);
    expect(advanceLevels(spec, from(1), groupsAt(1, 0, 0, 0, 0)).changes).toEqual([]);
  });
});

describe('a growing horizon', () => {
  const rollout = { maxTurns: 10, maxActions: 20 } as RunSpec['rollout'];
  const turnsOver = (horizon: object, steps: number): number[] =>
    Array.from(
      { length: steps },
      (_, step) => rolloutAt({ ...rollout, horizon } as RunSpec['rollout'], step + 1).maxTurns,
    );

  it('grows evenly to the full budget, and stays there', () => {
    expect(turnsOver({ maxTurns: 4, steps: 6, every: 1 }, 8)).toEqual([4, 5, 6, 7, 8, 9, 10, 10]);
    expect(turnsOver({ maxTurns: 3, steps: 4, every: 1 }, 6)).toEqual([3, 4, 6, 8, 10, 10]);
  });

  it('grows in stages', () => {
    expect(turnsOver({ maxTurns: 4, steps: 6, every: 3 }, 8)).toEqual([4, 4, 4, 7, 7, 7, 10, 10]);
  });

  it('leaves a budget alone that it does not name', () => {
    const at = rolloutAt({ ...rollout, horizon: { maxActions: 5, steps: 2, every: 1 } }, 1);
    expect([at.maxTurns, at.maxActions]).toEqual([10, 5]);
  });
});

const rowsOf = (events: readonly RunEvent[]): [number, Record<string, number>][] =>
  events.flatMap((event): [number, Record<string, number>][] =>
    event.kind === 'metrics'
      ? [
          [
            event.step,
            Object.fromEntries(Object.entries(event.values).filter(([name]) => isRepeatable(name))),
          ],
        ]
      : [],
  );
/** Without validations. */
const trainingRows = (events: readonly RunEvent[]): Map<number, Record<string, number>> =>
  new Map(rowsOf(events).filter(([, values]) => 'rollout/success_rate' in values));
const changesOf = (events: readonly RunEvent[]) => events.filter(({ kind }) => kind === 'level');
const playedOf = (events: readonly RunEvent[]): Trajectory[] =>
  events.flatMap((event) => (event.kind === 'trajectory' ? [event.trajectory] : []));

describe('a run with a curriculum', () => {
  // guesses by chance: 7/8 succeed in three turns, 3/4 in two, 1/2 in one
  const climbing = {
    steps: 6,
    optimizer: { learningRate: 1e-6 },
    curriculum: ladder({ promoteAt: 0.65, demoteBelow: 0.6 }),
    checkpoint: { every: 1, keep: 20 },
  };

  it('climbs and falls, and says so in metrics, events and trajectories', async () => {
    const { events } = await trainTiny(root, { folder: 'climbs', spec: climbing });
    const changes = changesOf(events);
    const rows = trainingRows(events);
    expect(changes.some((one) => one.kind === 'level' && one.to > one.from)).toBe(true);
    expect(changes.some((one) => one.kind === 'level' && one.to < one.from)).toBe(true);
    for (const change of changes) {
      if (change.kind !== 'level') continue;
      expect(rows.get(change.step)?.['curriculum/level']).toBe(change.from);
      expect(rows.get(change.step + 1)?.['curriculum/level'] ?? change.to).toBe(change.to);
    }
    for (let step = 1; step <= 6; step++) {
      const row = rows.get(step) ?? {};
      const played = playedOf(events).filter((one) => one.split === 'train' && one.step === step);
      expect(played).toHaveLength(12);
      expect(new Set(played.map(({ id }) => id)).size).toBe(12);
      for (const level of new Set(played.map((one) => one.level))) {
        const own = played.filter((one) => one.level === level);
        expect(Math.max(...own.map(({ turns }) => turns.length))).toBeLessThanOrEqual(4 - (level ?? 0));
        expect(row[`curriculum/success_rate_${level}`]).toBe(
          own.filter(({ success }) => success).length / own.length,
        );
      }
      expect(row['horizon/max_turns']).toBe(4 - (row['curriculum/level'] ?? 0));
    }
  });

  it('resumes after every step as if it had never stopped, bit for bit', async () => {
    const whole = await trainTiny(root, { folder: 'whole', spec: climbing });
    for (let step = 1; step < 6; step++) {
      const folder = `stopped-${step}`;
      const stopped = {
        ...climbing,
        steps: step,
        validation: { every: 2, episodes: 5, atEnd: step % 2 === 0 },
      };
      await trainTiny(root, { folder, spec: stopped });
      const rest = await trainTiny(root, { folder, spec: climbing, resume: true });
      const late = ({ events }: { events: readonly RunEvent[] }) => ({
        rows: rowsOf(events).filter(([at]) => at > step),
        changes: changesOf(events).flatMap((one) =>
          one.kind === 'level' && one.step > step ? [{ ...one, time: 0 }] : [],
        ),
        tokens: playedOf(events)
          .filter((one) => one.step > step && one.split === 'train')
          .map(({ id, level, tokens, logprobs, seeds }) => ({ id, level, tokens, logprobs, seeds })),
      });
      expect(late(rest)).toEqual(late(whole));
      expect(rest.engine.weight()).toBe(whole.engine.weight());
    }
  });

  it('lets the monitor begin anew where the level rises, as a harder task is no collapse', async () => {
    const { events, folder } = await trainTiny(root, { folder: 'watched', spec: climbing });
    const changed = new Set(
      changesOf(events).flatMap((one) => (one.kind === 'level' && one.to > one.from ? [one.step] : [])),
    );
    for (let step = 1; step <= 6; step++) {
      const file = join(folder, 'checkpoints', `step-00000${step}`, 'state.json');
      const { health } = JSON.parse(readFileSync(file, 'utf8')) as {
        health: { inputs: Record<string, { count: number } | undefined> };
      };
      const last = Math.max(0, ...[...changed].filter((one) => one <= step));
      expect(health.inputs['success']?.count ?? 0).toBe(step - last);
    }
    expect(changed.size).toBeGreaterThan(1);
    expect(changesOf(events).length).toBeGreaterThan(changed.size);
  });

  it('is not resumed with another ladder', async () => {
    await trainTiny(root, { folder: 'kept', spec: { ...climbing, steps: 1 } });
    const other = { ...climbing, curriculum: { ...climbing.curriculum, promoteAt: 0.9 } };
    await expect(trainTiny(root, { folder: 'kept', spec: other, resume: true })).rejects.toThrow(
      'curriculum.promoteAt was 0.65, now 0.9',
    );
  });

  it('is validated at the last level, or at all of them, on the same states', async () => {
    const once = { ...climbing, steps: 1, validation: { every: 0, episodes: 6, atStart: false } };
    const last = await trainTiny(root, { folder: 'last', spec: once });
    const validated = (events: readonly RunEvent[]) =>
      playedOf(events).filter(({ split }) => split === 'validation');
    expect(Math.max(...validated(last.events).map(({ turns }) => turns.length))).toBe(1);
    expect(validated(last.events)).toHaveLength(6);
    const all = await trainTiny(root, {
      folder: 'all',
      spec: { ...once, validation: { ...once.validation, levels: 'all' } },
    });
    const [, row] = rowsOf(all.events).at(-1) ?? [];
    expect(row?.['validation/success_rate']).toBe(rowsOf(last.events).at(-1)?.[1]['validation/success_rate']);
    expect(row?.['tag/level-1/validation/success_rate']).toBeGreaterThan(
      row?.['tag/level-2/validation/success_rate'] ?? 1,
    );
    const states = (tag: string | undefined) =>
      validated(all.events).flatMap((one) => (one.environmentTag === tag ? [one.seeds.state] : []));
    expect(states('level-1')).toEqual(states(undefined));
    expect(validated(all.events).map(({ level }) => level)).toEqual(
      [3, 1, 2].flatMap((n) => Array(6).fill(n)),
    );
  });

  it('belongs to a tag, and grows the horizon of another', async () => {
    const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
    const { events } = await trainTiny(root, {
      folder: 'tags',
      spec: {
        ...climbing,
        curriculum: undefined,
        environment: undefined,
        mixing: { compare: 'per-tag' },
        environments: {
          up: { ...own, groups: 2, curriculum: ladder({ window: 2, promoteAt: 0.5 }) },
          long: { ...own, groups: 1, horizon: { maxTurns: 1, steps: 2 } },
        },
      },
    });
    const rows = trainingRows(events);
    expect([1, 2, 3].map((step) => rows.get(step)?.['tag/long/horizon/max_turns'])).toEqual([1, 2, 3]);
    expect(rows.get(1)).toMatchObject({ 'tag/up/curriculum/level': 1 });
    expect(rows.get(1)).not.toHaveProperty('tag/long/curriculum/level');
    expect(changesOf(events)[0]).toMatchObject({ environmentTag: 'up', from: 1, to: 2 });
    const long = playedOf(events).filter((one) => one.environmentTag === 'long' && one.split === 'train');
    for (const { step, turns } of long) expect(turns.length).toBeLessThanOrEqual(step);
    expect(Math.max(...long.map(({ turns }) => turns.length))).toBeGreaterThan(1);
  });
});

describe('the stored state', () => {
  const level = { level: 2, window: [[1, 4]], promotions: 1, demotions: 0 };
  it('is read with levels and without', () => {
    expect(parseTrainerState({ ...startState })).toEqual(startState);
    expect(parseTrainerState({ ...startState, levels: { '': level } })).toBeDefined();
  });

  it.each([
    [null],
    [[]],
    [{ '': 2 }],
    [{ '': { ...level, level: 0 } }],
    [{ '': { ...level, window: [[1]] } }],
    [{ '': { ...level, window: [[1, 0.5]] } }],
    [{ '': { ...level, promotions: '1' } }],
  ])('is refused with levels %j', (levels) =>
    expect(parseTrainerState({ ...startState, levels })).toBeUndefined(),
  );
});
