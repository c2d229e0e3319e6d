/** @file Which events are kept in the history of a run, and what of them. */
import type { EventsMessage } from '@espalier/protocol';
import type { NewRecord } from '../../database/run-log.js';

/** An event as it travels: null or NaN where there is no number. */
export type IncomingEvent = EventsMessage['events'][number]['event'];

/** Makes the record of an event; undefined for what is only told to those who listen now. */
export function toRecord(attempt: number, event: IncomingEvent): NewRecord | undefined {
  if (event.kind === 'phase') return undefined;
  const { kind, time } = event;
  return {
    kind,
    attempt,
    time: Math.round(time),
    step: 'step' in event ? event.step : -1,
    body: bodyOf(event),
  };
}

function bodyOf(event: Exclude<IncomingEvent, { kind: 'phase' }>): Record<string, unknown> {
  if (event.kind === 'metrics') return { values: finiteValues(event.values) };
  if (event.kind === 'trajectory') {
    const { id, reward, success, stopReason, turns, group, index } = event.row;
    return { id, reward: finiteOrNull(reward), success, stopReason, turns, group, index };
  }
  const body: Record<string, unknown> = { ...event };
  for (const known of ['kind', 'time', 'step']) delete body[known];
  return body;
}

/** JSON knows no NaN and no infinity: null stands for them. */
function finiteValues(values: Readonly<Record<string, number | null>>): Record<string, number | null> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, finiteOrNull(value)]));
}

/** Gives the number, or null for what is none. */
export function finiteOrNull(value: number | null | undefined): number | null {
  return Number.isFinite(value) ? (value as number) : null;
}
