import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyEngine, trainTiny } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-filter-'))));
afterAll(() => rmSync(root, { recursive: true }));

const quiet = { validation: { every: 0, atStart: false, atEnd: false } };
/** Groups of two often agree. */
const pairs = { promptsPerStep: 3, groupSize: 2, prompt: { thinking: 'none' } };
const differing = { kind: 'absolute', value: 0 };

type Played = Extract<RunEvent, { kind: 'trajectory' }>;
const played = (events: readonly RunEvent[], step?: number): Played[] =>
  events.flatMap((event) =>
    event.kind === 'trajectory' && (step === undefined || event.step === step) ? [event] : [],
  );
const rowsOf = (events: readonly RunEvent[]): Readonly<Record<string, number>>[] =>
  events.flatMap((event) => (event.kind === 'metrics' ? [event.values] : []));
const groupsOf = (list: readonly Played[]): Map<number, Played[]> => {
  const groups = new Map<number, Played[]>();
  for (const one of list)
    groups.set(one.trajectory.group, [...(groups.get(one.trajectory.group) ?? []), one]);
  return groups;
};

describe('a filter', () => {
  it('drops groups that agree, says so with each trajectory, and counts them by reason', async () => {
    const { events } = await trainTiny(root, {
      folder: 'filter',
      spec: { ...quiet, filter: differing, rollout: pairs },
    });
    const rows = rowsOf(events);
    rows.forEach((row, index) => {
      const groups = groupsOf(played(events, index + 1));
      let equal = 0;
      for (const own of groups.values()) {
        const isEqual = own[0]?.trajectory.score.total === own[1]?.trajectory.score.total;
        equal += Number(isEqual);
        for (const { kept, dropped } of own) {
          expect(kept).toBe(!isEqual);
          expect(dropped).toEqual(
            isEqual ? { reason: 'zero-variance', numbers: { deviation: 0 } } : undefined,
          );
        }
      }
      expect(row['select/dropped/zero_variance'] ?? 0).toBe(equal);
      expect(row['select/kept_groups']).toBe(3 - equal);
    });
    expect(rows.some((row) => (row['select/dropped/zero_variance'] ?? 0) > 0)).toBe(true);
  });

  it('says what ranked a group too low, and why an algorithm did not choose one', async () => {
    const filter = { kind: 'top-k', value: 1, zeros: 'keep' };
    const { events } = await trainTiny(root, {
      folder: 'ranks',
      spec: { ...quiet, steps: 1, filter, algorithm: { use: 'tiny', keep: 2 } },
    });
    const reasons = [...groupsOf(played(events)).values()].map(([first]) => first?.dropped);
    expect(reasons[2]).toEqual({ reason: 'not-chosen', numbers: {} });
    const loser = reasons.slice(0, 2).filter((one) => one !== undefined);
    expect(loser).toHaveLength(1);
    expect(loser[0]?.numbers).toMatchObject({ rank: 2, limit: 1 });
  });

  it('keeps the share of every tag, each with its own options', async () => {
    const own = {
      environment: { use: 'guess' },
      maxTurns: 3,
      maxActions: 3,
      maxActionsPerTurn: 1,
      groups: 4,
    };
    const environments = {
      near: { ...own, select: { filter: { value: 0.25 } } },
      far: own,
    };
    const { events } = await trainTiny(root, {
      folder: 'tags',
      spec: {
        ...quiet,
        steps: 2,
        environment: undefined,
        environments,
        mixing: { compare: 'per-tag' },
        filter: { kind: 'ratio', value: 0.5, zeros: 'keep' },
        rollout: { ...pairs, promptsPerStep: 8 },
      },
    });
    const rows = rowsOf(events);
    expect(rows).toHaveLength(2);
    for (const row of rows)
      expect([row['tag/near/select/kept_groups'], row['tag/far/select/kept_groups']]).toEqual([1, 2]);
  });

  it('scales advantages by the kept share, and by the score of each group', async () => {
    const advantagesOf = async (folder: string, change: object): Promise<number[]> => {
      const filter = { kind: 'top-k', value: 2, zeros: 'keep', ...change };
      const learned: number[] = [];
      const engine = tinyEngine({
        onLearn: (_, batch) => {
          learned.push(...batch.map(({ columns }) => columns['advantages']?.[0] ?? NaN));
          return undefined;
        },
      });
      const { events } = await trainTiny(root, { folder, engine, spec: { ...quiet, steps: 1, filter } });
      expect(rowsOf(events)[0]?.['select/kept_groups']).toBe(2);
      return learned;
    };
    const plain = await advantagesOf('plain', {});
    const linear = await advantagesOf('linear', { lossScaling: 'linear' });
    expect(linear.map((value) => value * 1.5)).toEqual(
      plain.map((value) => expect.closeTo(value, 6) as number),
    );
    const soft = await advantagesOf('soft', { reweight: 'score' });
    const factors = soft.map((value, index) => value / (plain[index] as number)).filter(Number.isFinite);
    expect(Math.max(...factors)).toBeCloseTo(1, 6);
    expect(factors.every((factor) => factor > 0 && factor <= 1 + 1e-6)).toBe(true);
  });
});

