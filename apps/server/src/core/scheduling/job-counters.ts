import { Injectable } from '@nestjs/common';

/**
 * Counters of jobs and workers since the server started: the metric's name (docs/use/server.md) and its help text.
 */
export const countedEvents = {
  assigned: ['attempts_assigned_total', 'Attempts assigned to workers.'],
  fenced: ['worker_messages_fenced_total', 'Messages rejected because their attempt was replaced or over.'],
  expired: ['attempts_expired_total', 'Attempts whose lease expired because their worker was silent.'],
  returned: ['attempts_returned_total', 'Attempts whose worker reconnected before their job was reassigned.'],
  conflicts: [
    'device_conflicts_total',
    'Devices found with two attempts at once; anything but 0 is a defect of the server.',
  ],
} as const satisfies Readonly<Record<string, readonly [figure: string, help: string]>>;
export type CountedEvent = keyof typeof countedEvents;

@Injectable()
export class JobCounters {
  readonly values = Object.fromEntries(Object.keys(countedEvents).map((name) => [name, 0])) as Record<
    CountedEvent,
    number
  >;

  add(name: CountedEvent, by = 1): void {
    this.values[name] += by;
  }
}
