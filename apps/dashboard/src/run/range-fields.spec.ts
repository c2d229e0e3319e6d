import { describe, expect, it } from 'vitest';
import { withEnd } from './range-fields.js';

describe('a range of steps with another end', () => {
  it('is one step where there is no other end', () => {
    expect(withEnd({ from: '', to: '' }, 'from', '12')).toEqual({ from: '12', to: '12' });
    expect(withEnd({ from: '', to: '' }, 'to', '7')).toEqual({ from: '7', to: '7' });
  });

  it('keeps the other end unless it would be reversed', () => {
    expect(withEnd({ from: '3', to: '12' }, 'to', '9')).toEqual({ from: '3', to: '9' });
    expect(withEnd({ from: '3', to: '12' }, 'to', '2')).toEqual({ from: '2', to: '2' });
    expect(withEnd({ from: '3', to: '12' }, 'from', '20')).toEqual({ from: '20', to: '20' });
    expect(withEnd({ from: '3', to: '12' }, 'from', '')).toEqual({ from: '', to: '12' });
  });
});