describe('replacing dropped groups', () => {
  const spec = { ...quiet, filter: differing, rollout: { ...pairs, resample: 4 } };
  const tags = (own: object) => ({
    environment: undefined,
    environments: { near: { ...own, groups: 2 }, far: { ...own, groups: 1 } },
    mixing: { compare: 'per-tag' },
  });

  it.each([
    ['one environment', {}],
    ['tags', tags({ environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 })],
  ])('gives a batch that is full again its full weight, in %s', async (name, change) => {
    const advantagesOf = async (lossScaling: string) => {
      const learned: number[] = [];
      const engine = tinyEngine({
        onLearn: (_, batch) => {
          learned.push(...batch.map(({ columns }) => columns['advantages']?.[0] ?? NaN));
          return undefined;
        },
      });
      const { events } = await trainTiny(root, {
        folder: `${name}-${lossScaling}`,
        engine,
        spec: {
          ...spec,
          ...change,
          steps: 1,
          filter: { ...differing, lossScaling },
          rollout: { ...pairs, resample: 30 },
        },
      });
      expect(rowsOf(events)[0]?.['select/kept_groups']).toBe(3);
      expect(rowsOf(events)[0]?.['select/resampled_groups']).toBeGreaterThan(0);
      return learned;
    };
    const plain = await advantagesOf('none');
    expect(plain.some((value) => value !== 0)).toBe(true);
    for (const scaling of ['linear', 'sqrt']) expect(await advantagesOf(scaling)).toEqual(plain);
  });

  it('fills the batch with new states, within its bound, and counts all of them', async () => {
    const { events, summary } = await trainTiny(root, { folder: 'refill', spec });
    const rows = rowsOf(events);
    const states = new Set<number>();
    let groups = 0;
    rows.forEach((row, index) => {
      const own = groupsOf(played(events, index + 1));
      for (const [first] of own.values()) states.add(first?.trajectory.seeds.state ?? -1);
      groups += own.size;
      expect(row['select/groups']).toBe(own.size);
      expect(row['select/resampled_groups']).toBe(own.size - 3);
      expect(row['select/resample_rounds']).toBeLessThanOrEqual(4);
      if ((row['select/resample_rounds'] ?? 0) < 4) expect(row['select/kept_groups']).toBe(3);
      expect(row['select/kept_groups']).toBeLessThanOrEqual(3);
    });
    expect(groups).toBeGreaterThan(3 * rows.length);
    expect(states.size).toBe(groups);
    expect(rows.at(-1)?.['total/episodes']).toBe(2 * groups);
    expect(summary?.reason).toBe('steps');
  });

  it('stops at its bound where no group ever differs', async () => {
    const { events } = await trainTiny(root, {
      folder: 'never',
      spec: { ...spec, steps: 1, filter: { kind: 'absolute', value: 100 } },
    });
    expect(rowsOf(events)[0]).toMatchObject({
      'select/groups': 15,
      'select/kept_groups': 0,
      'select/resample_rounds': 4,
      'select/resampled_groups': 12,
      'update/skipped': 1,
    });
  });

  it('resumes as if it had never stopped, bit for bit', async () => {
    const whole = await trainTiny(root, { folder: 'whole', spec });
    await trainTiny(root, { folder: 'halves', spec: { ...spec, steps: 2 } });
    const halves = await trainTiny(root, { folder: 'halves', spec, resume: true });
    const late = ({ events }: { events: readonly RunEvent[] }): unknown[] =>
      played(events)
        .filter(({ step }) => step > 2)
        .map(({ trajectory: { id, seeds, tokens, logprobs }, kept, dropped }) => [
          id,
          seeds,
          tokens,
          logprobs,
          kept,
          dropped,
        ]);
    expect(late(halves)).toEqual(late(whole));
    expect(late(whole).length).toBeGreaterThan(12);
  });

  it('replaces groups of the tag that lacks them', async () => {
    const own = {
      environment: { use: 'guess' },
      maxTurns: 3,
      maxActions: 3,
      maxActionsPerTurn: 1,
      groups: 2,
    };
    const { events } = await trainTiny(root, {
      folder: 'tags-refill',
      spec: {
        ...spec,
        environment: undefined,
        environments: { near: own, far: { ...own, maxTurns: 1 } },
        mixing: { compare: 'per-tag' },
        rollout: { ...pairs, promptsPerStep: 4, resample: 8 },
      },
    });
    const rows = rowsOf(events);
    for (const row of rows)
      for (const tag of ['near', 'far']) expect(row[`tag/${tag}/select/kept_groups`]).toBeLessThanOrEqual(2);
    const ids = played(events).map(({ trajectory }) => trajectory.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(rows.some((row) => (row['select/resampled_groups'] ?? 0) > 0)).toBe(true);
  });

  it('plays replacements at the levels of the curriculum, with the same share of earlier ones', async () => {
    const levels = [{ environment: {} }, { environment: {}, maxTurns: 1 }];
    const curriculum = { levels, start: 2, window: 99, promoteAt: 0.9, demoteBelow: 0, replay: 0.25 };
    const { events, summary } = await trainTiny(root, { folder: 'levels', spec: { ...spec, curriculum } });
    const all = played(events).map(({ trajectory }) => trajectory);
    const replacements = all.filter(({ group }) => group >= 3);
    const replayed = replacements.filter(({ level }) => level === 1);
    expect(replayed.length).toBeGreaterThan(0);
    expect(replayed.length).toBeLessThan(replacements.length / 2);
    for (const { level, turns } of all) expect(turns.length).toBeLessThanOrEqual(level === 2 ? 1 : 3);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    // dropped groups count as well
    const row = rowsOf(events).findLast((one) => 'curriculum/window_groups' in one);
    const ownLevel = all.filter(({ level }) => level === 2).length / 2;
    expect(row?.['curriculum/window_groups']).toBe(ownLevel);
    expect(summary?.reason).toBe('steps');
  });

  it('repeats actions in the environment of their level, to see what chance explains', async () => {
    const levels = [{ environment: {} }, { environment: { failing: true } }];
    const curriculum = { levels, start: 1, window: 99, promoteAt: 1, demoteBelow: 0, replay: 0 };
    const filter = { ...differing, noiseSeeds: 2 };
    const { error, events } = await trainTiny(root, {
      folder: 'chance',
      spec: { ...quiet, steps: 1, rollout: pairs, curriculum, filter },
    });
    expect(error).toBeUndefined();
    expect(rowsOf(events)[0]?.['select/replay_steps']).toBeGreaterThan(0);
    expect(rowsOf(events)[0]?.['select/failed_replays'] ?? 0).toBe(0);
  });
});
