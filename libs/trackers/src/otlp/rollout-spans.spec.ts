import type { Trajectory, Turn } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { rolloutSpans } from './rollout-spans.js';

const turn = (index: number, sampleMs: number, environmentMs: number): Turn => ({
  index,
  observation: 'you see a wall',
  stateKey: '',
  render: '',
  facts: {},
  response: 'secret reasoning',
  think: '',
  answer: '',
  formatValid: true,
  parsedActions: [],
  actions: [],
  reward: 0.5,
  formatPenalty: 0,
  sampleStop: 'stop',
  sampled: { start: 10 * index, end: 10 * index + 7 },
  policyVersion: 4,
  timings: { sampleMs, environmentMs },
});
const trajectory: Trajectory = {
  id: 'train/2/0/1',
  environment: 'maze',
  split: 'train',
  step: 2,
  group: 0,
  index: 1,
  seeds: { state: 1, noise: 2, sampling: 3 },
  tokens: new Int32Array(),
  logprobs: new Float32Array(),
  entropies: new Float32Array(),
  spans: [],
  turns: [turn(0, 30, 2), turn(1, 20, 0.5)],
  score: { environment: 1, formatPenalty: 0, rewards: {}, perTurn: [], total: 1 },
  stopReason: 'success',
  success: true,
  labels: [],
  timings: { totalMs: 60 },
};

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status?: object;
}
const spansOf = (one: Trajectory): Span[] =>
  rolloutSpans(one, { runId: 'run', end: 1_700_000_000_060 }) as Span[];

describe('the spans of a rollout', () => {
  it('are one tree: the episode, its turns, and in each the sampling and the environment', () => {
    const spans = spansOf(trajectory);
    const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    expect(spans.map(({ name, parentSpanId = '' }) => [name, names.get(parentSpanId)])).toEqual([
      ['rollout', undefined],
      ['turn', 'rollout'],
      ['sample', 'turn'],
      ['environment', 'turn'],
      ['turn', 'rollout'],
      ['sample', 'turn'],
      ['environment', 'turn'],
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId))).toHaveLength(1);
    expect(spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(spans.map(({ spanId }) => spanId))).toHaveLength(7);
    for (const { spanId } of spans) expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  });

  it('have the durations that were measured, one after another', () => {
    const base = 1_700_000_000_000n;
    const times = spansOf(trajectory).map(({ startTimeUnixNano, endTimeUnixNano }) => [
      Number(BigInt(startTimeUnixNano) / 1000n - base * 1000n) / 1000,
      Number(BigInt(endTimeUnixNano) / 1000n - base * 1000n) / 1000,
    ]);
    expect(times).toEqual([
      [0, 60],
      [0, 32],
      [0, 30],
      [30, 32],
      [32, 52.5],
      [32, 52],
      [52, 52.5],
    ]);
  });

  it('keep their ids when they are sent again, and differ from those of another run', () => {
    const ids = spansOf(trajectory).map(({ spanId }) => spanId);
    expect(spansOf(trajectory).map(({ spanId }) => spanId)).toEqual(ids);
    const [other] = rolloutSpans(trajectory, { runId: 'other', end: 0 }) as Span[];
    expect(ids).not.toContain(other?.spanId);
  });

  it('hold numbers as OTLP writes them, and nothing that a policy or an environment wrote', () => {
    const [root, first] = spansOf(trajectory);
    expect(root?.attributes).toContainEqual({ key: 'espalier.step', value: { intValue: '2' } });
    expect(first?.attributes).toContainEqual({ key: 'gen_ai.usage.output_tokens', value: { intValue: '7' } });
    expect(first?.attributes).toContainEqual({ key: 'espalier.reward', value: { doubleValue: 0.5 } });
    expect(JSON.stringify(spansOf(trajectory))).not.toMatch(/secret|wall/);
  });

  it('say that an episode failed', () => {
    const [root] = spansOf({ ...trajectory, stopReason: 'error', error: 'the environment died' });
    expect(root?.status).toEqual({ code: 2, message: 'the environment died' });
  });
});
