/** @file Replay that the algorithm chooses: what it is told, what is held and drawn, after a resume too, bad answers. */
import rlep from '@espalier/algorithm-rlep';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent, Trajectory } from '@espalier/contracts';
import type { AlgorithmDefinition, HeldGroup } from '@espalier/plugin-kit';
import { guardAlgorithm } from '@espalier/plugin-host';
import { createMemorySink } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrainer } from './create-trainer.js';
import type { LearnedGroup } from './replay.js';
import { loadReplay } from './checkpoint-parts.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-replay-'))));
afterAll(() => rmSync(root, { recursive: true }));

type Definition = AlgorithmDefinition<unknown>;
const tiny = tinyRegistry.get('algorithm', 'tiny') as Definition;
const usual = {
  steps: 6,
  validation: { every: 0, atStart: false, atEnd: false },
  checkpoint: { every: 1, keep: 9 },
  update: { replay: { groups: 2, capacity: 5, maxAge: 4 } },
};

interface Given {
  readonly folder: string;
  readonly algorithm?: Partial<Definition>;
  readonly spec?: Record<string, unknown>;
  readonly resume?: boolean;
  /** asks to stop after this step */
  readonly stopAfter?: number;
}

async function train({ folder, algorithm = {}, spec = {}, resume = false, stopAfter }: Given) {
  const stop = new AbortController();
  const engine = tinyEngine();
  const definition = guardAlgorithm({ ...tiny, ...algorithm });
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
      get: (kind, id) => (kind === 'algorithm' ? (definition as never) : tinyRegistry.get(kind, id)),
    },
    sink,
    folder: join(root, folder),
    engine,
    tokenizer: tinyTokenizer,
    resume,
  });
  const error = await trainer.run(stop.signal).then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { code?: string },
  );
  await trainer.dispose();
  return { events: memory.events, weight: engine.weight(), error };
}

const metricOf = (events: readonly RunEvent[], name: string) =>
  events.flatMap((event) => (event.kind === 'metrics' && name in event.values ? [event.values[name]] : []));
const heldAfter = (folder: string, step: number): readonly LearnedGroup[] =>
  loadReplay(join(root, folder, 'checkpoints', `step-${String(step).padStart(6, '0')}`));
const idsOf = (groups: readonly LearnedGroup[]) => groups.map(({ trajectories: [first] }) => first?.id);
const stored = (events: readonly RunEvent[]): Trajectory[] =>
  events.flatMap((event) => (event.kind === 'trajectory' ? [event.trajectory] : []));

