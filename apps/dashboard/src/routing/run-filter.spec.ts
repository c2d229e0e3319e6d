import { describe, expect, it } from 'vitest';
import { keptSearch, readRange, tellRange } from './run-filter.js';

const of = (text: string): URLSearchParams => new URLSearchParams(text);

describe('the filter that views share', () => {
  it('keeps steps and what trajectories are narrowed by, and nothing of one view', () => {
    expect(keptSearch(of('view=tokens&from=3&success=no&to=9&events=warning&chat=4'))).toBe(
      '?from=3&to=9&success=no',
    );
    expect(keptSearch(of('label='))).toBe('');
    expect(keptSearch(of('to=9&from=2'), { from: '4', view: 'turns' })).toBe('?from=4&to=9&view=turns');
    expect(readRange(of(keptSearch(of('text=a%26from%3D7'))))).toBeUndefined();
  });

  it('is a range of steps, with or without an end, or none', () => {
    expect([readRange(of('from=3&to=7')), readRange(of('to=7')), readRange(of('from=7&to=3'))]).toEqual([
      { from: 3, to: 7 },
      { from: 0, to: 7 },
      { from: 7, to: 7 },
    ]);
    expect(tellRange(readRange(of('from=3')) ?? { from: 0, to: 0 })).toBe('from step 3');
    expect([readRange(of('')), readRange(of('from=-1')), readRange(of('from=1e3'))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
