/** @file The events of a run whose steps have trajectories of every fate, and the counts that go with them. */
import { metricsEvent, trajectoryEvent } from './events.js';

/** Ten trajectories in five groups: four trained, four dropped for two reasons, one without loss tokens, one failed. */
function eventsOf(step: number, shift: number) {
  const one = (group: number, index: number, more: Parameters<typeof trajectoryEvent>[2]) =>
    trajectoryEvent(step, index, {
      id: `train/${step}/${group}/${index}`,
      group,
      reward: index + shift,
      sampledTokens: 5,
      ...more,
    });
  const trained = { outcome: 'trained', lossTokens: 5 } as const;
  const dropped = (reason: string) =>
    ({
      outcome: 'dropped',
      kept: false,
      lossTokens: 5,
      dropped: { reason, numbers: { deviation: 0 } },
    }) as const;
  return [
    one(0, 0, { ...trained, lossTokens: 4, clippedTokens: 1, updateShare: 0.1 }),
    one(0, 1, { ...trained, clippedTokens: 0, updateShare: 0.2 }),
    one(1, 0, { ...trained, clippedTokens: 2, updateShare: 0.7 }),
    one(1, 1, { ...trained, clippedTokens: 0, updateShare: 0 }),
    one(2, 0, dropped('low-variance')),
    one(2, 1, dropped('low-variance')),
    one(3, 0, dropped('low-variance')),
    one(3, 1, dropped('zero-variance')),
    one(4, 0, { outcome: 'no-loss-tokens', lossTokens: 0 }),
    one(4, 1, { outcome: 'failed', lossTokens: 0, kept: false, reward: null, error: '<b>it broke</b>' }),
  ];
}

const work = {
  'rollout/reward_mean': 1,
  'time/step_seconds': 0.001,
  'time/collect_seconds': 0.0006,
  'time/update_seconds': 0.0004,
};
const flow = {
  'flow/trajectories': 10,
  'flow/tokens': 50,
  'flow/trajectories/trained': 4,
  'flow/trajectories/dropped': 4,
  'flow/trajectories/no_loss_tokens': 1,
  'flow/trajectories/failed': 1,
  'flow/tokens/masked': 1,
  'flow/tokens/clipped': 3,
  'flow/tokens/trained': 16,
  'flow/tokens/dropped': 20,
  'flow/tokens/no_loss_tokens': 5,
  'flow/tokens/failed': 5,
  'flow/dropped_trajectories/low_variance': 3,
  'flow/dropped_tokens/low_variance': 15,
  'flow/dropped_trajectories/zero_variance': 1,
  'flow/dropped_tokens/zero_variance': 5,
};

/** Three such steps, and one without counts. */
export const stepStory = [
  ...eventsOf(1, 0),
  metricsEvent(1, { ...flow, ...work, 'policy/entropy': 1, 'policy/gradient_norm': 0.5 }),
  ...eventsOf(2, 10),
  metricsEvent(2, { ...flow, ...work, 'policy/entropy': 0.5 }),
  // the trainer counted one more clipped token than is stored
  ...eventsOf(3, 10),
  metricsEvent(3, { ...flow, 'flow/tokens/clipped': 4, 'flow/tokens/trained': 15 }),
  metricsEvent(4, { 'rollout/reward_mean': 1 }),
];
