/**
 * @file Small synthetic trajectories for tests of rewards.
 */
import type { Span, Turn } from '@espalier/contracts';
import type { UnscoredTrajectory } from '../define-reward.js';

const TOKENS_PER_TURN = 8;

/** Builds one turn with the given fields. */
export function sampleTurn(index: number, given: Partial<Turn> = {}): Turn {
  const start = index * TOKENS_PER_TURN + 3;
  return {
    index,
    observation: '_P\nG_',
    stateKey: `state ${index}`,
    render: '_P\nG_',
    facts: { player: [0, 1] },
    response: '<think>goal 1 down 1 left.</think><answer>Down</answer>',
    think: 'goal 1 down 1 left.',
    answer: 'Down',
    formatValid: true,
    parsedActions: ['Down'],
    actions: [{ text: 'Down', valid: true, effective: true, reward: 0, metrics: {} }],
    reward: 0,
    formatPenalty: 0,
    sampleStop: 'stop',
    sampled: { start, end: start + 5 },
    policyVersion: 0,
    timings: { sampleMs: 1, environmentMs: 1 },
    ...given,
  };
}

/** Builds a trajectory without a score from turns. */
export function sampleTrajectory(
  turns: readonly Turn[],
  given: Partial<UnscoredTrajectory> = {},
): UnscoredTrajectory {
  const length = turns.length * TOKENS_PER_TURN;
  const spans = turns.flatMap(({ index, sampled: { start, end } }): Span[] => [
    { kind: 'observation', start: start - 3, end: start, turn: index },
    { kind: 'think', start, end: start + 2, turn: index },
    { kind: 'answer', start: start + 2, end: end - 1, turn: index },
    { kind: 'control', start: end - 1, end, turn: index },
  ]);
  return {
    id: 'train/1/0/0',
    environment: 'sample',
    split: 'train',
    step: 1,
    group: 0,
    index: 0,
    seeds: { state: 1, noise: 2, sampling: 3 },
    tokens: new Int32Array(length),
    logprobs: new Float32Array(length),
    entropies: new Float32Array(length),
    spans,
    turns,
    stopReason: 'turns',
    success: false,
    labels: [],
    timings: { totalMs: 2 },
    ...given,
  };
}

/** Trajectories that every reward must handle: successes, failures, invalid formats, one turn, no turns. */
export function sampleTrajectories(): UnscoredTrajectory[] {
  const broken = {
    formatValid: false,
    think: '',
    answer: '',
    parsedActions: [],
    actions: [],
    formatPenalty: -0.1,
  };
  return [
    sampleTrajectory([sampleTurn(0), sampleTurn(1, { reward: 1 })], { success: true, stopReason: 'success' }),
    sampleTrajectory([
      sampleTurn(0, { reward: -0.1 }),
      sampleTurn(1, broken),
      sampleTurn(2, { reward: -0.2 }),
    ]),
    sampleTrajectory([sampleTurn(0, { ...broken, response: '', sampleStop: 'length' })]),
    sampleTrajectory([sampleTurn(0, { facts: {}, reward: 10.9 })], { success: true, stopReason: 'success' }),
    sampleTrajectory([], { stopReason: 'context' }),
  ];
}
