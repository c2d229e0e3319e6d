import { describe, expect, it } from 'vitest';
import { splitVisible, toVisible, toVisibleToken } from './visible-text.js';

describe('text that somebody else wrote', () => {
  it('stays as it is where all of it can be seen', () => {
    expect(splitVisible('plain\n\ttext, Ünïcode 日本 😀')).toEqual(['plain\n\ttext, Ünïcode 日本 😀']);
    expect(splitVisible('')).toEqual(['']);
    expect(toVisible('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  it('shows controls, directional overrides, invisible characters and halves of pairs as marks', () => {
    expect(toVisible('a\u001b[31mb')).toBe('a␛[31mb');
    expect(toVisible('\u0000\r\u007f')).toBe('␀␍␡');
    expect(toVisible('x\u202ecod\u2066')).toBe('x⟨U+202E⟩cod⟨U+2066⟩');
    expect(toVisible('in\u200bvisible\ufeff')).toBe('in⟨U+200B⟩visible⟨U+FEFF⟩');
    expect(toVisible('\ud800 alone')).toBe('⟨U+D800⟩ alone');
    expect(toVisible('\u{e0041}')).toBe('⟨U+E0041⟩');
    expect(toVisible('\u0085\u009b')).toBe('⟨U+0085⟩⟨U+009B⟩');
  });

  it('keeps what is around a mark, in order', () => {
    expect(splitVisible('a\u0007b')).toEqual(['a', { mark: '␇', name: 'U+0007' }, 'b']);
  });

  it('shows the spaces and newlines of a token', () => {
    expect(toVisibleToken(' a\n\t')).toBe('·a⏎⇥');
  });
});
