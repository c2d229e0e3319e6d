import { Injectable } from '@nestjs/common';

/** What is counted about jobs and workers since the server started, with what each number means. */
export const countedEvents = {
  placed: 'attempts given to workers',
  fenced: 'messages refused because their attempt was replaced or over',
  malformed: 'messages of workers that were not of their form',
  mismatched: 'workers refused because they speak another version of the protocol',
  expired: 'attempts whose worker went silent',
  quarantined: 'jobs set aside because they killed their process too often',
  conflicts: 'devices found with two attempts at once; a defect of the server',
} as const;
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
