import { expect, it } from 'vitest';
import { placeSpans } from './device-history.js';

const now = Date.parse('2026-11-27T12:00:00Z');
/** A span that began so many minutes ago; a day has 96 of a quarter of an hour. */
const span = (minutes: number, utilisation: number) => ({
  at: new Date(now - 60_000 * minutes).toISOString(),
  devices: [{ id: 'cpu-0', utilisation, freeMemoryMb: null, powerWatts: null, temperatureCelsius: null }],
});

it('puts the newest span last, what is older before it, and leaves gaps', () => {
  const values = placeSpans(
    [span(24 * 60, 0.1), span(60, 0.2), span(15.1, 0.3)],
    'cpu-0',
    now,
    ({ utilisation }) => utilisation,
  );
  expect(values).toHaveLength(96);
  expect(values.flatMap((value, place) => (value === null ? [] : [[place, value]]))).toEqual([
    [0, 0.1],
    [92, 0.2],
    [95, 0.3],
  ]);
  // a clock that is behind the server's
  expect(placeSpans([span(-3, 0.4)], 'cpu-0', now, ({ utilisation }) => utilisation).at(-1)).toBe(0.4);
});
