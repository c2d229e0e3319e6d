import { describe, expect, it } from 'vitest';
import {
  formatTicks,
  formatAge,
  formatBytes,
  formatChange,
  formatCount,
  formatNumber,
  formatSeconds,
  formatShare,
  formatValue,
  possible,
} from './numbers.js';

it('counts one and many', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'line'))).toEqual(['0 lines', '1 line', '2 lines']);
  expect(formatCount(1, 'entry', 'entries')).toBe('1 entry');
  expect(formatCount(1200, 'entry', 'entries')).toBe('1,200 entries');
});

describe('the values along an axis', () => {
  it('have as many decimals as tell them apart, and no more', () => {
    expect(formatTicks([0.925, 0.95, 0.975, 1], 'probability')).toEqual([
      '92.5 %',
      '95.0 %',
      '97.5 %',
      '100.0 %',
    ]);
    expect(formatTicks([0, 0.01, 0.02, 0.03], 'probability')).toEqual(['0 %', '1 %', '2 %', '3 %']);
    expect(formatTicks([1234.5, 1235, 1235.5], null)).toEqual(['1234.5', '1235.0', '1235.5']);
    expect(formatTicks([-0.2, 0, 0.2], '1')).toEqual(['−0.2', '0', '0.2']);
    expect(formatTicks([10_000, 20_000], null)).toEqual(['10 k', '20 k']);
    expect(formatTicks([0, 2e-5, 4e-5], null)).toEqual(['0', '2.0e−5', '4.0e−5']);
    expect(formatTicks([], 'probability')).toEqual([]);
  });
});

describe('numbers', () => {
  it.each([
    [undefined, '–'],
    [null, '–'],
    [0, '0'],
    [Number.NaN, 'NaN'],
    [-Infinity, '−∞'],
    [16, '16'],
    [-0.12345, '−0.123'],
    [0.00042, '4.2e−4'],
    [1234.5, '1230'],
    [12_345, '12.3 k'],
    [2_000_000, '2 M'],
    [3.2e9, '3.2 G'],
  ])('%s is shown as %s', (value, text) => expect(formatNumber(value)).toBe(text));

  it.each([
    [undefined, '–'],
    [0, '0 %'],
    [0.42, '42 %'],
    [0.034, '3.4 %'],
    [0.998, '99.8 %'],
    [0.99986, '> 99.9 %'],
    [0.0001, '< 0.1 %'],
    [1, '100 %'],
  ])('the share %s is shown as %s', (value, text) => expect(formatShare(value)).toBe(text));

  it.each([
    [null, '–'],
    [0, '0 s'],
    [0.0404, '40.4 ms'],
    [1.23, '1.23 s'],
    [59.97, '1 min'],
    [185, '3 min 5 s'],
    [4800, '1 h 20 min'],
    [300_000, '3 d 11 h'],
    [-5, '−5 s'],
  ])('%s seconds are shown as %s', (value, text) => expect(formatSeconds(value)).toBe(text));

  it('have the unit of their metric', () => {
    expect(formatBytes(1536)).toBe('1.5 KiB');
    expect(formatValue(0.5, 'probability')).toBe('50 %');
    expect(formatValue(2 ** 31, 'bytes')).toBe('2 GiB');
    expect(formatValue(null, 'seconds')).toBe('–');
  });

  it('change by points where they are shares, and not at all where one is absent', () => {
    expect(formatChange(0.98, 0.43, 'probability')).toBe('+55.0 pts');
    expect(formatChange(0.1, 0.4, '1')).toBe('−0.3');
    expect(formatChange(undefined, 0.4, '1')).toBeUndefined();
    expect(formatChange(0.4, Number.NaN, '1')).toBeUndefined();
  });

  it('tell an age, and "now" where a clock is off', () => {
    const now = Date.parse('2026-11-24T12:00:00Z');
    expect(formatAge('2026-11-24T11:58:00Z', now)).toBe('2 min');
    expect(formatAge('2026-11-20T12:00:00Z', now)).toBe('4 d');
    expect(formatAge('2026-11-24T12:05:00Z', now)).toBe('now');
    expect(formatAge(null, now)).toBe('–');
    expect(formatAge('not a moment', now)).toBe('–');
  });

  it('cuts off what no share can be, and nothing else', () => {
    expect([-0.7, 0.4, 2.1, null].map((value) => possible(value, 'probability'))).toEqual([0, 0.4, 1, null]);
    expect(possible(2.1, 'reward')).toBe(2.1);
  });
});