describe('replay by an algorithm', () => {
  it('is told of each group what it earned, and how old it is', async () => {
    const asked: { hook: string; groups: readonly HeldGroup[]; limit: number }[] = [];
    const noting =
      (hook: string): NonNullable<Definition['drawReplay']> =>
      (groups, _, { limit }) => {
        asked.push({ hook, groups: structuredClone(groups), limit });
        return groups.map((_group, place) => place).slice(-limit);
      };
    const { events } = await train({
      folder: 'told',
      algorithm: { drawReplay: noting('draw'), holdReplay: noting('hold') },
      spec: { steps: 3 },
    });
    // one optimizer step an iteration; three new groups each
    expect(
      asked.map(({ hook, limit, groups }) => [hook, limit, groups.map(({ age }) => age).join()]),
    ).toEqual([
      ['draw', 2, ''],
      ['hold', 5, '1,1,1'],
      ['draw', 2, '1,1,1'],
      ['hold', 5, '2,2,2,1,1,1'],
      ['draw', 2, '2,2,1,1,1'],
      ['hold', 5, '3,3,2,2,2,1,1,1'],
    ]);
    const first = stored(events).slice(0, 4);
    expect(asked[1]?.groups[0]).toEqual({
      totals: first.map(({ score }) => score.total),
      successes: first.map(({ success }) => success),
      weight: 1,
      age: 1,
    });
    expect(metricOf(events, 'replay/groups')).toEqual([0, 2, 2]);
    expect(metricOf(events, 'replay/age_max')).toEqual([1, 1]);
  });

  it('draws uniformly and holds the newest unless it is told otherwise', async () => {
    const plain = await train({ folder: 'plain' });
    const { events, weight } = await train({
      folder: 'same',
      algorithm: {
        drawReplay: (held, _, { limit, stream }) =>
          stream.shuffle(held.map((_group, place) => place)).slice(0, limit),
        holdReplay: (groups, _, { limit }) => groups.map((_group, place) => place).slice(-limit),
      },
    });
    expect(weight).toBe(plain.weight);
    const other = await train({
      folder: 'other',
      algorithm: { drawReplay: (held) => (held.length === 0 ? [] : [0]) },
    });
    expect(metricOf(events, 'replay/groups')).toEqual([0, 2, 2, 2, 2, 2]);
    expect(metricOf(other.events, 'replay/groups').slice(1)).toEqual([1, 1, 1, 1, 1]);
    expect(other.weight).not.toBe(plain.weight);
  });

  it('may hold what it likes in its order, but nothing beyond update.replay.maxAge', async () => {
    // whatever was first stays: the run lets go of it
    const { events } = await train({
      folder: 'first',
      algorithm: {
        holdReplay: (groups, _, { limit }) =>
          groups
            .map((_group, place) => place)
            .slice(0, limit)
            .reverse(),
      },
    });
    expect(idsOf(heldAfter('first', 4))).toEqual(idsOf(heldAfter('first', 2)));
    expect(metricOf(events, 'replay/held_groups')).toEqual([3, 5, 5, 5, 5, 5]);
    // in the fifth update the groups of the first are four steps old, in the sixth they are too old
    expect(metricOf(events, 'replay/expired')).toEqual([0, 0, 0, 0, 0, 3]);
  });

  it('goes on after a stop as if it had not stopped', async () => {
    const options = rlep.params.parse({ priorityExponent: 0.7 });
    const { drawReplay, holdReplay } = rlep as Definition;
    const algorithm: Partial<Definition> = {
      drawReplay: (held, _, context) => drawReplay?.(held, options, context) ?? [],
      holdReplay: (groups, _, context) => holdReplay?.(groups, options, context) ?? [],
    };
    const straight = await train({ folder: 'straight', algorithm });
    await train({ folder: 'halves', algorithm, stopAfter: 3 });
    const second = await train({ folder: 'halves', algorithm, resume: true });
    expect(second.weight).toBe(straight.weight);
    for (const name of ['replay/groups', 'replay/held_groups', 'update/trajectories'])
      expect(metricOf(second.events, name)).toEqual(metricOf(straight.events, name).slice(3));
    const file = (folder: string) =>
      readFileSync(join(root, folder, 'checkpoints/step-000006/replay.jsonl'), 'utf8').replace(
        /"(total|sample|environment)Ms":[^,}]+/g,
        '',
      );
    expect(file('halves')).toBe(file('straight'));
    const held = heldAfter('straight', 6);
    expect(held.length).toBeGreaterThan(0);
    for (const { trajectories, policySteps } of held) {
      expect(trajectories.some(({ success }) => success)).toBe(true);
      expect(new Set(trajectories.map(({ score }) => score.total)).size).toBeGreaterThan(1);
      expect(6 - policySteps).toBeLessThanOrEqual(4);
    }
  });

  it('stops the run where an answer cannot be, and names the plugin', async () => {
    const twice = await train({ folder: 'twice', algorithm: { drawReplay: () => [0, 0] } });
    expect(twice.error?.code).toBe('plugin.failed');
    expect(twice.error?.message).toContain('algorithm "tiny", hook "drawReplay": named group 0 of 0');
    const many = await train({
      folder: 'many',
      algorithm: { holdReplay: (groups) => groups.map((_, place) => place) },
    });
    expect(many.error?.message).toContain(
      'algorithm "tiny", hook "holdReplay": named 6 groups; expected at most 5',
    );
  });
});
