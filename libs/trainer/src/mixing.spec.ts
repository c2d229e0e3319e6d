import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent, Trajectory } from '@espalier/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Evaluation, trainedOutcomes } from './evaluation.js';
import { validationFile } from './run-folder.js';
import { trainTiny } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-mixing-'))));
afterAll(() => rmSync(root, { recursive: true }));

const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
const environments = { near: { ...own, groups: 2 }, far: { ...own, groups: 1, maxTurns: 1 } };
const several = { environment: undefined, environments, mixing: { compare: 'per-tag' } };

const rowsOf = (events: readonly RunEvent[], step: number): Record<string, number> =>
  Object.assign(
    {},
    ...events.flatMap((event) => (event.kind === 'metrics' && event.step === step ? [event.values] : [])),
  ) as Record<string, number>;
const played = (events: readonly RunEvent[]): Trajectory[] =>
  events.flatMap((event) => (event.kind === 'trajectory' ? [event.trajectory] : []));
const warnings = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'warning' ? [`${event.code}: ${event.message}`] : []));

describe('a run in several environments', () => {
  it('gives each tag its groups, its budgets and its metrics', async () => {
    const { events } = await trainTiny(root, { folder: 'several', spec: several });
    const first = played(events).filter(({ split, step }) => split === 'train' && step === 1);
    expect(first.map(({ group, environmentTag }) => `${group} ${environmentTag}`)).toEqual([
      ...Array.from({ length: 8 }, (_, index) => `${Math.floor(index / 4)} near`),
      ...Array.from({ length: 4 }, () => '2 far'),
    ]);
    expect(Math.max(...first.filter(({ group }) => group === 2).map(({ turns }) => turns.length))).toBe(1);
    const row = rowsOf(events, 1);
    const near = first.filter(({ environmentTag }) => environmentTag === 'near');
    expect(row['tag/near/rollout/success_rate']).toBe(near.filter(({ success }) => success).length / 8);
    expect(row['tag/far/rollout/turns']).toBe(1);
    expect([row['tag/near/select/groups'], row['tag/far/select/groups']]).toEqual([2, 1]);
    expect([row['tag/near/credit/seen'], row['tag/far/credit/seen']]).toEqual([8, 4]);
    expect(row['credit/seen']).toBeUndefined();
    expect(row['rollout/success_rate']).toBe(first.filter(({ success }) => success).length / 12);
  });

  it('lets an algorithm choose groups and compare trajectories within each tag, or over all', async () => {
    const keep = { algorithm: { use: 'tiny', keep: 1 }, steps: 1 };
    const keptOf = async (folder: string, spec: object): Promise<number[]> => {
      const { events } = await trainTiny(root, { folder, spec: { ...several, ...keep, ...spec } });
      const kept = events.flatMap((event) =>
        event.kind === 'trajectory' && event.kept ? [event.trajectory.group] : [],
      );
      return [...new Set(kept)];
    };
    expect(await keptOf('within', {})).toEqual([0, 2]);
    expect(await keptOf('together', { mixing: { compare: 'together' } })).toEqual([0]);
    const select = { ...environments, near: { ...environments.near, select: { keep: 2 } } };
    expect(await keptOf('selects', { environments: select })).toEqual([0, 1, 2]);
  });

  it('resumes as if it had never stopped, bit for bit', async () => {
    const whole = await trainTiny(root, { folder: 'whole', spec: several });
    await trainTiny(root, { folder: 'halves', spec: { ...several, steps: 2 } });
    const halves = await trainTiny(root, { folder: 'halves', spec: several, resume: true });
    const late = ({ events }: { events: readonly RunEvent[] }): unknown[] =>
      played(events)
        .filter(({ step, split }) => split === 'train' && step > 2)
        .map(({ id, seeds, tokens, logprobs, environmentTag }) => ({
          id,
          seeds,
          tokens,
          logprobs,
          environmentTag,
        }));
    expect(late(halves)).toEqual(late(whole));
    expect(late(whole)).toHaveLength(24);
    const turned = { far: environments.far, near: environments.near };
    await expect(
      trainTiny(root, { folder: 'halves', spec: { ...several, environments: turned }, resume: true }),
    ).rejects.toThrow('order of tags was "near, far", now "far, near"');
  });

  it('names the tag that failed, and reports nothing measured of it', async () => {
    const broken = {
      ...environments,
      far: { ...environments.far, environment: { use: 'guess', failing: true } },
    };
    const { error } = await trainTiny(root, {
      folder: 'broken',
      spec: { ...several, environments: broken, validation: { every: 0, atStart: false, atEnd: false } },
    });
    expect(error?.message).toMatch(
      /collect 4 episodes of tag far: .*first: environment guess \(tag far\), turn 1/,
    );
    const patient = { promptsPerStep: 3, groupSize: 4, prompt: { thinking: 'none' }, maxFailedShare: 1 };
    const { events } = await trainTiny(root, {
      folder: 'patient',
      spec: {
        ...several,
        environments: broken,
        rollout: patient,
        steps: 1,
        validation: { every: 0, atStart: false, atEnd: false },
      },
    });
    const row = rowsOf(events, 1);
    expect(Object.keys(row).filter((name) => name.startsWith('tag/far/'))).toEqual([
      'tag/far/rollout/failed_share',
    ]);
    expect(row['tag/far/rollout/failed_share']).toBe(1);
    expect(row['tag/near/rollout/success_rate']).toBeGreaterThan(0);
  });
});

