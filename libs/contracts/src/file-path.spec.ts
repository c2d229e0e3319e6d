import { describe, expect, it } from 'vitest';
import { isSafeName, isSafePath } from './file-path.js';

describe('isSafePath', () => {
  it.each([
    'metrics.jsonl',
    'checkpoints/step-000010/policy/model-00001-of-00002.safetensors',
    '_a/b c/d+e=f@g',
    'console.txt',
    Array(16).fill('a').join('/'),
  ])('takes %j', (path) => expect(isSafePath(path)).toBe(true));

  it.each([
    ['nothing', ''],
    ['the folder itself', '.'],
    ['the folder above', '..'],
    ['a way out', 'a/../../b'],
    ['an absolute path', '/etc/passwd'],
    ['a drive', 'C:/x'],
    ['backslashes', 'a\\..\\b'],
    ['NUL', 'a\0b'],
    ['a line break', 'a\n'],
    ['a doubled slash', 'a//b'],
    ['a slash at the end', 'a/'],
    ['a hidden file', '.ssh/id'],
    ['an option', '-rf'],
    ['a dot at the end', 'a./b'],
    ['a space at the end', 'a '],
    ['a device', 'a/NUL.txt'],
    ['another alphabet', 'ａ/b'],
    ['a long name', 'a'.repeat(201)],
    ['a long path', Array(6).fill('a'.repeat(180)).join('/')],
    ['a deep path', Array(17).fill('a').join('/')],
  ])('refuses %s', (_what, path) => expect(isSafePath(path)).toBe(false));

  it('refuses a slash in a name', () => {
    expect(isSafeName('run-1')).toBe(true);
    expect(isSafeName('a/b')).toBe(false);
  });
});
