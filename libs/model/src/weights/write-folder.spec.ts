import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStage } from './staged-path.js';
import { type NewFile, writeFolder, writeNewFile } from './write-folder.js';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'write-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const files = new Map<string, NewFile>([
  ['config.json', '{}'],
  ['weights', { bytes: 4, pieces: [Uint8Array.of(1, 2), Uint8Array.of(3, 4)] }],
]);

describe('writeFolder', () => {
  it('fills an empty folder that exists and keeps its identity, as of a mount point', async () => {
    mkdirSync(at('there'));
    symlinkSync('there', at('link'));
    const { ino } = statSync(at('there'));
    await writeFolder(at('link'), files);
    expect(statSync(at('there')).ino).toBe(ino);
    expect(readdirSync(at('there')).sort()).toEqual(['config.json', 'weights']);
    expect([...readFileSync(at('there/weights'))]).toEqual([1, 2, 3, 4]);
    await expect(writeFolder(at('there'), files)).rejects.toMatchObject({ code: 'model.folder_exists' });
  });

  it('moves config.json last into a folder that exists, because it makes a model of it', async () => {
    mkdirSync(at('there'));
    const names: string[] = [];
    const watcher = watch(at('there'), (event, name) => {
      if (event === 'rename' && name !== null && !name.startsWith('.')) names.push(name);
    });
    const others = ['generation_config.json', 'tokenizer_config.json'];
    await writeFolder(
      at('there'),
      new Map([...files, ...others.map((name): [string, NewFile] => [name, '{}'])]),
    );
    await vi.waitFor(() => expect(names).toHaveLength(4));
    watcher.close();
    expect(names.at(-1)).toBe('config.json');
  });

  it('makes missing parents, and removes them when it fails', async () => {
    await writeFolder(at('a/b'), files);
    expect(readdirSync(at('a'))).toEqual(['b']);
    await expect(writeFolder(at('c/d/e'), files, { freeBytes: 0 })).rejects.toMatchObject({
      code: 'model.disk_full',
    });
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('is stopped by a signal that comes with the last byte', async () => {
    const abort = new AbortController();
    const onProgress = (bytes: number, ofBytes: number) => bytes === ofBytes && abort.abort();
    await expect(writeFolder(at('new'), files, { signal: abort.signal, onProgress })).rejects.toThrow(
      /abort/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names what the system refuses', async () => {
    writeFileSync(at('file'), '');
    await expect(writeFolder(at('file/new'), files)).rejects.toMatchObject({
      code: 'model.write_failed',
      message: expect.stringContaining('it is a file; choose another place'),
    });
    const full = Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write', errno: -28 });
    const pieces = (function* (): Iterable<Uint8Array> {
      yield Uint8Array.of(1);
      throw full;
    })();
    const failing = new Map<string, NewFile>([['weights', { bytes: 4, pieces }]]);
    await expect(writeFolder(at('new'), failing)).rejects.toMatchObject({
      code: 'model.disk_full',
      message: expect.stringContaining('the disk is full; free space'),
    });
    expect(readdirSync(folder)).toEqual(['file']);
  });
});

describe('writeNewFile', () => {
  it('refuses a folder and a link that leads nowhere', async () => {
    mkdirSync(at('empty'));
    symlinkSync('nowhere', at('link'));
    await expect(writeNewFile(at('empty'), 'text')).rejects.toThrow('it is a folder; name a new file');
    await expect(writeNewFile(at('link'), 'text')).rejects.toMatchObject({ code: 'model.folder_exists' });
    await writeNewFile(at('new'), 'text');
    expect(readFileSync(at('new'), 'utf8')).toBe('text');
  });
});

describe('what a process leaves behind', () => {
  /** Writes half a folder in another process, which then ends. */
  function leave(end: string, name = 'new'): void {
    const script = `
      import { writeFolder } from ${JSON.stringify(new URL('../../dist/weights/write-folder.js', import.meta.url).href)};
      const pieces = (function* () { yield new Uint8Array(4); ${end}; })();
      await writeFolder(${JSON.stringify(at(name))}, new Map([['weights', { bytes: 8, pieces }]]));`;
    spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  }

  it('is nothing when it ends at once', () => {
    leave('process.exit(75)');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['new', 'there'])('is removed by the next one when it is killed: %s', async (name) => {
    mkdirSync(at('there'));
    leave("process.kill(process.pid, 'SIGKILL')", name);
    const parent = name === 'new' ? folder : at('there');
    expect(readdirSync(parent).filter((entry) => entry.endsWith('.partial'))).toHaveLength(1);
    await writeFolder(at(name), files);
    expect(readdirSync(at(name)).sort()).toEqual(['config.json', 'weights']);
    expect(readdirSync(folder).filter((entry) => entry.startsWith('.'))).toEqual([]);
  });

  it('is not in the way of a process with the same pid, and stays while its owner runs', () => {
    const { partial, dispose } = openStage(at('new'));
    dispose();
    mkdirSync(partial);
    writeFileSync(join(partial, 'weights'), '');
    const other = partial.replace(`.${process.pid}.`, `.${process.ppid}.`);
    mkdirSync(other);
    openStage(at('new')).dispose();
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([other]);
  });
});
