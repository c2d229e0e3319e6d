import { describe, expect, it } from 'vitest';
import { excerpt } from './excerpt.js';

describe('a message in short', () => {
  it('is the message itself where that fits', () => {
    expect(excerpt('ended by SIGSEGV\nstep 21\n', 24)).toBe('ended by SIGSEGV\nstep 21');
  });

  it('has the first line and the end', () => {
    const told = `ended by SIGSEGV\n${'a note\n'.repeat(100)}out of memory`;
    expect(excerpt(told, 40)).toBe('ended by SIGSEGV\n… a note\nout of memory');
  });

  it('is the first line alone where that takes most of the room, cut with a mark', () => {
    expect(excerpt(`${'é'.repeat(35)}\n${'b'.repeat(50)}`, 40)).toBe(`${'é'.repeat(35)}…`);
    expect(excerpt('a'.repeat(50), 40)).toBe(`${'a'.repeat(39)}…`);
  });
});
