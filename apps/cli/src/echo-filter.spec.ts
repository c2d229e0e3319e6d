import { describe, expect, it } from 'vitest';
import { createEchoFilter } from './echo-filter.js';

describe('createEchoFilter', () => {
  it('takes what npm passes on for the same Ctrl-C, and what comes later for a second one', () => {
    let time = 1000;
    const tell = createEchoFilter(() => time);
    expect(tell()).toBe('first');
    time += 20;
    expect(tell()).toBe('echo');
    time += 600;
    expect([tell(), tell()]).toEqual(['again', 'again']);
  });
});
