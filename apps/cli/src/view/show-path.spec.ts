import { describe, expect, it } from 'vitest';
import { showPath } from './show-path.js';

describe('showPath', () => {
  it('shortens what lies below the present folder and nothing else', () => {
    expect(showPath('/a/b/runs/x', '/a/b')).toBe('runs/x');
    expect(showPath('/a/c/runs/x', '/a/b')).toBe('/a/c/runs/x');
    expect(showPath('/a/b', '/a/b')).toBe('/a/b');
  });
});
