import { describe, expect, it } from 'vitest';
import { attemptEvent } from './attempt-event.js';
import { z } from 'zod';
import { count, list, metricName, printedText, text, time, toIsoTime } from './bounds.js';
import { followMessage } from './stream-messages.js';
import { eventsMessage } from './worker-messages.js';

describe('text', () => {
  it.each(['a\0b', 'a\u001bb', 'a\nb', 'a\tb', 'a\u007fb', 'a\u0085b', 'a\ud800b', 'xxxxxx'])(
    'refuses %j as a name',
    (value) => expect(text(5).safeParse(value).success).toBe(false),
  );

  it.each(['é', '日本', '👩‍🚀', 'a b'])('accepts %j as a name', (value) =>
    expect(text(10).parse(value)).toBe(value),
  );

  it('accepts tabs and newlines in multi-line text, but no other control characters', () => {
    const note = text(20, { isMultiline: true });
    expect(note.parse('a\n\tb\r\n')).toBe('a\n\tb\r\n');
    for (const wrong of ['\0', '\u0007', '\u009b', '\udc00'])
      expect(note.safeParse(wrong).success).toBe(false);
  });

  it('is cut and cleaned, not refused, where a program printed it', () => {
    expect(printedText(8).parse('a\0\n\u001b[1m\ud800 and more')).toBe('a\u{fffd}\n\u{fffd}[1m\u{fffd}');
    expect(printedText(2).parse('a👩')).toBe('a\u{fffd}');
  });
});

describe('a list', () => {
  it('that is too long or too short is refused before any element is looked at', () => {
    let looked = 0;
    const few = list(
      z.number().refine(() => (looked += 1) > 0),
      3,
      1,
    );
    expect(few.safeParse([1, 2, 3, 4]).success).toBe(false);
    expect(few.safeParse([]).success).toBe(false);
    expect(looked).toBe(0);
    expect(few.parse([1, 2, 3])).toEqual([1, 2, 3]);
    expect(few.safeParse([1, 'x']).error?.issues[0]).toMatchObject({ path: [1] });
  });

  it('of events in one message is bounded in that way', () => {
    const { error } = eventsMessage.safeParse({
      attemptId: 'a',
      token: 1,
      stream: 'log',
      events: Array.from({ length: 2001 }, () => null),
    });
    expect(error?.issues.map(({ code }) => code)).toEqual(['too_big']);
  });
});

describe('numbers', () => {
  it.each([1e300, 9e15, -1, Number.NaN, Number.POSITIVE_INFINITY])('%d is not a valid time', (value) =>
    expect(time.safeParse(value).success).toBe(false),
  );

  it('rounds a time to whole milliseconds', () => expect(time.parse(1.6)).toBe(2));

  it.each([1.5, -1, 2 ** 31, 1e300])('%d is not a valid count', (value) =>
    expect(count.safeParse(value).success).toBe(false),
  );

  it.each([1e300, Number.NaN, -1e300])('writes %d as a time without throwing', (value) =>
    expect(toIsoTime(value)).toMatch(/^(1970|2200)-01-01T/),
  );
});

describe('names of metrics', () => {
  it.each(['reward/mean', 'a', 'p@1 [%]', 'глубина/средняя'])('accept %j', (name) =>
    expect(metricName.safeParse(name).success).toBe(true),
  );

  it.each(['', 'a\0', '=cmd()', ' a', '__proto__', 'x'.repeat(201), 'a\u2028b'])('refuse %j', (name) => {
    expect(metricName.safeParse(name).success).toBe(false);
    const event = {
      kind: 'metrics',
      time: 1,
      step: 0,
      values: JSON.parse(`{${JSON.stringify(name)}:1}`) as object,
    };
    const parsed = attemptEvent.safeParse(event);
    // zod drops the key `__proto__` from a record
    expect(parsed.success && Object.keys((parsed.data as { values: object }).values).length > 0).toBe(false);
    expect(followMessage.safeParse({ runId: 'r', metrics: [name] }).success).toBe(false);
  });
});
