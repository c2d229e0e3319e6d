import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInside, resolveInside } from './resolve-inside.js';

let root = '';
let folder = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-inside-'));
  folder = join(root, 'folder');
  mkdirSync(join(folder, 'deep'), { recursive: true });
  mkdirSync(join(root, 'folder-two'));
  writeFileSync(join(root, 'folder-two/secret'), 'secret');
});
afterEach(() => rmSync(root, { recursive: true }));

const refusal = (path: string): unknown => {
  try {
    return resolveInside(folder, path);
  } catch (error) {
    return error;
  }
};

describe('resolveInside', () => {
  it('resolves paths inside, including missing ones and links that stay inside', () => {
    symlinkSync('deep', join(folder, 'link'));
    for (const path of ['deep/new', 'new/deeper/file', 'link/file'])
      expect(resolveInside(folder, path)).toBe(join(folder, path));
  });

  it.each([
    ['to a file elsewhere', () => symlinkSync('../folder-two/secret', join(folder, 'out')), 'out'],
    ['to a folder elsewhere', () => symlinkSync(join(root, 'folder-two'), join(folder, 'out')), 'out/secret'],
    ['to nothing', () => symlinkSync('../folder-two/new', join(folder, 'out')), 'out'],
    ['to itself', () => symlinkSync('out', join(folder, 'out')), 'out'],
    [
      'by way of another',
      () => {
        symlinkSync('../folder-two', join(folder, 'deep/first'));
        symlinkSync('deep/first', join(folder, 'out'));
      },
      'out/secret',
    ],
  ])('refuses a link %s, and does not name the folder', (_what, link, path) => {
    link();
    expect(refusal(path)).toMatchObject({ code: 'contracts.unsafe_path' });
    expect(String(refusal(path))).not.toContain(root);
  });

  it.each(['../folder-two/secret', '/etc/passwd', 'a\\b', 'a\0'])('refuses %j', (path) => {
    expect(refusal(path)).toMatchObject({ code: 'contracts.unsafe_path' });
  });

  it('rejects a sibling whose name has the folder as a prefix', () => {
    expect(isInside(folder, join(root, 'folder-two/secret'))).toBe(false);
    expect(isInside(folder, folder)).toBe(true);
  });
});
