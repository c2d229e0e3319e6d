/** @file Events of a run, as a worker sends them. */
import type { EventsMessage } from '@espalier/protocol';

type Event = EventsMessage['events'][number]['event'];

/** A row of metrics. */
export function metricsEvent(step: number, values: Record<string, number | null>): Event {
  return { kind: 'metrics', time: 1_800_000_000_000 + step, step, values };
}

/** A trajectory of a step. */
export function trajectoryEvent(
  step: number,
  index: number,
  more: Partial<Extract<Event, { kind: 'trajectory' }>['row']> = {},
): Event {
  return {
    kind: 'trajectory',
    time: 1_800_000_000_000 + step,
    step,
    row: {
      id: `train/${step}/0/${index}`,
      environment: 'bandit',
      split: 'train',
      group: 0,
      index,
      stateSeed: 1,
      reward: index / 10,
      environmentReward: 0,
      success: index % 2 === 0,
      stopReason: 'success',
      labels: [],
      turns: 1,
      tokens: 10,
      sampledTokens: 5,
      kept: true,
      error: null,
      text: 'left',
      ...more,
    },
  };
}
