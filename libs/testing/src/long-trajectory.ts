/** @file A trajectory of hundreds of thousands of tokens, and what an update did to each; for tests and bench. */
import type { Trajectory, Turn } from '@espalier/contracts';
import type { UpdateRecord } from '@espalier/contracts/update-record';

/** How long it is. */
export interface LongShape {
  readonly id: string;
  readonly step: number;
  readonly turns: number;
  /** of each turn, those of its prompt included */
  readonly turnTokens: number;
  readonly promptTokens: number;
}

/** The longest that the dashboard promises to show: 400,000 tokens in 100 turns. */
export const longestShape: LongShape = {
  id: 'train/7/0/0',
  step: 7,
  turns: 100,
  turnTokens: 4000,
  promptTokens: 1000,
};

/** Creates one whose first sampled token is clipped above, and one in its middle below. */
export function createLongTrajectory(shape: LongShape): { trajectory: Trajectory; update: UpdateRecord } {
  const { id, step, turns: turnCount, turnTokens, promptTokens } = shape;
  const sampled = turnTokens - promptTokens;
  const size = turnCount * turnTokens;
  const lossTokens = turnCount * sampled;
  const clippedLow = Math.floor(turnCount / 2) * sampled;
  const reply = Array.from({ length: sampled }, (_, n) => `w${n % 10}${n % 25 === 24 ? '\n' : ' '}`).join('');
  // the way to success is one action shorter after each turn, and longer after the middle one
  const plan = Array.from({ length: turnCount }, (_, n) => (n % 2 === 0 ? 'left' : 'right'));
  const turns = Array.from({ length: turnCount }, (_, index) => ({
    index,
    observation: 'state',
    stateKey: `state ${index}`,
    render: '',
    facts: {},
    plan: plan.slice(index < turnCount / 2 ? index : index - 1),
    response: reply,
    think: '',
    answer: '',
    formatValid: true,
    parsedActions: [],
    actions: [{ text: 'left', valid: true, effective: true, reward: 0, metrics: {} }],
    reward: 0,
    formatPenalty: 0,
    sampleStop: 'stop',
    sampled: { start: index * turnTokens + promptTokens, end: (index + 1) * turnTokens },
    // the weights changed in the middle
    policyVersion: index < turnCount / 2 ? 5 : 6,
    timings: { sampleMs: 1, environmentMs: 1 },
  })) as readonly Turn[];
  const inTurn = (token: number): number => (token % turnTokens) - promptTokens;
  const trajectory = {
    id,
    environment: 'bandit',
    split: 'train',
    step,
    group: 0,
    index: 0,
    seeds: { state: 1, noise: 2, sampling: 3 },
    turns,
    tokens: Int32Array.from({ length: size }, (_, token) => token % 997),
    logprobs: Float32Array.from({ length: size }, (_, token) => -((token * 7) % 60) / 10),
    entropies: Float32Array.from({ length: size }, (_, token) => (token % 40) / 10),
    textEnds: Int32Array.from({ length: size }, (_, token) =>
      inTurn(token) < 0 ? 0 : 3 * (inTurn(token) + 1),
    ),
    spans: turns.flatMap(({ index, sampled: { start, end } }) => [
      { kind: 'template', start: start - promptTokens, end: start, turn: index },
      { kind: 'think', start, end, turn: index },
    ]),
    score: { environment: 1, formatPenalty: 0, rewards: {}, perTurn: turns.map(() => 0), total: 1 },
    stopReason: 'success',
    success: true,
    labels: [],
    timings: { totalMs: 5 },
  } as unknown as Trajectory;
  const column = (of: (n: number) => number): Float32Array =>
    Float32Array.from({ length: lossTokens }, (_, n) => of(n));
  const isClipped = (n: number): boolean => n === 0 || n === clippedLow;
  const update: UpdateRecord = {
    outcome: 'trained',
    lossTokens,
    clippedTokens: 2,
    share: 0.25,
    policyVersion: 7,
    tokens: {
      ranges: Int32Array.from(turns.flatMap(({ sampled: { start, end } }) => [start, end])),
      advantages: column((n) => (n === clippedLow ? -2 : 0.5)),
      trainerLogprobs: column((n) => -((n * 7) % 60) / 10),
      firstPassSteps: 0,
      lastPassSteps: 1,
      ratios: column((n) => (n === 0 ? 1.5 : n === clippedLow ? 0.5 : 1)),
      losses: column((n) => (n === clippedLow ? 1.6 : -0.5)),
      gradientWeights: column((n) => (isClipped(n) ? 0 : 0.001)),
      clipped: { high: Int32Array.of(0), low: Int32Array.of(clippedLow) },
    },
  };
  return { trajectory, update };
}
