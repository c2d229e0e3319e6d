/** @file Which events the history of a run stores, and which of their fields. */
import type { EventsMessage } from '@espalier/protocol';
import type { NewRecord } from '../../database/run-log.js';

/** A received event: null or NaN where there is no number. */
export type IncomingEvent = EventsMessage['events'][number]['event'];

/** Converts an event to its record; undefined for events that only followers receive. */
export function toRecord(attempt: number, event: IncomingEvent): NewRecord | undefined {
  if (event.kind === 'phase' || event.kind === 'turn') return undefined;
  const { kind, time } = event;
  return {
    kind,
    attempt,
    time: Math.round(time),
    step: 'step' in event ? event.step : -1,
    body: bodyOf(event),
  };
}

function bodyOf(event: Exclude<IncomingEvent, { kind: 'phase' | 'turn' }>): Record<string, unknown> {
  if (event.kind === 'metrics') return { values: finiteValues(event.values) };
  if (event.kind === 'trajectory') {
    const { id, reward, success, stopReason, turns, group, index } = event.row;
    return { id, reward: finiteOrNull(reward), success, stopReason, turns, group, index };
  }
  const body: Record<string, unknown> = { ...event };
  for (const known of ['kind', 'time', 'step']) delete body[known];
  return body;
}

/** JSON has no NaN and no infinity, so null replaces them. */
function finiteValues(values: Readonly<Record<string, number | null>>): Record<string, number | null> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, finiteOrNull(value)]));
}

/** Returns the number, or null if it is not finite. */
export function finiteOrNull(value: number | null | undefined): number | null {
  return Number.isFinite(value) ? (value as number) : null;
}
