import { Injectable } from '@nestjs/common';

/**
 * Counters of jobs and workers since the server started: the metric's name (docs/use/server.md) and its help text.
 */
export const countedEvents = {
  assigned: ['attempts_assigned_total', 'Attempts given to workers.'],
  fenced: ['worker_messages_fenced_total', 'Messages refused because their attempt was replaced or over.'],
  malformed: ['worker_messages_malformed_total', 'Messages of workers that were not of their form.'],
  mismatched: [
    'workers_mismatched_total',
    'Workers refused because they speak another version of the protocol.',
  ],
  expired: ['attempts_expired_total', 'Attempts whose worker went silent.'],
  returned: [
    'attempts_returned_total',
    'Attempts whose worker came back with them before anybody else had their job.',
  ],
  quarantined: ['jobs_quarantined_total', 'Jobs set aside because they killed their process too often.'],
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
