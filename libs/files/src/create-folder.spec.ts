import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder, dataRemedy } from './create-folder.js';
import { createFolderLock } from './lock.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('createFolder', () => {
  it('creates a folder with its parents and keeps an existing one', () => {
    const folder = join(root, 'a/b/c');
    for (const _time of [1, 2]) createFolder(folder, 'start server');
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('rejects a path below a file, a file, and a folder that the system refuses, each with a remedy', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const refused = [
      [join(file, 'a/b'), 'a parent is a file'],
      [file, 'it is a file'],
      // Node's recursion would go on for ever here
      ...(existsSync('/proc/self') ? [['/proc/none', 'folders cannot be created there'] as const] : []),
    ] as const;
    for (const [folder, finding] of refused)
      for (const make of [
        () => createFolder(folder, 'start server', dataRemedy),
        () => createFolderLock(folder, 'server', 'server.already_running'),
      ])
        expect(make).toThrow(
          expect.objectContaining({
            code: 'cli.unusable_folder',
            message: `start server: the folder "${folder}" cannot be created or written: ${finding}; name another one (--data, setting \`data\`)`,
          }) as Error,
        );
  });

  it('names the remedy of its caller, or none of a server', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => createFolder(file, 'set up', 'set ESPALIER_CACHE')).toThrow(/; set ESPALIER_CACHE$/);
    expect(() => createFolder(file, 'set up')).toThrow(/; name another one$/);
  });
});