describe('validation in several environments', () => {
  const validation = {
    every: 2,
    episodes: 5,
    environments: { short: { ...own, maxTurns: 1 }, near: { episodes: 7 } },
  };

  it('plays each on its own fixed states, the same whatever else is validated', async () => {
    const { events, folder } = await trainTiny(root, {
      folder: 'fixed',
      spec: { ...several, steps: 1, validation },
    });
    const start = played(events).filter(({ split, step }) => split === 'validation' && step === 0);
    expect(new Set(start.map(({ id }) => id)).size).toBe(17);
    const statesOf = (tag: string): number[] =>
      start.filter(({ environmentTag }) => environmentTag === tag).map(({ seeds }) => seeds.state);
    expect([statesOf('near').length, statesOf('far').length, statesOf('short').length]).toEqual([7, 5, 5]);
    expect(statesOf('near').slice(0, 5)).toEqual(statesOf('short'));
    const evaluation = JSON.parse(readFileSync(validationFile(folder, 0), 'utf8')) as Evaluation;
    expect(evaluation.tags?.map(({ tag, trained, episodes }) => [tag, trained, episodes])).toEqual([
      ['near', true, 7],
      ['far', true, 5],
      ['short', false, 5],
    ]);
    expect([evaluation.episodes, evaluation.outcomes.length, trainedOutcomes(evaluation).length]).toEqual([
      12, 17, 12,
    ]);
    const row = rowsOf(events, 0);
    const successes = trainedOutcomes(evaluation).filter(({ success }) => success).length;
    expect(row['validation/success_rate']).toBe(successes / 12);
    expect(row['tag/short/validation/turns']).toBe(1);
    expect(row['tag/short/validation/success_low']).toBeLessThan(
      row['tag/short/validation/success_high'] ?? 0,
    );
  });

  it('goes on without an environment that is only validated and broken, and says so each time', async () => {
    const broken = { ...own, environment: { use: 'guess', failing: true } };
    const { summary, events, folder } = await trainTiny(root, {
      folder: 'half-broken',
      spec: { steps: 2, validation: { every: 0, episodes: 5, environments: { broken } } },
    });
    expect(summary?.outcome).toBe('finished');
    const said = warnings(events).filter((line) => line.startsWith('trainer.validation_failed'));
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(/validate tag broken at step 0: collect 5 episodes of tag broken/);
    expect(Object.keys(rowsOf(events, 2)).some((name) => name.startsWith('tag/broken'))).toBe(false);
    const text = readFileSync(validationFile(folder, 2), 'utf8');
    const { tags, successRate } = JSON.parse(text) as Evaluation;
    expect(tags).toEqual([
      expect.objectContaining({ tag: 'broken', trained: false, episodes: 0, successRate: null }),
    ]);
    expect(successRate).toBeGreaterThan(0);
  });

  it('says the same where every episode may fail', async () => {
    const broken = { ...own, environment: { use: 'guess', failing: true } };
    const { summary, events } = await trainTiny(root, {
      folder: 'all-may-fail',
      spec: {
        steps: 1,
        rollout: { promptsPerStep: 3, groupSize: 4, prompt: { thinking: 'none' }, maxFailedShare: 1 },
        validation: { every: 0, episodes: 5, environments: { broken, sound: own } },
      },
    });
    expect(summary?.outcome).toBe('finished');
    const said = warnings(events).filter((line) => line.startsWith('trainer.validation_failed'));
    expect(said).toHaveLength(2);
    expect(said[1]).toMatch(
      /validate tag broken at step 1: all 5 episodes failed, the first with ".*out of order/,
    );
  });
});
