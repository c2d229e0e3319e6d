import { describe, expect, it } from 'vitest';
import { isSafeName, isSafePath } from './file-path.js';

describe('isSafePath', () => {
  it.each([
    'metrics.jsonl',
    'checkpoints/step-000010/policy/model-00001-of-00002.safetensors',
    '_a/b c/d+e=f@g',
    'console.txt',
    Array(16).fill('a').join('/'),
  ])('accepts %j', (path) => expect(isSafePath(path)).toBe(true));

  it.each([
    ['an empty path', ''],
    ['the folder itself', '.'],
    ['the parent folder', '..'],
    ['a path that leads out', 'a/../../b'],
    ['an absolute path', '/etc/passwd'],
    ['a drive', 'C:/x'],
    ['backslashes', 'a\\..\\b'],
    ['NUL', 'a\0b'],
    ['a line break', 'a\n'],
    ['a double slash', 'a//b'],
    ['a trailing slash', 'a/'],
    ['a hidden file', '.ssh/id'],
    ['an option', '-rf'],
    ['a trailing dot', 'a./b'],
    ['a trailing space', 'a '],
    ['a device', 'a/NUL.txt'],
    ['a full-width letter', 'ａ/b'],
    ['a long name', 'a'.repeat(201)],
    ['a long path', Array(6).fill('a'.repeat(180)).join('/')],
    ['a deep path', Array(17).fill('a').join('/')],
  ])('rejects %s', (_what, path) => expect(isSafePath(path)).toBe(false));

  it('rejects a slash in a name', () => {
    expect(isSafeName('run-1')).toBe(true);
    expect(isSafeName('a/b')).toBe(false);
  });
});
