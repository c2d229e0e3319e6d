import type { Trajectory } from '@espalier/contracts';

/** A trajectory of step 7 as its file has it: three tokens, one of them without a log-probability. */
export function wholeTrajectory(id: string): Trajectory {
  return {
    id,
    environment: 'bandit',
    split: 'train',
    step: 7,
    group: 0,
    index: 0,
    seeds: { state: 1, noise: 2, sampling: 3 },
    tokens: Int32Array.of(1, 2, 3),
    logprobs: Float32Array.of(0, -0.5, Number.NaN),
    entropies: Float32Array.of(0, 0.25, 0),
    spans: [{ kind: 'answer', start: 1, end: 3, turn: 0 }],
    turns: [],
    score: { environment: 1, formatPenalty: 0, rewards: {}, perTurn: [1], total: 1 },
    stopReason: 'success',
    success: true,
    labels: [{ name: 'no-op-loop', turn: 0 }],
    timings: { totalMs: 5 },
  } as Trajectory;
}
