import { describe, expect, it } from 'vitest';
import { importLine } from './import-line.js';

const half = {
  events: 200,
  eventsTotal: 200,
  files: 1,
  filesTotal: 4,
  bytes: 100 * 2 ** 20,
  bytesTotal: 200 * 2 ** 20,
  sent: 20 * 2 ** 20,
};

describe('the line of an import', () => {
  it('estimates the rest from what was sent now, not from what the server had', () => {
    expect(importLine(half, 4000)).toBe('events 200/200  files 1/4  50 %  100 MiB of 200 MiB  ~20 s left');
  });

  it('estimates nothing at first, when nothing was sent, and at the end', () => {
    expect(importLine(half, 100)).not.toContain('left');
    expect(importLine({ ...half, sent: 0 }, 4000)).not.toContain('left');
    expect(importLine({ ...half, bytes: half.bytesTotal }, 4000)).not.toContain('left');
  });

  it('is whole when there is nothing to send', () => {
    const nothing = {
      events: 0,
      eventsTotal: 0,
      files: 0,
      filesTotal: 0,
      bytes: 0,
      bytesTotal: 0,
      sent: 0,
    };
    expect(importLine(nothing, 4000)).toContain('100 %');
  });
});
