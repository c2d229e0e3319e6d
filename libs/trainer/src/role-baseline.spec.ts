/** @file A baseline by role in a run: what rloo keeps for each tag goes on from iteration to iteration, and over a resume. */
import rloo from '@espalier/algorithm-rloo';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import { createMemorySink } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrainer } from './create-trainer.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-role-'))));
afterAll(() => rmSync(root, { recursive: true }));

const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
const environments = { near: { ...own, groups: 2 }, Far: { ...own, groups: 1, maxTurns: 1 } };

async function train(folder: string, change: { steps?: number; resume?: boolean; compare?: string } = {}) {
  const sink = createMemorySink();
  const spec = tinySpec({
    environment: undefined,
    environments,
    mixing: { compare: change.compare ?? 'per-tag' },
    algorithm: { use: 'rloo', ...rloo.params.parse({ baseline: 'role', baselineMemory: 0.5 }) },
    steps: change.steps ?? 4,
    validation: { every: 0 },
    checkpoint: { every: 1, keep: 9 },
  });
  const trainer = await createTrainer(spec, {
    registry: {
      get: (kind, id) => (kind === 'algorithm' ? (rloo as never) : tinyRegistry.get(kind, id)),
    },
    sink,
    folder: join(root, folder),
    engine: tinyEngine(),
    tokenizer: tinyTokenizer,
    resume: change.resume ?? false,
  });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  return sink.events;
}

const memoryAt = (folder: string, step: number): unknown =>
  (
    JSON.parse(readFileSync(join(root, folder, `checkpoints/step-00000${step}/state.json`), 'utf8')) as {
      memory: unknown;
    }
  ).memory;

const averageOf = (events: readonly RunEvent[], tag: string, steps: number): number =>
  events
    .flatMap((event) => (event.kind === 'trajectory' ? [event.trajectory] : []))
    .filter(({ split, environmentTag, step }) => split === 'train' && environmentTag === tag && step <= steps)
    .reduce((average, { score }) => 0.5 * average + 0.5 * score.total, 0);

describe('a baseline by role', () => {
  it.each(['per-tag', 'together'])(
    'is the moving average of the totals of each tag (%s)',
    async (compare) => {
      const events = await train(compare, { compare });
      const rows = events.flatMap((event) =>
        event.kind === 'metrics' && event.values['algorithm/baseline/near'] !== undefined
          ? [event.values]
          : [],
      );
      expect(rows).toHaveLength(4);
      rows.forEach((row, step) => {
        expect(row['algorithm/baseline/near']).toBe(averageOf(events, 'near', step));
        expect(row['algorithm/baseline/Far']).toBe(averageOf(events, 'Far', step));
      });
      expect(memoryAt(compare, 4)).toEqual({
        'baseline/near': averageOf(events, 'near', 4),
        'baseline/Far': averageOf(events, 'Far', 4),
      });
      expect(averageOf(events, 'near', 4)).not.toBe(averageOf(events, 'Far', 4));
    },
  );

  it('resumes bit for bit', async () => {
    const straight = await train('straight');
    await train('halves', { steps: 2 });
    const second = await train('halves', { resume: true });
    for (const step of [1, 2, 3, 4]) expect(memoryAt('halves', step)).toEqual(memoryAt('straight', step));
    const sampledFrom = (events: readonly RunEvent[], from: number) =>
      events.flatMap((event) =>
        event.kind === 'trajectory' && event.trajectory.split === 'train' && event.step > from
          ? [[...event.trajectory.tokens]]
          : [],
      );
    expect(sampledFrom(second, 2)).toHaveLength(24);
    expect(sampledFrom(second, 2)).toEqual(sampledFrom(straight, 2));
  });
});
