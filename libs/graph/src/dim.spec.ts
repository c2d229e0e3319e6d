import { describe, expect, it } from 'vitest';
import { dim, dimDifference, dimProduct, dimQuotient, dimSum, isSameDim, resolveDim } from './dim.js';

const B = dim('B');
const T = dim('T');
const P = dim('P');

describe('named sizes', () => {
  it('print one canonical form whatever the order they were built in', () => {
    expect(String(dimSum(T, dimProduct(B, T), 3, P))).toBe('B*T+P+T+3');
    expect(String(dimSum(3, P, dimProduct(T, B), T))).toBe('B*T+P+T+3');
    expect(String(dimDifference(P, dimProduct(2, T)))).toBe('P-2*T');
  });

  it('distribute products over sums', () => {
    expect(isSameDim(dimProduct(B, dimSum(P, T)), dimSum(dimProduct(B, P), dimProduct(T, B)))).toBe(true);
  });

  it('cancel to a number', () => {
    expect(dimDifference(dimSum(B, 4), B)).toBe(4);
    expect(dimDifference(B, B)).toBe(0);
  });

  it('divide where the quotient is exact, and only there', () => {
    expect(String(dimQuotient(dimProduct(6, B, T), dimProduct(2, T)))).toBe('3*B');
    expect(dimQuotient(dimSum(P, T), dimSum(T, P))).toBe(1);
    expect(dimQuotient(B, 2)).toBeUndefined();
    expect(dimQuotient(B, T)).toBeUndefined();
  });

  it('resolve to numbers', () => {
    const numbers = new Map([
      ['B', 2],
      ['T', 5],
    ]);
    expect(resolveDim(dimSum(dimProduct(B, T), -1), numbers)).toBe(9);
    expect(() => resolveDim(P, numbers)).toThrow('"P" has no value');
  });

  it('reject names that look like arithmetic', () => {
    expect(() => dim('a-b')).toThrow('not a name');
  });
});
