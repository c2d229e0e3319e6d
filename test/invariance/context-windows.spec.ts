/**
 * @file Runs whose prompts leave out turns: trained on the log-probabilities that were sampled, equal when stopped and resumed
 * and with two threads. The random model never answers validly, so every episode has four turns with a reward each.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSpec, Trajectory } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import frozenLake from '@espalier/environment-frozen-lake';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  lastingRows,
  saveTinyModel,
  type TinyOutcome,
  tinyTrainingSpec,
  trainTiny,
} from '../support/tiny-training.js';

type Context = RunSpec['rollout']['context'];

/** The model has a token for each letter, so few words. */
const prompt = {
  turn: 'Turn {turn}:\n{state}\n{formatDemand}',
  formatDemand: 'Answer.',
  actionLimit: { one: '', many: '' },
};

/** Two steps of PPO with critic, reference and a loss on observations; four turns fit into 768 tokens, two into 500. */
function specOf(model: string, context: Context, change: Record<string, unknown> = {}): RunSpec {
  const spec = tinyTrainingSpec(model, {
    environment: { use: 'frozen-lake', ...frozenLake.params.parse({}) },
    steps: 2,
    rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 12, prompt },
    update: { epochs: 2, miniBatches: 2, observationLoss: { coefficient: 0.05 } },
    checkpoint: { every: 1, keep: 4 },
    ...change,
  });
  const contextTokens = context.turns === 'all' ? 500 : 768;
  return { ...spec, rollout: { ...spec.rollout, context, maxTurns: 4, contextTokens } };
}

const policies: readonly (readonly [string, Context])[] = [
  ['all turns, the oldest left out when full', { turns: 'all', whenFull: 'truncate' }],
  ['the last two turns', { turns: 2, whenFull: 'end' }],
  ['one turn', { turns: 1, whenFull: 'end' }],
];

const trajectoriesOf = ({ events }: TinyOutcome): Trajectory[] =>
  events.flatMap((event) => (event.kind === 'trajectory' ? [event.trajectory] : []));

let root: string;
let model: string;
const straight = new Map<string, TinyOutcome>();
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-windows-'));
  model = saveTinyModel(join(root, 'model'));
  for (const [name, context] of policies)
    straight.set(name, await trainTiny(specOf(model, context), join(root, `straight ${name}`)));
}, 240_000);
afterAll(() => removeFolder(root));

describe.each(policies)('prompts with %s', (name, context) => {
  const outcome = (): TinyOutcome => straight.get(name) as TinyOutcome;

  it('have windows, and every turn and its reward', () => {
    const trajectories = trajectoriesOf(outcome());
    expect(trajectories.length).toBeGreaterThan(15);
    for (const { turns, windows = [], score, spans } of trajectories) {
      expect(turns).toHaveLength(4);
      expect(windows.length).toBeGreaterThan(1);
      expect(score.perTurn).toHaveLength(4);
      const sum = score.perTurn.reduce((total, value) => total + value, 0);
      expect(score.total).toBe(sum);
      const own = spans.filter(({ kind }) => kind === 'think' || kind === 'answer' || kind === 'control');
      const sampled = own.reduce((count, { start, end }) => count + end - start, 0);
      expect(sampled).toBe(turns.reduce((count, turn) => count + turn.sampled.end - turn.sampled.start, 0));
    }
  });

  it('are those of the log-probabilities that are trained on', async () => {
    const rows = lastingRows(outcome().events);
    const gaps = rows.flatMap(({ values }) => values['policy/logprob_gap_max'] ?? []);
    expect(gaps).toHaveLength(2);
    // float32 sums in another order: sampling decodes token by token, training sees whole sequences
    expect(Math.max(...gaps)).toBeLessThan(1e-5);
    expect(rows.flatMap(({ values }) => values['rollout/truncated_turn_share'] ?? [])[0]).toBeGreaterThan(0);
    expect(Math.min(...rows.flatMap(({ values }) => values['policy/observation_nll'] ?? []))).toBeGreaterThan(
      0,
    );
  });

  it('give the sampled log-probabilities when a fresh engine scores each window, and others when it sees more', async () => {
    const engine = await createEmbeddedEngine({ folder: model, threads: 1, microBatchTokens: 4096 });
    const score = async (tokens: Int32Array, positions: Int32Array): Promise<ArrayLike<number>> =>
      (await engine.policy.score([{ tokens, positions }]))[0]?.logprobs ?? [];
    const gaps = { window: 0, longer: 0 };
    const first = trajectoriesOf(outcome()).filter(({ split, step }) => split === 'train' && step === 1);
    expect(first).toHaveLength(8);
    for (const { tokens, turns, logprobs, windows = [] } of first) {
      for (const { sampled } of turns) {
        const length = sampled.end - sampled.start;
        const { start } = windows.findLast((window) => window.start < sampled.start) ?? { start: 0 };
        // 200 tokens more than the reply was sampled from, where there are any
        for (const [name, from] of [
          ['window', start],
          ['longer', Math.max(0, start - 200)],
        ] as const) {
          const positions = Int32Array.from({ length }, (_, i) => sampled.start - from + i);
          const now = await score(tokens.subarray(from, sampled.end), positions);
          for (let i = 0; i < length; i += 1)
            gaps[name] = Math.max(
              gaps[name],
              Math.abs((now[i] ?? Number.NaN) - (logprobs[sampled.start + i] ?? 0)),
            );
        }
      }
    }
    await engine.dispose();
    expect(gaps.window).toBeLessThan(1e-5);
    expect(gaps.longer).toBeGreaterThan(1e-3);
  });

  it('are bit for bit the same when the run stops and resumes', async () => {
    const folder = join(root, `halves ${name}`);
    const first = await trainTiny(specOf(model, context), folder, { stopAtStep: 1 });
    const second = await trainTiny(specOf(model, context), folder, { resume: true });
    expect(second.hashes).toEqual(outcome().hashes);
    expect(lastingRows([...first.events, ...second.events])).toEqual(lastingRows(outcome().events));
  }, 120_000);
});

it('two threads give the bits of one', async () => {
  const [name, context] = policies[1] as (typeof policies)[number];
  const spec = specOf(model, context, { device: { threads: 2 } });
  const twoThreads = await trainTiny(spec, join(root, 'threads'));
  expect(twoThreads.hashes).toEqual(straight.get(name)?.hashes);
  expect(lastingRows(twoThreads.events)).toEqual(lastingRows(straight.get(name)?.events ?? []));
}, 120_000);
